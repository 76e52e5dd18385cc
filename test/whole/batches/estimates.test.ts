// The expected cost of batches beside their cost: before the account has answers like theirs, and after.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type OpenAI from "openai";
import type { Batch } from "openai/resources/batches";
import { type BatchBench, createBatch, makeClients, startBatches, waitForEnd } from "./batch-bench.ts";
import { configureKinds, KINDS, type Kind } from "./estimate-kinds.ts";

/** From so many answers on, an account's own lengths count. */
const ANSWERS = 20;
const LINES = 4;

interface Costs {
  readonly estimated: number;
  readonly worst: number;
  readonly cost: number;
}

let bench: BatchBench;

beforeAll(async () => {
  bench = await startBatches({
    more: (simulator) => `${configureKinds(simulator)}\nbilling: { charge: always }`,
  });
});
afterAll(() => bench.under.stop());

async function openAccount(): Promise<OpenAI> {
  const { under } = bench;
  const accountId = await under.newAccount();
  await under.topUp(accountId, 1000);
  const { secret } = await under.newKey({ account_id: accountId });
  return makeClients(under.url, secret).openai;
}

async function runBatch(openai: OpenAI, { endpoint, body }: Kind, count: number): Promise<Costs> {
  const lines = Array.from({ length: count }, (_, at) => ({
    custom_id: `line-${at}`,
    method: "POST",
    url: endpoint,
    body: body(at),
  }));
  const ended = await waitForEnd(openai, await createBatch(openai, lines, { endpoint: endpoint as never }));
  expect(ended).toMatchObject({ status: "completed", request_counts: { completed: count, failed: 0 } });
  return readCosts(ended);
}

function readCosts(batch: Batch): Costs {
  const own = batch as unknown as Record<string, number>;
  const { estimated_cost_usd: estimated = 0, worst_cost_usd: worst = 0, cost_usd: cost = 0 } = own;
  return { estimated, worst, cost };
}

/** Returns how many times the estimate is off, whichever way. */
function findFactor({ estimated, cost }: Costs): number {
  return Math.max(estimated / cost, cost / estimated);
}

function printTable(title: string, rows: readonly (Costs & { readonly name: string })[]): void {
  const money = (usd: number) => usd.toFixed(7);
  const lines = rows.map(
    (row) =>
      `${row.name} | ${money(row.estimated)} | ${money(row.worst)} | ${money(row.cost)} | ${findFactor(row).toFixed(2)}`,
  );
  console.log([`${title}: kind | expected | worst | cost | times`, ...lines].join("\n"));
}

const countWithin = (rows: readonly Costs[], factor: number) =>
  rows.filter((row) => findFactor(row) <= factor).length;

/** 18 of 20. */
const ENOUGH = Math.ceil((KINDS.length * 18) / 20);

interface FirstRun {
  readonly kind: Kind;
  readonly openai: OpenAI;
  readonly costs: Costs;
}

let firstRuns: Promise<readonly FirstRun[]> | null = null;

/** Runs a batch of each kind in an account of its own that has no answers yet. */
function runFirst(): Promise<readonly FirstRun[]> {
  const runs = async () =>
    Promise.all(
      KINDS.map(async (kind) => {
        const openai = await openAccount();
        return { kind, openai, costs: await runBatch(openai, kind, ANSWERS) };
      }),
    );
  firstRuns ??= runs();
  return firstRuns;
}

test("of an account without answers, 18 of 20 kinds cost what is expected within 4 times", async () => {
  const rows = (await runFirst()).map(({ kind, costs }) => ({ name: kind.name, ...costs }));
  printTable("no answers yet", rows);
  for (const { estimated, worst } of rows) expect(estimated).toBeLessThanOrEqual(worst);
  expect(countWithin(rows, 4)).toBeGreaterThanOrEqual(ENOUGH);
});

test("of an account with 20 answers, 18 of 20 kinds cost what is expected within twice", async () => {
  const runs = (await runFirst()).map(async ({ kind, openai }) => {
    const costs = await runBatch(openai, kind, LINES);
    return { name: kind.name, ...costs };
  });
  const rows = await Promise.all(runs);
  printTable("after 20 answers", rows);
  for (const { estimated, worst } of rows) expect(estimated).toBeLessThanOrEqual(worst);
  expect(countWithin(rows, 2)).toBeGreaterThanOrEqual(ENOUGH);
});
