// `poundkey batches show`: the same as the page of a batch in the console.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import type { Batch, BatchDetail } from "../../src/core/batches/batch.ts";
import { NO_COUNTS } from "../../src/core/batches/batch.ts";
import { makeBatch } from "../harness/batches.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { HOUR, NOON } from "../harness/samples.ts";

let under: UnderTest;

/** No line of them runs: they stay as they are. */
beforeAll(async () => {
  under = await startUnderTest({ more: "batches: { parallel: 0 }" });
  process.env.POUNDKEY_TOKEN = under.adminToken;
});
afterAll(async () => {
  delete process.env.POUNDKEY_TOKEN;
  await under.stop();
});

async function show(id: string, fields: Partial<Batch>, detail: Partial<BatchDetail>): Promise<string> {
  const { store } = await openStore(`sqlite:${join(under.directory, "poundkey.db")}`, undefined);
  await store.batches.add(makeBatch(id, fields, detail), 100);
  await store.close();
  const { out } = await runPrinting((io) =>
    runCommandLine(["batches", "show", id, "--gateway", under.url], io),
  );
  return out;
}

test("a cancelled batch says how its lines ended, what it cost against its ceiling, and its metadata", async () => {
  const out = await show(
    "batch_cancelled",
    { status: "cancelled", endedAtMs: NOON + HOUR },
    {
      counts: { ...NO_COUNTS, total: 800, completed: 200, cancelled: 597, failed: 3 },
      metadata: { team: "search" },
      estimatedNanoUsd: 2e9,
      worstNanoUsd: 9e9,
      maxCostNanoUsd: 5e9,
    },
  );
  expect(out).toStartWith("batch_cancelled: cancelled\n");
  expect(out).toMatch(/^lines +800: 200 answered, 3 failed, 597 cancelled$/m);
  expect(out).toMatch(/^expected +2 USD$/m);
  expect(out).toMatch(/^at worst +9 USD$/m);
  expect(out).toMatch(/^ceiling +5 USD$/m);
  expect(out).toMatch(/^metadata +team: search$/m);
  expect(out).toMatch(/^ended +2026-11-20T13:00:00/m);
});

test("a batch that waits names the code, the models, and until when", async () => {
  const waiting = {
    code: "no_provider_available",
    message: "The models of the lines that are left rest.",
    models: ["Local#slow", "Local#dead"],
    untilMs: NOON + 6 * HOUR,
    resetsAtMs: null,
    sinceMs: NOON,
  };
  const counts = { ...NO_COUNTS, total: 10, completed: 4 };
  const out = await show("batch_waiting", {}, { waiting, counts });
  expect(out).toMatch(/^waits for +no_provider_available: The models of the lines that are left rest\.$/m);
  expect(out).toMatch(/^models +Local#slow, Local#dead$/m);
  expect(out).toMatch(/^waits until +2026-11-20T18:00:00/m);
  expect(out).toMatch(/^lines +10: 4 answered, 6 left$/m);
});

test("a completed batch of which no line was answered says so, in the list too", async () => {
  const detail = { counts: { ...NO_COUNTS, total: 3, failed: 3 } };
  const out = await show("batch_unanswered", { status: "completed", endedAtMs: NOON }, detail);
  expect(out).toStartWith("batch_unanswered: completed, none answered\n");
  const list = await runPrinting((io) =>
    runCommandLine(["batches", "list", "--gateway", under.url], { ...io, isColored: true }),
  );
  expect(list.out).toMatch(/batch_unanswered +\S*31mcompleted, none answered/);
});

test("a failed batch lists its mistakes by line, and says that only the first 100 are kept", async () => {
  const errors = Array.from({ length: 100 }, (_, at) => ({
    code: "duplicate_custom_id",
    message: `The custom_id 'a\u001b[2J${at}' is there twice.`,
    param: "custom_id",
    line: at + 1,
  }));
  const out = await show("batch_failed", { status: "failed", endedAtMs: NOON }, { errors });
  expect(out).toMatch(/^LINE +CODE +MISTAKE$/m);
  expect(out).toMatch(/^ *100 +duplicate_custom_id +The custom_id /m);
  expect(out).toEndWith("Only the first 100 mistakes are kept.");
  expect(out).not.toContain("\u001b");
});
