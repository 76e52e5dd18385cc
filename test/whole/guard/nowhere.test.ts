// A value that the guard finds stands nowhere else: no log line, row, sum, metric, span, export, audit entry, error or file holds it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { EXPORTS } from "../../../src/admin/log/exports.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { DETECTORS } from "../../../src/guard/detectors.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { makeRequest, WAYS } from "../../steps/asked.ts";
import { startPostgres } from "../../store/postgres/server.ts";
import { type Collector, startCollector } from "../../telemetry/collector.ts";
import { createBatch, makeClients, waitForEnd } from "../batches/batch-bench.ts";
import { createOperator, type Operator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { CANARIES, listShown, SENTENCE } from "./nowhere-canaries.ts";

const RULE = "{ name: all, detect: [secrets, contact, finance, network, ids], at: [request, answer] }";

const postgres = await startPostgres();
afterAll(() => postgres.remove());

test("each detector has a value here, but those that stand in no group and the gateway's own keys", () => {
  const named = DETECTORS.map(({ name }) => name).filter((name) => name !== "poundkey_key");
  expect(named.filter((name) => !CANARIES.some(({ detector }) => detector === name))).toEqual(
    named.filter((name) => name === "assigned_secret"),
  );
});

const SETUPS = sampleRows(
  [
    ["SQLite", false],
    ["SQLite", true],
    ["PostgreSQL", false],
    ["PostgreSQL", true],
  ] as const,
  3,
);

describe.each(SETUPS)("on %s, contents kept: %p", (engine, isKept) => {
  let own: UnderTest;
  let operator: Operator;
  let collector: Collector;
  let database: string | null = null;
  let rows: readonly JsonObject[] = [];

  beforeAll(async () => {
    collector = startCollector();
    database = engine === "PostgreSQL" ? await postgres.newDatabase() : null;
    own = await startUnderTest({
      ...(database === null ? {} : { store: database }),
      more: [
        `guard: { rules: [${RULE}] }`,
        `log: { content: ${isKept} }`,
        "cache: { ttl: 1h }",
        "responses: { keep: 1d }",
        `telemetry: { otlp: { endpoint: "${collector.url}", content: ${isKept} } }`,
      ].join("\n"),
    });
    operator = createOperator(own);
    await askAll();
    rows = await until("all is logged", async () => {
      const found = await operator.all("/requests", 200);
      return found.length >= WAYS.length * 2 + 1 ? found : null;
    });
  });
  afterAll(async () => {
    await own.stop();
    await collector.stop();
  });

  /** Each surface, whole and streamed, twice, so that the cache answers; failed, refused and replayed; and a batch. */
  async function askAll(): Promise<void> {
    const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const sent = { authorization: `Bearer ${own.secret}`, "content-type": "application/json", ...headers };
      const response = await fetch(own.url + path, {
        method: "POST",
        headers: sent,
        body: JSON.stringify(body),
      });
      return response.text();
    };
    const said = `say: ${SENTENCE}`;
    for (const way of WAYS) {
      const [path, body] = makeRequest(way, said);
      const [first] = [await post(path, body), await post(path, body)];
      expect(listShown(first)).toContain("email");
    }
    const chat = (model: string) => ({ model, messages: [{ role: "user", content: said }] });
    for (const trouble of ["400", "429", "500", "cut"]) {
      await post("/v1/chat/completions", {
        ...chat(`Local#sim~trouble=${trouble}`),
        stream: trouble === "cut",
      });
    }
    for (const _ of [1, 2])
      await post("/v1/chat/completions", chat("Local#sim"), { "idempotency-key": "one" });
    await post("/v1/chat/completions", {
      ...chat("Local#sim"),
      metadata: { note: SENTENCE.slice(0, 400) },
      user: said.slice(0, 200),
    });
    await post("/v1/embeddings", { model: "OpenAI#sim", input: said });
    await post("/v1/moderations", { model: "OpenAI#sim", input: said });
    const { openai } = makeClients(own.url, own.secret);
    const line = { custom_id: "1", method: "POST", url: "/v1/chat/completions", body: chat("Local#sim") };
    await waitForEnd(openai, await createBatch(openai, [line]));
  }

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

  test("contents have the values if they are kept", async () => {
    const contents: string[] = [];
    for (const { id } of rows)
      contents.push(JSON.stringify((await operator.get(`/requests/${id}`)).body.content));
    expect(listShown(contents.join()).length > 0).toBe(isKept);
  });

  test("no log line, metric or span has a value", async () => {
    const metrics = await (await fetch(`${own.url}/metrics`)).text();
    expect(metrics).toMatch(/poundkey_findings_total\{[^}]*detector="card"/);
    expect(listShown(metrics)).toEqual([]);
    expect(listShown(Bun.inspect(own.events, { depth: 12 }))).toEqual([]);
    await until("spans arrive", () => collector.spans.length > rows.length);
    if (!isKept) expect(listShown(JSON.stringify([collector.spans, collector.logs], writeBig))).toEqual([]);
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
});

const writeBig = (_name: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** The tables of a database with a value in a row. */
async function readTables(url: string): Promise<readonly string[]> {
  const sql = new SQL(url);
  try {
    const tables =
      await sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`;
    const shown: string[] = [];
    for (const table of asArray(tables)) {
      const name = String(asObject(table).name);
      const found = await sql`SELECT t::text AS row FROM ${sql(name)} t`;
      shown.push(...listShown(JSON.stringify(found)).map((detector) => `${detector} in ${name}`));
    }
    return shown;
  } finally {
    await sql.close();
  }
}
