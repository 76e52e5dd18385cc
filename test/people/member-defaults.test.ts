// The limits of a person over all personal keys, from the file: `member_defaults`, and else the most of one key.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const LIMITS = `key_defaults: { budgets: [{ usd: 1, per: month }, { usd: 0, per: day, models: ["Acme#dear"] }] }
member_defaults: { requests_per_minute: 3, keys: 4, budgets: [{ usd: 2, per: month }] }`;

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let team: string;
let other: string;
beforeAll(async () => {
  world = await startHttpWorld({ ...PEOPLE, more: `${PEOPLE.more}\n${LIMITS}` });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  team = await world.newAccount("Team");
  other = await world.newAccount("Other");
  const own = { requests_per_minute: 5, keys: 6, budgets: [{ usd: 7, per: "month" }] };
  await admin.patch(`/accounts/${other}`, { member_defaults: own });
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const signIn = (id: string, accountId: string): Promise<Ask> =>
  signInAs({ url: world.url, opened }, id, [{ role: "member", accountId }]);
const told = ({ status, error }: Seen) => (error ? `${status} ${error.code}` : `${status}`);

async function listOwn(secret: unknown): Promise<unknown> {
  const shown = await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  const { body } = await seen(shown);
  const limits = body.limits as { scope: string; kind: string; limit: number; models?: string[] }[];
  return limits
    .filter(({ scope }) => scope === "member")
    .map(({ kind, limit, models = [] }) => [kind, limit, ...models].join(" "));
}

async function makeKey(ask: Ask): Promise<Seen> {
  return ask("POST", "/keys", { name: "mine" });
}

test("are shown to the person, the account's own in place of the file's", async () => {
  const ann = await makeKey(await signIn("mem_ann", team));
  expect(await listOwn(ann.body.secret)).toEqual(["requests_per_minute 3", "budget 2", "budget 0 Acme#dear"]);
  const bob = await makeKey(await signIn("mem_bob", other));
  expect(await listOwn(bob.body.secret)).toEqual(["requests_per_minute 5", "budget 7", "budget 0 Acme#dear"]);
});

test("bind over all keys, those that are made again included", async () => {
  const cat = await signIn("mem_cat", team);
  for (let at = 0; at < 3; at++) {
    const { body } = await makeKey(cat);
    expect((await world.chat(asking("Acme#cheap", "hi"), { secret: String(body.secret) })).status).toBe(200);
    expect((await cat("DELETE", `/keys/${body.id}`)).status).toBe(200);
  }
  const { body } = await makeKey(cat);
  const refused = await seen(await world.chat(asking("Acme#cheap", "hi"), { secret: String(body.secret) }));
  expect(told(refused)).toBe("429 requests_per_minute_exceeded");
});

test("bound the living keys in each account", async () => {
  const dan = await signIn("mem_dan", team);
  for (let at = 0; at < 4; at++) expect(told(await makeKey(dan))).toBe("201");
  const refused = await makeKey(dan);
  expect(told(refused)).toBe("400 invalid_value");
  expect(refused.error?.message).toContain("at most 4 personal keys");
  const eve = await signIn("mem_eve", other);
  for (let at = 0; at < 6; at++) expect(told(await makeKey(eve))).toBe("201");
});

test("a budget of the file's keys bounds their person, whatever an admin gives one key", async () => {
  const fay = await makeKey(await signIn("mem_fay", team));
  expect((await admin.patch(`/keys/${fay.body.id}`, { budgets: [] })).status).toBe(200);
  const secret = String(fay.body.secret);
  const refused = await seen(await world.chat(asking("Acme#dear", "hi"), { secret }));
  expect(told(refused)).toBe("429 budget_exceeded");
  expect(refused.error?.limit).toMatchObject({ scope: "member", kind: "budget", limit: 0 });
});
