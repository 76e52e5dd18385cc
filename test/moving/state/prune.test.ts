// The rows that `poundkey apply --prune` removes, and those that it leaves alone.
import { beforeEach, expect, test } from "bun:test";
import { createKey } from "../../../src/admin/keys/keys.ts";
import { topUpAccount } from "../../../src/admin/money/topups.ts";
import type { TestWorld } from "../../admin/admin-world.ts";
import { makeKey } from "../../harness/samples.ts";
import { commandBench, STATE } from "./command.ts";

const { bench, apply, done, findKey } = commandBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

test("removes what this file made and no longer has, and nothing else", async () => {
  const { id } = await createKey(world, { name: "by hand" });
  await world.changes.addKey(makeKey("key_personal", { accountId: "default", memberId: "mem_1" }), "digest");
  await done(`name: other\n${STATE.replaceAll(/Search|app|fast|deploy/g, "other-$&")}`, "other.yaml");
  await done(`${STATE.replace("keys:", "keys:\n  - { name: by hand, parallel: 3 }")}`);
  const left = await done("accounts: []");
  expect(left.match(/^= .*: made by this file, which no longer has it; --prune removes it$/gm)).toHaveLength(
    4,
  );
  expect(await done("{}", "--prune")).toBe(
    [
      "- token deploy",
      "- key app of Search",
      "- alias fast",
      "- account Search",
      "0 made, 0 changed, 4 removed; 0 as in the file, 6 here that the file doesn't have.",
    ].join("\n"),
  );
  const keys = await world.store.keys({ limit: 10, after: null });
  const live = keys.filter(({ revokedAtMs }) => revokedAtMs === null).map((key) => key.id);
  expect(live).toContain(id);
  expect(live).toContain("key_personal");
  expect((await findKey("other-app")).revokedAtMs).toBeNull();
  expect(await done(STATE)).toContain("4 made");
});

test("needs the exact number for more than ten", async () => {
  await done(`keys:\n${Array.from({ length: 11 }, (_, at) => `  - name: k${at}\n`).join("")}`);
  expect((await apply("{}", "--prune")).err).toBe(
    "poundkey: --prune would remove 11: look at --plan, then repeat it with --yes 11",
  );
  expect((await apply("{}", "--prune", "--yes", "12")).code).toBe(1);
  expect((await apply("{}", "--yes", "11")).code).toBe(2);
  expect(await done("{}", "--prune", "--plan")).toContain("11 to remove");
  expect(await done("{}", "--prune", "--yes", "11")).toContain("11 removed");
});

test("leaves an account with a balance, or with keys of others", async () => {
  await done("accounts: [{ name: Rich }, { name: Busy }]");
  const [rich, busy] = ["Rich", "Busy"].map(
    async (name) => (await world.store.accountsNamed(name))[0]?.id ?? "",
  );
  await topUpAccount(world, (await rich) ?? "", { amount_usd: 5 }, null);
  await createKey(world, { name: "theirs", account_id: await busy });
  const out = await done("{}", "--prune");
  expect(out).toContain("= account Rich: no longer in the file, but it has a balance");
  expect(out).toContain("= account Busy: no longer in the file, but it has keys");
});
