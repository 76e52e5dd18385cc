// The day's allowance of an account, by every kind of secret, on two gateways.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import type { Started } from "../../harness/harness.ts";
import { signInAgent } from "./agent.ts";
import type { Browser } from "./browser.ts";
import { askAs, type SignInWorld, signInAs, startSecond, startSignInWorld } from "./world.ts";

const RULES = `rules: [
  { group: leads, role: manager, accounts: [default] }, { group: search, role: member, accounts: [default] } ]`;

let world: SignInWorld;
let second: Started;
beforeAll(async () => {
  world = await startSignInWorld({ oidc: RULES, more: "quota: { requests_per_day: 4 }" });
  second = await startSecond(world);
});
afterAll(async () => {
  await second.stop();
  await world.stop();
});

async function signIn(name: string, group: string): Promise<Browser> {
  world.provider.people.set(name, { name, groups: [group] });
  return (await signInAs(world, name)).browser;
}

/** Makes a key on the keys page. */
async function makeKey(browser: Browser, fields: object): Promise<{ id: string; secret: string }> {
  const init = { method: "POST", body: JSON.stringify({ name: "k", ...fields }) };
  const { status, body } = await askAs(browser, world.url, "/keys", init);
  const { id, secret } = asObject(body);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: String(id), secret: String(secret) };
}

/** Sends a request. Returns its status and the places that are left by its headers. */
async function ask(secret: string, { url }: Pick<Started, "url"> = world.gateway): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "Local#m", messages: [{ role: "user", content: "say: hi" }] }),
  });
  await response.text();
  return `${response.status} ${response.headers.get("x-ratelimit-remaining-requests")}`;
}

async function countUsed(secret: string): Promise<unknown> {
  const response = await fetch(`${second.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  return asObject(asObject(await response.json()).allowance).used;
}

test("is one for the personal keys and agents of its people, and each service key has its own", async () => {
  const ann = await signIn("ann", "search");
  const bob = await signIn("bob", "search");
  const first = await makeKey(ann, {});
  expect(await ask(first.secret)).toBe("200 3");
  await askAs(ann, world.url, `/keys/${first.id}`, { method: "DELETE" });
  const agent = String((await signInAgent(ann, world.url)).access_token);
  expect(await countUsed(agent)).toBe(1);
  expect(await ask(agent, second)).toBe("200 2");
  const { secret } = await makeKey(ann, {});
  expect(await ask(secret, second)).toBe("200 1");
  const bobs = await makeKey(bob, {});
  expect(await ask(bobs.secret)).toBe("200 0");
  const leads = await signIn("lea", "leads");
  const lead = await makeKey(leads, { kind: "personal" });
  for (const shared of [agent, secret, bobs.secret, lead.secret]) {
    expect(await countUsed(shared)).toBe(4);
    expect(await ask(shared)).toBe("429 0");
    expect(await ask(shared, second)).toBe("429 0");
  }
  const init = { method: "POST", body: JSON.stringify({ grace: "1h" }) };
  const { body: rotated } = await askAs(bob, world.url, `/keys/${bobs.id}/rotate`, init);
  expect(await ask(String(asObject(rotated).secret))).toBe("429 0");
  // A manager's key for the account and an operator's belong to no person.
  for (const service of [await makeKey(leads, {}), await world.gateway.newKey()]) {
    expect(await countUsed(service.secret)).toBe(0);
    expect(await ask(service.secret, second)).toBe("200 3");
    expect(await ask(service.secret)).toBe("200 2");
  }
});
