// The expected cost of batches beside their cost: before the account has answers like theirs, and after.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type OpenAI from "openai";
import type { Batch } from "openai/resources/batches";
import { type BatchBench, createBatch, makeClients, startBatches, waitForEnd } from "./batch-bench.ts";
import { configureKinds, KINDS, type Kind } from "./estimate-kinds.ts";

/** From so many answers on, an account's own lengths count. */
const ANSWERS = 20;
const LINES = 8;

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

const within = (rows: readonly Costs[], factor: number) =>
  rows.filter((row) => findFactor(row) <= factor).length;

test("18 of 20 kinds of batches cost what is expected: within 4 times at first, within twice after 20 answers", async () => {
  const runs = KINDS.map(async (kind) => {
    const openai = await openAccount();
    const first = await runBatch(openai, kind, LINES);
    await runBatch(openai, kind, ANSWERS);
    const later = await runBatch(openai, kind, LINES);
    return { first: { name: kind.name, ...first }, later: { name: kind.name, ...later } };
  });
  const kinds = await Promise.all(runs);
  const first = kinds.map((kind) => kind.first);
  const later = kinds.map((kind) => kind.later);
  printTable("no answers yet", first);
  printTable("after 20 answers", later);
  for (const { estimated, worst } of [...first, ...later]) expect(estimated).toBeLessThanOrEqual(worst);
  const share = 18 / 20;
  expect(within(first, 4)).toBeGreaterThanOrEqual(Math.ceil(KINDS.length * share));
  expect(within(later, 2)).toBeGreaterThanOrEqual(Math.ceil(KINDS.length * share));
});
