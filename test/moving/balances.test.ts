// An import into a gateway on which every request is paid says which accounts need a top-up before their keys work.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { topUpAccount } from "../../src/admin/money/topups.ts";
import { TESTER } from "../harness/acting.ts";
import { digestForeign } from "./litellm-rows.ts";
import { usePlaces } from "./places.ts";

const makePlace = usePlaces();
const HEADER = "id,user_id,key,status,name,expired_time,remain_quota,unlimited_quota,used_quota";
const token = (letter: string, user: number, status = 1) =>
  `${user},${user},${letter.repeat(48)},${status},${letter},-1,500000,0,0`;
const TOKENS = [HEADER, token("a", 7), token("b", 8), token("c", 9, 2)].join("\n");

/** Returns the accounts that are said to have no balance, each with the reason. */
function readEmpty(out: string): Readonly<Record<string, string>> {
  const rows: readonly { item: string; outcome: string; words: string }[] = JSON.parse(out).rows;
  const empty = rows.filter(({ item, outcome }) => outcome !== "taken" && item.startsWith("balance of "));
  return Object.fromEntries(empty.map(({ item, words }) => [item.slice("balance of ".length), words]));
}

test("new-api's accounts from a CSV have none, which is said of each with a key that isn't paused", async () => {
  const place = makePlace({ "tokens.csv": TOKENS });
  const run = async (...args: string[]) =>
    readEmpty((await place.run("new-api", place.path("tokens.csv"), "--json", ...args)).out);
  expect(Object.keys(await run("--dry-run"))).toEqual(["user 7", "user 8"]);
  const empty = await run();
  expect(Object.keys(empty)).toEqual(["user 7", "user 8"]);
  const { store, world } = await place.open();
  const [account] = await store.accountsNamed("user 7");
  expect(empty["user 7"]).toEndWith(`: poundkey accounts topup ${account?.id} AMOUNT`);
  await topUpAccount(actAs(world, TESTER), account?.id ?? "", { amount_usd: 5 }, "once");
  await store.close();
  expect(Object.keys(await run())).toEqual(["user 8"]);
  writeFileSync(place.path("poundkey.yaml"), "quota: { requests_per_day: 5 }\n");
  expect(await run("--free")).toEqual({});
});

test("LiteLLM's accounts have none either, if the configuration charges every request", async () => {
  const files = {
    "litellm.yaml": "model_list: []\n",
    "keys.csv": `token,key_alias,team_id\n${digestForeign("one")},a,search\n${digestForeign("two")},b,\n`,
    "teams.csv": "team_id,max_budget\nsearch,\n",
  };
  const args = (place: ReturnType<typeof makePlace>) =>
    [
      "litellm",
      place.path("litellm.yaml"),
      "--keys",
      place.path("keys.csv"),
      "--teams",
      place.path("teams.csv"),
      "--json",
    ] as const;
  const paid = makePlace({ ...files, "poundkey.yaml": "billing: { charge: always }\n" });
  expect(Object.keys(readEmpty((await paid.run(...args(paid))).out))).toEqual(["search", "default"]);
  const free = makePlace(files);
  expect(readEmpty((await free.run(...args(free))).out)).toEqual({});
});
