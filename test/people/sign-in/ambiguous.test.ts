// Rules that give roles by the name of an account, where another account takes that name.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStore } from "../../../src/app/start/open-store.ts";
import { asObject } from "../../../src/core/json/json.ts";
import { makeAccount } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await startSignInWorld({
    oidc: `rules: [{ group: leads, role: manager, accounts: [Search] }, { group: all, role: viewer, accounts: [default] }]`,
  });
  world.provider.people.set("lea", { name: "Lea", groups: ["leads", "all"] });
  world.provider.people.set("leo", { name: "Leo", groups: ["leads"] });
});
afterAll(() => world.stop());

async function listGrants(login: string): Promise<unknown> {
  const { browser } = await signInAs(world, login);
  return asObject((await askAs(browser, world.url, "/session")).body).grants;
}

test("a name that several accounts have gives a role in none of them, and an id in its own account alone", async () => {
  const search = await world.gateway.newAccount("Search");
  const manager = { role: "manager", account: search };
  const viewer = { role: "viewer", account: "default" };
  expect(await listGrants("lea")).toEqual([manager, viewer]);
  // Routes give no such name, but earlier versions did.
  const other = "acct_other";
  const { store } = await openStore(`sqlite:${world.gateway.directory}/poundkey.db`, undefined);
  await unrecorded(store).addAccount(makeAccount(other, { name: "Search" }));
  await unrecorded(store).addAccount(makeAccount("acct_default", { name: "default" }));
  await store.close();
  expect(await listGrants("lea")).toEqual([viewer]);
  const { page } = await signInAs(world, "leo");
  expect([page.status, page.text]).toEqual([403, expect.stringContaining("whose name several have")]);
  const told = world.gateway.events.filter(({ event }) => event === "sign_in_rule_ambiguous");
  expect(told).toEqual([expect.objectContaining({ level: "warn", account: "Search" })]);
  expect(told[0]?.account_ids).toEqual([search, other].toSorted());
});
