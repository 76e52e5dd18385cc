// Batches and money: what stops them, what they may cost, and who pays.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type OpenAI from "openai";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  makeClients,
  type OpenStore,
  readLines,
  startBatches,
  until,
  waitForEnd,
} from "./batch-bench.ts";

const MODEL = "OpenAI#gpt-4.1-mini";

/** Poundkey's own fields of a batch. */
interface OwnFields {
  readonly cost_usd: number;
  readonly charged_usd: number;
  readonly estimated_cost_usd: number | null;
  readonly worst_cost_usd: number | null;
  readonly waiting: { readonly code: string } | null;
}

let bench: BatchBench;

async function ask(openai: OpenAI, id: string): Promise<OpenAI.Batch & OwnFields> {
  return (await openai.batches.retrieve(id)) as OpenAI.Batch & OwnFields;
}

async function openAccount(usd: number, fields: Record<string, unknown> = {}) {
  const { under } = bench;
  const accountId = await under.newAccount();
  if (usd > 0) await under.topUp(accountId, usd);
  const { secret, id } = await under.newKey({ account_id: accountId, ...fields });
  return { accountId, keyId: id, openai: makeClients(under.url, secret).openai };
}

async function readAccount(accountId: string): Promise<{ balance_usd: number; held_usd: number }> {
  const { under } = bench;
  const headers = { authorization: `Bearer ${under.adminToken}` };
  return (await fetch(`${under.url}/admin/v1/accounts/${accountId}`, { headers })).json() as never;
}

const lines = (count: number, more: object = { max_tokens: 50 }) =>
  Array.from({ length: count }, (_, at) => chatLine(`line-${at}`, `say: ${at}`, MODEL, more));

function waitForMoney(): void {
  test("a batch without money waits, and goes on by itself after a top-up", async () => {
    const { accountId, openai } = await openAccount(0);
    const made = await createBatch(openai, lines(4));
    const waiting = await until(
      () => ask(openai, made.id),
      ({ waiting: why }) => why !== null,
    );
    expect(waiting).toMatchObject({ status: "in_progress", waiting: { code: "insufficient_balance" } });
    await bench.under.topUp(accountId, 1);
    const ended = await waitForEnd(openai, made);
    expect(ended).toMatchObject({
      status: "completed",
      request_counts: { total: 4, completed: 4, failed: 0 },
    });
    const { cost_usd, charged_usd, waiting: over, worst_cost_usd = 0 } = await ask(openai, made.id);
    const { balance_usd, held_usd } = await readAccount(accountId);
    expect([over, held_usd]).toEqual([null, 0]);
    expect(charged_usd).toBeCloseTo(1 - balance_usd, 9);
    expect([cost_usd > 0, charged_usd, Number(worst_cost_usd) >= cost_usd]).toEqual([true, cost_usd, true]);
    expect(bench.under.events.filter(({ event }) => event === "batches_failed")).toEqual([]);
  });
}

function keepCeiling(): void {
  test("a ceiling ends the lines that don't fit, and nothing passes it", async () => {
    const { openai } = await openAccount(10);
    const costs = await waitForEnd(openai, await createBatch(openai, lines(1)));
    const { cost_usd: each } = await ask(openai, costs.id);
    const { worst_cost_usd: worst } = await ask(openai, costs.id);
    const ceiling = Number(worst) + each * 2.5;
    const headers = { "x-poundkey-max-cost": String(ceiling) };
    const ended = await waitForEnd(openai, await createBatch(openai, lines(12), { headers }));
    expect(ended.status).toBe("completed");
    const own = await ask(openai, ended.id);
    expect(own.cost_usd).toBeLessThanOrEqual(ceiling);
    const unpaid = await readLines(openai, ended.error_file_id);
    expect(unpaid.length).toBeGreaterThan(0);
    expect(new Set(unpaid.map(({ error }) => error?.code))).toEqual(new Set(["max_cost_reached"]));
    expect((await readLines(openai, ended.output_file_id)).length).toBe(12 - unpaid.length);
  });
}

/** Starts a long batch in an account of its own, and returns once a line of it has ended. */
async function startLong() {
  const { under } = bench;
  const account = await openAccount(10, { parallel: 4 });
  const { id } = await createBatch(account.openai, lines(300));
  await until(
    () => ask(account.openai, id),
    ({ request_counts }) => (request_counts?.completed ?? 0) > 0,
  );
  const headers = { authorization: `Bearer ${under.adminToken}`, "content-type": "application/json" };
  const admin = async (path: string, init: RequestInit = {}) =>
    asObject(await (await fetch(`${under.url}/admin/v1${path}`, { ...init, headers })).json());
  const waitForCancel = () =>
    until(
      async () => asObject(asArray((await admin(`/batches?account=${account.accountId}`)).data)[0]),
      ({ status }) => status === "cancelled",
    );
  return { ...account, id, admin, waitForCancel };
}

function followKey(): void {
  test("a revoked key cancels its batches", async () => {
    const { keyId, accountId, id, admin, waitForCancel } = await startLong();
    await admin(`/keys/${keyId}`, { method: "DELETE" });
    expect(await waitForCancel()).toMatchObject({ id, waiting: { code: "invalid_api_key" } });
    expect((await readAccount(accountId)).held_usd).toBe(0);
  });
}

function followAccount(): void {
  test("a closed account's batches are cancelled, and say so", async () => {
    const { accountId, id, admin, waitForCancel } = await startLong();
    const body = JSON.stringify({ pay_out: true, reason: "the team is gone" });
    await admin(`/accounts/${accountId}/close`, { method: "POST", body });
    expect(await waitForCancel()).toMatchObject({ id, waiting: { code: "account_closed" } });
    await until(
      () => readAccount(accountId),
      ({ held_usd }) => held_usd === 0,
    );
  });
}

function stayInAccount(): void {
  test("a key that is moved cancels its batches, and no line runs in its new account", async () => {
    const { under } = bench;
    const { keyId, accountId, id, admin, waitForCancel } = await startLong();
    const to = await under.newAccount();
    await under.topUp(to, 10);
    const body = JSON.stringify({ account_id: to });
    expect((await admin(`/keys/${keyId}`, { method: "PATCH", body })).account_id).toBe(to);
    expect(await waitForCancel()).toMatchObject({ id, waiting: { code: "key_moved" } });
    expect((await admin(`/requests?batch=${id}&account=${to}`)).data).toEqual([]);
    expect([await readAccount(accountId), await readAccount(to)]).toMatchObject([
      { held_usd: 0 },
      { held_usd: 0, balance_usd: 10 },
    ]);
  });
}

/** `open` returns the store. */
export function testMoney(open: OpenStore): void {
  beforeAll(async () => {
    bench = await startBatches({
      ...(await open()),
      more: "billing: { charge: always }",
    });
  });
  afterAll(() => bench.under.stop());
  for (const add of [waitForMoney, keepCeiling, followKey, followAccount, stayInAccount]) add();
}
