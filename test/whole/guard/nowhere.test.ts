// A value that the guard finds stands nowhere else: no log line, row, sum, metric, span, export, audit entry, error or file holds it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EXPORTS } from "../../../src/admin/log/exports.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { DETECTORS } from "../../../src/guard/detectors.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG, sampleRows } from "../../harness/long.ts";
import { useDatabases } from "../../store/postgres/databases.ts";
import { type Collector, startCollector } from "../../telemetry/collector.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { askAll, ROWS_LEAST, type Shown } from "./nowhere-asked.ts";
import { CANARIES, listShown } from "./nowhere-canaries.ts";
import { openCached, readTables } from "./nowhere-stored.ts";

const DETECT = "[secrets, contact, finance, network, ids]";
const KINDS = ["swap", "mask", "report"] as const;

/** A swap is at requests alone: what it puts back into an answer is no finding. */
const writeRule = (action: (typeof KINDS)[number]) =>
  `{ name: all, detect: ${DETECT}, action: ${action}, at: ${action === "swap" ? "[request]" : "[request, answer]"} }`;

test("each detector has a value here, but those that stand in no group and the gateway's own keys", () => {
  const named = DETECTORS.map(({ name }) => name).filter((name) => name !== "poundkey_key");
  expect(
    named.filter((name) => !CANARIES.some(({ detector }) => detector === name)),
    "each detector takes a value in test/whole/guard/nowhere-canaries.ts",
  ).toEqual(named.filter((name) => name === "assigned_secret"));
});

const STORES = [
  ["SQLite", true],
  ["SQLite", false],
  ["PostgreSQL", true],
  ["PostgreSQL", false],
] as const;
const ALL = KINDS.flatMap((action, at) =>
  [...STORES.slice(at), ...STORES.slice(0, at)].map(([engine, isKept]) => [engine, isKept, action] as const),
);
/** In the short form one that swaps and one that masks. */
const SETUPS = sampleRows(ALL, 4).filter(([engine]) => IS_LONG || engine === "SQLite");
const postgres = SETUPS.some(([engine]) => engine === "PostgreSQL") ? await useDatabases() : null;
afterAll(() => postgres?.remove());

describe.each(SETUPS)("on %s, contents kept: %p, %s", (engine, isKept, action) => {
  let own: UnderTest;
  let operator: Operator;
  let collector: Collector;
  let database: string | null = null;
  let rows: readonly JsonObject[] = [];
  let shown: Shown;

  beforeAll(async () => {
    collector = startCollector();
    database = engine === "PostgreSQL" ? ((await postgres?.newStore()) ?? null) : null;
    own = await startUnderTest({
      ...(database === null ? {} : { store: database }),
      more: [
        `guard: { rules: [${writeRule(action)}] }`,
        `log: { content: ${isKept} }`,
        "cache: { ttl: 1h }",
        "responses: { keep: 1d }",
        `telemetry: { otlp: { endpoint: "${collector.url}", content: ${isKept} } }`,
      ].join("\n"),
    });
    operator = createOperator(own);
    shown = await askAll(own);
    rows = await until("all is logged", async () => {
      const found = await operator.all("/requests", 200);
      return found.length >= ROWS_LEAST ? found : null;
    });
  });
  afterAll(async () => {
    await own.stop();
    await collector.stop();
  });

  test("clients get every value that isn't masked, however the answer comes", () => {
    const all = action === "mask" ? [] : CANARIES.map(({ detector }) => detector);
    const { answers, replayed, kept, line } = shown;
    for (const text of [...answers, ...replayed, ...kept, line]) expect(listShown(text)).toEqual(all);
    expect(replayed[1]).toBe(replayed[0]);
  });

  test("a provider gets values only where rules report", () => {
    const calls = JSON.stringify(own.simulator.calls.all());
    expect(listShown(calls).length > 0).toBe(action === "report");
  });

  /** Files have headers that no other answer has. */
  async function download(path: string) {
    const headers = { authorization: `Bearer ${own.adminToken}` };
    const response = await fetch(`${own.url}/admin/v1${path}`, { headers });
    return { status: response.status, text: await response.text() };
  }

  test("the requests' rows, sums and details have counts, and no value", async () => {
    expect(JSON.stringify(rows)).toContain('"detector":"card"');
    expect(listShown(JSON.stringify(rows))).toEqual([]);
    for (const { id } of rows) {
      const { content, ...detail } = (await operator.get(`/requests/${id}`)).body;
      expect(listShown(JSON.stringify(detail))).toEqual([]);
      if (!isKept) expect(content).toBeNull();
    }
    const groups = ["finding", "model", "key", "account", "surface"];
    const sums = await Promise.all(groups.map((group) => operator.get(`/usage?group_by=${group}`)));
    expect(sums.map(({ status }) => status)).toEqual(groups.map(() => 200));
    expect(listShown(sums.map(({ text }) => text).join())).toEqual([]);
  });

  test("contents have the values if they are kept and rules report", async () => {
    const contents: string[] = [];
    for (const { id } of rows)
      contents.push(JSON.stringify((await operator.get(`/requests/${id}`)).body.content));
    expect(contents.some((text) => text.includes("here."))).toBe(isKept);
    expect(listShown(contents.join()).length > 0).toBe(isKept && action === "report");
  });

  test("no log line, metric or span has a value", async () => {
    const metrics = await (await fetch(`${own.url}/metrics`)).text();
    expect(metrics).toMatch(/poundkey_findings_total\{[^}]*detector="card"/);
    expect(listShown(metrics)).toEqual([]);
    expect(listShown(Bun.inspect(own.events, { depth: 12 }))).toEqual([]);
    await until("spans arrive", () => collector.spans.length > rows.length);
    const isShown = isKept && action === "report";
    if (!isShown) expect(listShown(JSON.stringify([collector.spans, collector.logs], writeBig))).toEqual([]);
  });

  test("no export, audit entry or page of the guard has a value", async () => {
    const paths = ["/audit?limit=200", "/refusals?limit=200", "/guard", "/accounts", "/keys", "/batches"];
    const lists = await Promise.all(paths.map((path) => operator.get(path)));
    expect(listShown(lists.map(({ text }) => text).join())).toEqual([]);
    for (const name of Object.keys(EXPORTS)) {
      for (const form of ["csv", "jsonl"]) {
        const { status, text } = await download(`/export/${name}.${form}`);
        expect([name, status, listShown(text)]).toEqual([name, 200, []]);
      }
    }
  });

  test("nothing in the store or beside it is readable", async () => {
    const files = readdirSync(own.directory, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const shown = files.flatMap(({ parentPath, name }) =>
      listShown(readFileSync(join(parentPath, name), "latin1")).map((detector) => `${detector} in ${name}`),
    );
    expect(shown).toEqual([]);
    if (database !== null) expect(await readTables(database)).toEqual([]);
  });

  test("what the cache keeps has values only where rules report", async () => {
    const cached = await openCached(own.directory, database);
    expect(cached.length).toBeGreaterThan(5);
    expect(listShown(cached.join()).length > 0).toBe(action === "report");
  });
});

const writeBig = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
