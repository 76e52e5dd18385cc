// `poundkey ledger rerate`: a month's charges at the prices that are known by now, shown first, and adjusted once.
import { beforeEach, expect, test } from "bun:test";
import { runAccounts } from "../../src/cli/money/accounts.ts";
import { runLedger } from "../../src/cli/money/ledger.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import type { Trace } from "../../src/core/log/trace.ts";
import { listBillLines, sumBill } from "../../src/core/money/price.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { adminBench, type TestWorld } from "../admin/admin-world.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { give, HOUR, makeRecord, NOON, writeRecord } from "../harness/samples.ts";
import { readSettings } from "../harness/settings.ts";

const MODEL = "OpenAI#gpt-5.4";
const AMOUNTS = { ...NO_AMOUNTS, prompt: 100_000, completion: 10_000 };
const OLD = { input: 2, output: 10 };
const MARKUP = 1.5;
const ATTEMPT = {
  model: MODEL,
  last4: null,
  startMs: 0,
  firstTokenMs: null,
  endMs: 9,
  outcome: "answered",
  faultCode: null,
  upstreamStatus: 200,
} as const;

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

/** A request that was charged at the old price, with a markup. */
async function charge(
  id: string,
  trace: Partial<Trace> = {},
  fields: Partial<RequestRecord> = {},
): Promise<void> {
  const bill = listBillLines(OLD, AMOUNTS);
  const kept: Trace = {
    admittedMs: 0,
    attempts: [ATTEMPT],
    bill,
    markup: MARKUP,
    counted: 0,
    usageImplausible: null,
    message: null,
    ...trace,
  };
  const cost = sumBill(kept.bill, MARKUP);
  const record = {
    modelUsed: MODEL,
    amounts: AMOUNTS,
    costNanoUsd: cost,
    chargedNanoUsd: cost,
    atMs: NOON - HOUR,
    trace: JSON.stringify(kept),
    ...fields,
  };
  await writeRecord(world.store, makeRecord(id, record));
}

async function run(config: string, ...args: string[]) {
  const settings = readSettings(`providers: { OpenAI: { keys: [k] } }\n${config}`);
  return runPrinting((io) => runLedger(["rerate", ...args], io, bench().open, settings));
}

const priced = (input: number, output: number) =>
  `models: { "${MODEL}": { price: { input: ${input}, output: ${output} } } }`;
const MONTH = ["--month", "2026-11"];

async function readBalance(): Promise<number> {
  const shown = await runPrinting((io) =>
    runAccounts(["show", "default", "--json"], io, bench().open, readSettings("")),
  );
  return JSON.parse(shown.out).balance_usd;
}

test("shows the difference, and changes nothing without --apply", async () => {
  await charge("one");
  await charge("two");
  await charge("free", {}, { chargedNanoUsd: 0 });
  const { code, out } = await run(priced(3, 15), ...MONTH);
  expect([code, out.split("\n")]).toEqual([
    0,
    [
      "default (default): 2 charged requests; to be adjusted by -0.45 USD",
      `  ${MODEL}: 0.9 → 1.35 USD (2 requests)`,
      "Nothing was changed: --apply makes the adjustments.",
    ],
  ]);
  expect(await readBalance()).toBe(0);
});

test("adjusts once, and later only by what has changed since", async () => {
  await charge("one");
  await give(world.store, "default", 5_000_000_000);
  expect((await run(priced(3, 15), ...MONTH, "--apply")).out).toContain("adjusted by -0.225 USD");
  expect(await readBalance()).toBeCloseTo(4.775, 9);
  expect((await run(priced(3, 15), ...MONTH, "--apply")).out).toContain(
    "nothing to adjust after -0.225 USD earlier",
  );
  expect(await readBalance()).toBeCloseTo(4.775, 9);
  await charge("two");
  expect((await run(priced(1, 5), ...MONTH, "--apply")).out).toContain(
    "adjusted by 0.675 USD after -0.225 USD earlier",
  );
  expect(await readBalance()).toBeCloseTo(5.45, 9);
});

test("leaves out what it can't tell again, and says how many", async () => {
  await charge("usual");
  await charge("reported", { bill: [{ what: "reported cost", count: 1, usdPerMillion: 300_000 }] });
  await charge("priority", { served: ["service_tier=priority"] });
  await charge("implausible", { usageImplausible: { promptTokens: 1, completionTokens: 1 } });
  await charge("unknown", {}, { modelUsed: "OpenAI#gone" });
  const { out } = await run(priced(3, 15), ...MONTH, "--json");
  expect(JSON.parse(out).accounts).toMatchObject([{ requests: 5, left_out: 4, adjust_usd: -0.225 }]);
});

test("prices each request at its own time, and finds nothing where prices are as they were", async () => {
  await charge("early", {}, { atMs: NOON - 48 * HOUR });
  await charge("late");
  const later = `models: { "${MODEL}": { price: { input: 2, output: 10 }, later_prices: [{ from: 2026-11-20, input: 4, output: 20 }] } }`;
  expect((await run(later, ...MONTH)).out).toContain("0.45 → 0.9 USD (1 request)");
  expect((await run(priced(2, 10), ...MONTH)).out).toContain("2 charged requests; nothing to adjust");
});

test("a closed month isn't re-rated, and one that hasn't begun is refused", async () => {
  const closed = await run(priced(3, 15), "--month", "2026-10", "--apply");
  expect([closed.code, closed.out]).toEqual([
    0,
    "default (default): the statement of 2026-10 is closed, so nothing is re-rated",
  ]);
  expect(await run("", "--month", "2026-12")).toMatchObject({ code: 2 });
  expect(await run("")).toMatchObject({ code: 2, err: expect.stringContaining("--month") });
});
