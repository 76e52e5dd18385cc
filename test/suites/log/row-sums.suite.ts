// Sums over the log's rows: of whatever a filter finds, exactly those that the same filter lists.
import { expect, test } from "bun:test";
import { formatFindings, readFindings } from "../../../src/core/log/finding.ts";
import type { RequestFilter, RowDimension, RowSum } from "../../../src/core/log/log-query.ts";
import { findCountedModel, findOutcome } from "../../../src/core/log/outcome.ts";
import { isError, type RequestRecord } from "../../../src/core/log/record.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Store } from "../../../src/core/store.ts";
import { BUCKET_ENDS, findBucket } from "../../../src/core/world/histogram.ts";
import { DAY, HOUR, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { Dice } from "../../sim/dice.ts";

const ROWS = 120;
const SPAN = { fromMs: NOON - 3 * HOUR, toMs: NOON + 3 * HOUR };

const EMAIL = { detector: "email", action: "report", at: "request", count: 2, rule: "people" } as const;
const KEY = { ...EMAIL, detector: "openai_key", at: "answer", count: 1, rule: "secrets" } as const;
const MASKED = formatFindings([{ ...EMAIL, detector: "words:email", action: "mask" }]);
const BOTH = formatFindings([EMAIL, KEY]);
const ALONE = formatFindings([KEY]);

/** Requests of every kind within eight hours, some of them outside the span. */
function makeRows(seed: number): readonly RequestRecord[] {
  const dice = new Dice(seed);
  return Array.from({ length: ROWS }, (_, at) => {
    const status = dice.pick([200, 200, 200, 404, 429, 499, 502]);
    const modelUsed = status === 200 ? dice.pick(["Sim#echo", "Sim#other", "Acme#x"]) : null;
    return makeRecord(`r${at}`, {
      ...dice.pick([
        { keyId: "key_a", memberId: null },
        { keyId: "key_b", memberId: "mem_b" },
        { keyId: "key_c", accountId: "acct", memberId: null },
      ]),
      atMs: NOON + dice.int(-4 * HOUR, 4 * HOUR),
      status,
      modelUsed,
      modelTried: dice.pick([null, "Sim#echo", "Acme#y"]),
      modelPlanned: dice.pick([null, "Sim#echo"]),
      modelAsked: dice.pick(["Sim#echo", "Router#fair", "house"]),
      attempts: dice.int(0, 2),
      faultCode: status === 200 ? null : dice.pick(["upstream_error", "model_not_found"]),
      selector: dice.pick([null, "Router#fair", "Router#best"]),
      usageSource: dice.pick(["none", "provider"]),
      stream: dice.chance(0.7),
      firstTokenMs: dice.pick([null, 0, 1, 2, dice.int(3, 20_000), dice.int(0, 2 * DAY)]),
      session: dice.pick([null, "s1", "s2"]),
      traceId: dice.pick([null, "t1"]),
      parentTraceId: dice.pick([null, "t1", "t2"]),
      guard: dice.pick([null, MASKED, BOTH, ALONE]),
      tags: dice.pick([null, "env=prod", "env=prod,team=search"]),
      address: dice.pick([null, "192.0.2.1"]),
      cachedFrom: dice.pick([null, null, "r0"]),
      savedNanoUsd: dice.int(0, 9),
      costNanoUsd: dice.int(0, 1000),
      markupNanoUsd: (at % 19) - 9,
      amounts: { ...NO_AMOUNTS, prompt: dice.int(0, 50), images: dice.int(0, 2) },
    });
  });
}

const FILTERS: Readonly<Record<string, RequestFilter>> = {
  "a selector": { selector: "Router#fair" },
  "a status": { status: 502 },
  errors: { status: "error" },
  "what was well": { status: "ok" },
  "a session": { session: "s1" },
  "a trace": { traceId: "t1" },
  "an address": { address: "192.0.2.1" },
  "an id": { text: "r7" },
  "a part of a name": { text: "ACM" },
  "an end": { ended: "done" },
  "a model, as asked for, tried or used": { model: "Sim#echo" },
  "a provider": { provider: "Acme" },
  "a member": { memberId: "mem_b" },
  "an account and an outcome": { accountId: "acct", outcome: "failed" },
  "a tag": { tag: "team=search" },
  "a finding": { finding: "email" },
  "a finding beside others": { finding: "openai_key", accountId: "default" },
  "a finding of the operator's words": { finding: "words:email", provider: "Sim" },
  "no tags": { tag: "untagged", surface: "openai-chat", operation: "chat" },
  "one account in view": { scope: { accountIds: ["acct"], personal: null } },
  "one's own keys in view": {
    scope: { accountIds: [], personal: { memberId: "mem_b", accountIds: ["default"] } },
  },
  nothing: { selector: "Router#light" },
};

const GROUPS: readonly (readonly RowDimension[])[] = [
  [],
  ["selector"],
  ["model", "selector"],
  ["hour", "keyId", "accountId"],
  ["member", "outcome", "tag"],
  ["operation", "surface", "selector", "outcome"],
  ["finding"],
  ["hour", "keyId", "finding", "model"],
];

/** Returns the row's value of each dimension. */
function describeRow(row: RequestRecord, finding: string): Readonly<Record<RowDimension, string | number>> {
  const { accountId, keyId, operation, surface } = row;
  return {
    accountId,
    keyId,
    operation,
    surface,
    hour: Math.floor(row.atMs / HOUR) * HOUR,
    model: findCountedModel(row),
    member: row.memberId ?? "",
    outcome: findOutcome(row),
    tag: row.tags ?? "",
    selector: row.selector ?? "",
    finding,
  };
}

const name = (dimension: RowDimension) => (dimension === "hour" ? "hourMs" : dimension);

function readBucket({ stream, firstTokenMs }: RequestRecord): number | null {
  return stream && firstTokenMs !== null ? findBucket(firstTokenMs) : null;
}

/** A row for each finding if they are summed by them, or else the row itself. */
function listCounted(row: RequestRecord, groupBy: readonly RowDimension[]) {
  if (!groupBy.includes("finding")) return [{ row, finding: "" }];
  return readFindings(row.guard).map((one) => ({ row, finding: `${one.detector} ${one.action} ${one.at}` }));
}

function sumRows(rows: readonly RequestRecord[], groupBy: readonly RowDimension[]): readonly string[] {
  const counted = Map.groupBy(
    rows.flatMap((row) => listCounted(row, groupBy)),
    ({ row, finding }) => {
      const described = describeRow(row, finding);
      return JSON.stringify([...groupBy.map((dimension) => described[dimension]), readBucket(row)]);
    },
  );
  const groups = [...counted].map(([group, of]) => [group, of.map(({ row }) => row)] as const);
  const add = (of: readonly RequestRecord[], number: (row: RequestRecord) => number) =>
    of.reduce((sum, row) => sum + number(row), 0);
  return groups.map(([group, of]) =>
    [
      group,
      of.length,
      add(of, ({ status }) => (isError(status) ? 1 : 0)),
      add(of, (row) => row.costNanoUsd),
      add(of, ({ amounts }) => amounts.prompt),
      add(of, ({ amounts }) => amounts.images),
      add(of, ({ cachedFrom }) => (cachedFrom ? 1 : 0)),
      add(of, (row) => row.savedNanoUsd),
      add(of, (row) => row.markupNanoUsd),
    ].join(" "),
  );
}

function writeSum(sum: RowSum, groupBy: readonly RowDimension[]): string {
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(sum));
  return [
    JSON.stringify([...groupBy.map((dimension) => fields.get(name(dimension))), sum.bucket]),
    sum.requests,
    sum.errors,
    sum.costNanoUsd,
    sum.amounts.prompt,
    sum.amounts.images,
    sum.cached,
    sum.savedNanoUsd,
    sum.markupNanoUsd,
  ].join(" ");
}

