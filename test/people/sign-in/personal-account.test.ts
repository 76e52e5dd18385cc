// Accounts of people's own (`members.create_account`), with a real OpenID Connect provider.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  const rules = `rules: [{ group: staff, role: member, budgets: [{ usd: 5, per: month }] },
    { group: search, role: member, accounts: [default] }]`;
  world = await startSignInWorld({ oidc: `${rules}, members: { create_account: true }` });
});
afterAll(() => world.stop());

test("a person without an account gets one, once, and makes keys in no other", async () => {
  const { people } = world.provider;
  for (const name of ["ada", "bob"]) people.set(name, { name, groups: ["staff"] });
  people.set("cat", { name: "cat", groups: ["staff", "search"] });
  const own = async (login: string) => {
    const { browser } = await signInAs(world, login);
    const { body } = await askAs(browser, world.url, "/session");
    const [account, ...others] = asArray(asObject(body).accounts);
    expect(others).toEqual([]);
    return { browser, account: String(account) };
  };
  const ada = await own("ada");
  const bob = await own("bob");
  const cat = await own("cat");
  expect(cat.account).toBe("default");
  expect(new Set([ada.account, bob.account, "default"]).size).toBe(3);
  expect((await own("ada")).account).toBe(ada.account);
  const make = (browser: typeof ada.browser, account_id: string) =>
    askAs(browser, world.url, "/keys", {
      method: "POST",
      body: JSON.stringify({ name: "mine", account_id }),
    });
  expect((await make(ada.browser, ada.account)).status).toBe(201);
  expect((await make(ada.browser, bob.account)).status).toBe(400);
  expect((await make(ada.browser, "default")).status).toBe(400);
  const operator = createOperator(world.gateway);
  const { body } = await operator.get(`/accounts/${ada.account}`);
  expect(body).toMatchObject({ balance_usd: 0, state: "open" });
  expect(body.name).toMatch(/^Personal \w{8}$/);
  const made = await until("it is on record", async () => {
    const rows = asArray((await operator.get("/audit?action=account.created")).body.data).map(asObject);
    return rows.length === 2 ? rows : null;
  });
  expect(made.map(({ actor }) => asObject(actor).name).toSorted()).toEqual(["ada", "bob"]);
  const [person] = asArray((await operator.get("/members")).body.data)
    .map(asObject)
    .filter(({ name }) => name === "ada");
  const limits = (await operator.get(`/members/${person?.id}`)).body.limits;
  expect(limits).toMatchObject([{ account_id: ada.account, limits: [{ kind: "budget", limit: 5 }] }]);
});
