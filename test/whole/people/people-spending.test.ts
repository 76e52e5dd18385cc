// The cost of people in the accounts that somebody sees and in no others, with the month before and the fullest budget.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { Grant, Role } from "../../../src/core/people/people.ts";
import { makeRecord, writeRecord } from "../../harness/samples.ts";
import { PEOPLE } from "../../people/samples.ts";
import { type Ask, signInAs } from "../../people/signed-in.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
let alpha = "";
let beta = "";
let ann: Ask;
let ben: Ask;

beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
  alpha = await world.newAccount("Alpha");
  beta = await world.newAccount("Beta");
  await admin.patch(`/accounts/${alpha}`, { member_defaults: { budgets: [{ usd: 5000, per: "month" }] } });
  await admin.patch(`/accounts/${beta}`, { member_defaults: { budgets: [{ usd: 10, per: "month" }] } });
  ann = await signIn("mem_ann", [grant("member", alpha), grant("member", beta)]);
  ben = await signIn("mem_ben", [grant("member", alpha)]);
  await use(ann, alpha, 1);
  const annsKey = await use(ann, beta, 3);
  await use(ben, alpha, 2);
  await admin.post("/keys", { name: "service", account_id: alpha });
  const now = new Date();
  const before = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15, 12);
  const about = { keyId: annsKey, accountId: beta, memberId: "mem_ann", atMs: before };
  await writeRecord(opened.store, makeRecord("before", { ...about, chargedNanoUsd: 7_000_000_000 }));
  await until("all requests are in the sums", async () => {
    const rows = await read(admin.get, "/spending/people");
    return rows.reduce((sum, { requests }) => sum + Number(requests), 0) === 6;
  });
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const grant = (role: Role, accountId: string | null): Grant => ({ role, accountId });

function signIn(id: string, grants: readonly Grant[]): Promise<Ask> {
  return signInAs({ url: world.url, opened }, id, grants);
}

/** Asks that often with a new personal key of the account. Returns the key's id. */
async function use(person: Ask, account_id: string, times: number): Promise<string> {
  const { body } = await person("POST", "/keys", { name: "mine", account_id });
  for (let at = 0; at < times; at++) {
    const answer = await world.chat(asking("Acme#cheap", "hi"), { secret: String(body.secret) });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  return String(body.id);
}

type Get = (path: string) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

async function read(get: Get, path: string): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await get(path);
  expect(status).toBe(200);
  return asArray(body.data).map(asObject);
}

const getAs =
  (person: Ask): Get =>
  (path) =>
    person("GET", path);

const told = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ member_id, requests, last_month_usd }) => [member_id, requests, last_month_usd]);

test("whoever sees all accounts sees whole people, the dearest first, each with the budget nearest to its end", async () => {
  const rows = await read(admin.get, "/spending/people");
  expect(told(rows)).toEqual([
    ["mem_ann", 4, 7],
    ["mem_ben", 2, 0],
  ]);
  const [first, second] = rows;
  expect(Number(first?.cost_usd)).toBeCloseTo(2 * Number(second?.cost_usd), 9);
  expect(first?.budget).toMatchObject({ account_id: beta, scope: "member", per: "month", limit: 10 });
  expect(second?.budget).toMatchObject({ account_id: alpha, limit: 5000 });
});

test("the lead of one account sees nothing of what somebody costs at another", async () => {
  const lead = await signIn("mem_lead", [grant("manager", alpha)]);
  const rows = await read(getAs(lead), "/spending/people");
  expect(told(rows)).toEqual([
    ["mem_ben", 2, 0],
    ["mem_ann", 1, 0],
  ]);
  expect(rows.map(({ budget }) => asObject(budget).account_id)).toEqual([alpha, alpha]);
  expect(await read(getAs(lead), `/spending/people?account_id=${beta}`)).toEqual([]);
  expect(told(await read(getAs(lead), "/spending/people?member=mem_ann"))).toEqual([["mem_ann", 1, 0]]);
  const { body } = await lead("GET", "/overview?member=mem_ann");
  expect(body.totals).toMatchObject({ requests: 1 });
  const members = await read(getAs(lead), "/usage?group_by=member");
  expect(members.map(({ member_id, requests }) => [member_id, requests])).toEqual([
    ["mem_ben", 2],
    ["mem_ann", 1],
  ]);
});

test("a member sees the own cost alone, and a lead elsewhere adds the own to the account's", async () => {
  expect(told(await read(getAs(ben), "/spending/people"))).toEqual([["mem_ben", 2, 0]]);
  expect(await read(getAs(ben), "/spending/people?member=mem_ann")).toEqual([]);
  const { body } = await ben("GET", "/overview?member=mem_ann");
  expect(body.totals).toMatchObject({ requests: 0 });
  const mixed = await signIn("mem_ann", [grant("member", alpha), grant("manager", beta)]);
  expect(told(await read(getAs(mixed), "/spending/people"))).toEqual([["mem_ann", 4, 7]]);
});

test("an overview and a list of accounts have the person's and the accounts' months", async () => {
  // The month before may lie within the usual days.
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { body } = await admin.get(`/overview?member=mem_ann&from=${from}`);
  expect(body.totals).toMatchObject({ requests: 4 });
  const accounts = await read(admin.get, "/spending");
  const months = accounts.map(({ account_id, last_month_usd }) => [account_id, last_month_usd]);
  expect(months).toContainEqual([beta, 7]);
  expect(months).toContainEqual([alpha, 0]);
});