export function rowSums(store: () => Store): void {
  test("are those of the rows that the same filter lists, by any dimensions", async () => {
    await unrecorded(store()).addKey(makeKey("key_b", { memberId: "mem_b" }), "digest b");
    for (const row of makeRows(7)) await writeRecord(store(), row);
    for (const [about, filter] of Object.entries(FILTERS)) {
      const only = { ...filter, ...SPAN };
      const listed = await store().requests(only, { limit: ROWS, after: null });
      if (about !== "nothing") expect([about, listed.length > 0]).toEqual([about, true]);
      for (const groupBy of GROUPS) {
        const sums = await store().rowSums({ groupBy, only });
        const found = sums.map((sum) => writeSum(sum, groupBy));
        expect([about, found.toSorted()]).toEqual([about, sumRows(listed, groupBy).toSorted()]);
      }
    }
  });

  test("count a time to the first token in its bucket, at each end of one", async () => {
    const ends = [...new Set(BUCKET_ENDS)].flatMap((end) => [end, end + 1]);
    for (const [at, firstTokenMs] of ends.entries())
      await writeRecord(store(), makeRecord(`t${at}`, { stream: true, firstTokenMs }));
    const sums = await store().rowSums({ groupBy: [], only: {} });
    const expected = Map.groupBy(ends, findBucket);
    expect(sums.map(({ bucket, requests }) => [bucket, requests])).toEqual(
      [...expected].map(([bucket, of]) => [bucket, of.length]),
    );
  });
}
