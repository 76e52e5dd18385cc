// Exports over HTTP and from the command line: whole lists as CSV and JSON lines, with the lists' filters.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readCsv } from "../../harness/csv.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

const FORMULA = '=HYPERLINK("http://evil"), "x"';
const REQUESTS = 7;

let world: HttpWorld;
let operator: ReturnType<typeof createOperator>;
let accountId = "";
let keyId = "";
beforeAll(async () => {
  world = await startHttpWorld();
  operator = createOperator(world);
  accountId = String((await operator.post("/accounts", { name: FORMULA })).body.id);
  await operator.post(`/accounts/${accountId}/topups`, { amount_usd: 5, note: "-1+1" });
  const made = (await operator.post("/keys", { name: "@sum(1), x", account_id: accountId })).body;
  keyId = String(made.id);
  for (let at = 0; at < REQUESTS; at++)
    await (await world.chat(asking("Acme#cheap"), { secret: String(made.secret) })).text();
  await until("all are logged", async () => (await listed("/requests")).length === REQUESTS);
});
afterAll(() => world.stop());

async function listed(path: string): Promise<readonly JsonObject[]> {
  return asArray((await operator.get(path)).body.data).map(asObject);
}

async function download(name: string): Promise<string> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const answer = await fetch(`${world.url}/admin/v1/export/${name}`, { headers });
  expect([name, answer.status]).toEqual([name, 200]);
  return answer.text();
}

const readLines = (text: string) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => asObject(JSON.parse(line)));

describe("an export", () => {
  test("has the rows of the list, with names beside ids", async () => {
    const rows = await listed("/requests");
    const lines = readLines(await download("requests.jsonl"));
    const names = { key_name: "@sum(1), x", account_name: FORMULA };
    expect(lines).toEqual(rows.map((row) => ({ ...row, ...names })));
    const table = readCsv(await download("requests.csv"));
    expect(table.map(({ id }) => id)).toEqual(rows.map(({ id }) => String(id)));
    const [first = {}] = table;
    expect(first).toMatchObject({ key_id: keyId, model_used: "Acme#cheap", status: "200", selector: "" });
    expect(Number(first.cost_usd)).toBe(Number(rows[0]?.cost_usd));
    expect(Number(first.tokens_prompt)).toBeGreaterThan(0);
  });

  test("runs no formula, and keeps numbers as they are", async () => {
    const [first = {}] = readCsv(await download("requests.csv"));
    expect(first).toMatchObject({ key_name: "'@sum(1), x", account_name: `'${FORMULA}` });
    const journal = readCsv(await download(`journal.csv?account=${accountId}`));
    expect(journal.map(({ note }) => note)).toContain("'-1+1");
    expect(journal.map(({ amount_usd }) => Number(amount_usd))).not.toContain(Number.NaN);
  });

  test("has the list's filters, and refuses wrong ones before the first row", async () => {
    const from = "2020-01-01T00:00:00Z";
    expect(readCsv(await download(`requests.csv?to=${from}`))).toEqual([]);
    expect(readCsv(await download("requests.csv?outcome=failed"))).toEqual([]);
    expect(readCsv(await download(`requests.csv?key=${keyId}`))).toHaveLength(REQUESTS);
    for (const path of ["requests.csv?keys=x", "requests.jsonl?outcome=good", "usage.csv?group_by=moon"])
      expect([path, (await operator.get(`/export/${path}`)).status]).toEqual([path, 400]);
    expect((await operator.get("/export/journal.csv?account=acc_none")).status).toBe(404);
    expect((await operator.get("/export/prompts.csv")).status).toBe(404);
  });

  test("of usage has the columns of its groups, and adds up to the list's", async () => {
    const [row = {}, ...others] = readCsv(await download("usage.csv?group_by=model,key"));
    expect(others).toEqual([]);
    expect(Object.keys(row).slice(0, 3)).toEqual(["model", "key_id", "key_name"]);
    expect([row.requests, row.key_id]).toEqual([String(REQUESTS), keyId]);
  });

  test("of usage by selector says from when there are rows", async () => {
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const ask = (path: string) => fetch(`${world.url}/admin/v1/${path}`, { headers });
    const oldest = () => Date.now() - 30 * 86_400_000;
    const before = oldest();
    const file = await ask("export/usage.csv?group_by=selector&status=ok&q=CHEAP");
    const since = Date.parse(file.headers.get("x-poundkey-rows-from") ?? "");
    expect([before <= since, since <= oldest()]).toEqual([true, true]);
    const [row = {}] = readCsv(await file.text());
    expect([Object.keys(row)[0], row.selector, row.requests]).toEqual(["selector", "", String(REQUESTS)]);
    expect((await ask("export/usage.csv")).headers.get("x-poundkey-rows-from")).toBeNull();
    const { body } = await operator.get("/usage?group_by=selector&selector=fair");
    expect(body).toEqual({ data: [], rows_from: expect.any(String) });
    expect((await operator.get("/usage?session=none")).body).toMatchObject({ data: [] });
  });

  test("of journals has every account's movements, or those within a time", async () => {
    const all = readLines(await download("journal.jsonl"));
    expect(new Set(all.map(({ account_id }) => account_id))).toEqual(new Set([accountId]));
    expect(all.find(({ kind }) => kind === "topup")).toMatchObject({ amount_usd: 5, account_name: FORMULA });
    expect(readLines(await download("journal.jsonl?to=2020-01-01T00:00:00Z"))).toEqual([]);
    expect(readLines(await download("journal.jsonl?from=2020-01-01T00:00:00Z"))).toEqual(all);
  });

  test("takes an account's name for its id, as lists do, and refuses one that none has", async () => {
    const named = encodeURIComponent(FORMULA);
    const listRecorded = async () => asArray((await operator.get(`/audit?account=${named}`)).body.data);
    await until("it is on record", async () => (await listRecorded()).length > 0);
    for (const name of ["journal", "statements", "audit"]) {
      const rows = readLines(await download(`${name}.jsonl?account=${named}`));
      expect(rows).toEqual(readLines(await download(`${name}.jsonl?account=${accountId}`)));
      expect([name, new Set(rows.map((row) => row.account_id))]).toEqual([name, new Set([accountId])]);
      const { status, error } = await operator.get(`/export/${name}.jsonl?account=nobody`);
      expect([name, status, error?.param]).toEqual([name, 400, "account"]);
    }
    expect(readLines(await download("journal.jsonl?account=funding"))).not.toEqual([]);
  });

  test("reaches beyond a page, and ends with its reader", async () => {
    const names = Array.from({ length: 230 }, (_, at) => `account ${at}`);
    await Promise.all(names.map((name) => operator.post("/accounts", { name })));
    await until("all are on record", async () => {
      const made = readCsv(await download("audit.csv?action=account.created"));
      return made.length === names.length + 1;
    });
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const answer = await fetch(`${world.url}/admin/v1/export/audit.csv`, { headers });
    await answer.body?.cancel();
    expect(readCsv(await download("members.csv"))).toEqual([]);
  });
});
