// The console's review of a watched list of prices: what would change, what the last 30 days would have cost, one click.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmptyStore } from "../../../src/app/start/open-store.ts";
import { noteReload } from "../../../src/app/start/reload-notes.ts";
import { EXIT } from "../../../src/app/terminal.ts";
import { buildCards } from "../../../src/catalogue/rows.ts";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../../catalogue/feed-samples.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { runPrinting } from "../../harness/poundkey.ts";

import { readSettings } from "../../harness/settings.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const directory = mkdtempSync(join(tmpdir(), "poundkey-prices-"));
const file = join(directory, "catalogue.json");
const ROW = {
  id: "OpenAI#gpt-99",
  owner: "OpenAI",
  released: null,
  context: 1000,
  output: 100,
  price: { input: 1, output: 2 },
  capabilities: [],
};
const HALF_MORE = {
  input_cost_per_token: 3.75e-6,
  output_cost_per_token: 2.25e-5,
  cache_read_input_token_cost: 3.75e-7,
};
const LIST = makeLiteLlm({
  "gpt-5.4": makeLiteLlmRow(HALF_MORE),
  "gpt-4.1": makeLiteLlmRow({ input_cost_per_token: 9e-6, output_cost_per_token: 8e-6 }),
  "gpt-6.1-sol": makeLiteLlmRow({ input_cost_per_token: 0, output_cost_per_token: 1e-5 }),
  "gpt-7-new": makeLiteLlmRow(),
  "groq/openai/gpt-oss-20b": makeLiteLlmRow({ litellm_provider: "groq" }),
});
const list = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(LIST) });
const ANSWER = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
};

let gateway: UnderTest;
let operator: ReturnType<typeof createOperator>;
beforeAll(async () => {
  const text = JSON.stringify([ROW]);
  writeFileSync(file, text);
  const from = `${list.url}list.json`;
  gateway = await startUnderTest({
    more: `catalogue: { file: "${file}", watch: { from: "${from}", format: litellm } }\nbilling: { charge: always, markup: 2 }`,
    files: { [file]: text },
    fetch: async (url, init) => (url.startsWith(from) ? fetch(url, init) : Response.json(ANSWER)),
  });
  operator = createOperator(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await list.stop(true);
  rmSync(directory, { recursive: true, force: true });
});

async function review(): Promise<JsonObject> {
  return (await operator.get("/catalogue")).body;
}

test("shows each change, the models that are used, and what their requests would have cost", async () => {
  await until("the list was compared", async () => (await review()).compared_at);
  expect(await review()).toMatchObject({
    models_used: 0,
    cost_usd: 0,
    would_cost_usd: 0,
    can_accept: true,
    added: 1,
  });
  const account = await gateway.newAccount();
  await gateway.topUp(account, 5);
  const { secret } = await gateway.newKey({ account_id: account });
  expect((await gateway.chat(asking("OpenAI#gpt-5.4"), { secret })).status).toBe(200);
  const used = await until("the request is summed", async () => {
    const now = await review();
    return now.models_used === 1 ? now : null;
  });
  const cost = (2 * (20 * 2.5 + 10 * 15)) / 1e6;
  expect(used).toMatchObject({
    cost_usd: cost,
    would_cost_usd: Number((cost * 1.5).toFixed(9)),
    format: "litellm",
  });
  const changes = asArray(used.changes).map(asObject);
  expect(changes.map(({ new: isNew }) => isNew)).toEqual([true, true, false, false, false]);
  const [first, ...others] = changes.filter(({ new: isNew }) => isNew === false);
  expect(first).toMatchObject({
    id: "OpenAI#gpt-5.4",
    model: "OpenAI#gpt-5.4",
    field: "price",
    after: "input 3.75, output 22.5, cached_input 0.375",
    verdict: "taken",
    enabled: true,
    last_30_days_usd: cost,
    requests: 1,
    cost_usd: cost,
  });
  expect(others).toContainEqual(
    expect.objectContaining({ model: "OpenAI#gpt-6.1-sol", verdict: "refused", would_cost_usd: null }),
  );
});

test("names of models, the list, and what isn't enabled choose the changes", async () => {
  const elsewhere = asArray((await operator.get("/catalogue?all=true")).body.changes).map(asObject);
  expect(elsewhere.filter(({ enabled }) => enabled === false).map(({ id }) => id)).toEqual([
    "Groq#openai/gpt-oss-20b",
  ]);
  const { list: seen } = await review();
  const { sha256 } = asObject(seen);
  const refusals: readonly (readonly [object, number, string, string | null])[] = [
    [{ only: ["OpenAI#gpt-5.4", "OpenAI#none"] }, 400, "invalid_value", "only[1]"],
    [{ except: ["xAI#*"] }, 400, "invalid_value", "except[0]"],
    [{ sha256: "0".repeat(64) }, 409, "catalogue_changed", null],
    [{ serial: 7 }, 409, "catalogue_changed", null],
    [{ only: ["OpenAI#gpt-4.1"] }, 409, "catalogue_not_writable", null],
  ];
  for (const [body, status, code, param] of refusals) {
    const refused = await operator.post("/catalogue", { sha256, ...body });
    expect([refused.status, refused.body.error]).toMatchObject([status, { code, param }]);
  }
  expect(readFileSync(file, "utf8")).toBe(JSON.stringify([ROW]));
});

test("a gap to an invoice is linked to it", async () => {
  const { data } = (await operator.get("/reconciliation")).body;
  expect(asArray(data).map(asObject)).toContainEqual(
    expect.objectContaining({ provider: "OpenAI", price_changes: 2 }),
  );
});

/** The command at this gateway. */
async function run(...flags: readonly string[]) {
  process.env.POUNDKEY_TOKEN = gateway.adminToken;
  const args = ["catalogue", "update", "--gateway", gateway.url, ...flags];
  return runPrinting((io) => runCommandLine(args, io)).finally(() => delete process.env.POUNDKEY_TOKEN);
}

test("one click or command takes what may be taken, or what waits too, and the audit log says who did", async () => {
  const read = () =>
    new Map(
      asArray(asObject(parseJson(readText())).models).map((row) => [asObject(row).id, asObject(row).price]),
    );
  const readText = () => readFileSync(file, "utf8");
  const shown = await run();
  expect([shown.code, shown.err]).toEqual([EXIT.partial, ""]);
  for (const words of [
    /^wait for --yes:/m,
    /^refused, also with --yes:\n {2}OpenAI#gpt-6.1-sol/m,
    /Nothing was/,
  ])
    expect(shown.out).toMatch(words);
  expect(read().size).toBe(0);
  const taken = await run("--apply");
  expect([taken.code, taken.out]).toEqual([EXIT.partial, expect.not.stringContaining("Nothing was changed")]);
  expect(read().get("OpenAI#gpt-5.4")).toMatchObject({ input: 3.75, service: { flex: { input: 1.875 } } });
  expect(read().get("OpenAI#gpt-4.1")).toBeUndefined();
  const all = (await operator.post("/catalogue", { yes: true })).body;
  expect(all).toMatchObject({ waits: false });
  expect(read().get("OpenAI#gpt-4.1")).toMatchObject({ input: 9 });
  expect(read().get("OpenAI#gpt-99")).toMatchObject({ input: 1 });
  expect(read().has("OpenAI#gpt-6.1-sol")).toBe(false);
  const entries = await until("they are chained", async () => {
    const found = asArray(
      (await operator.get("/audit?action=catalogue.updated&outcome=success")).body.data,
    ).map(asObject);
    return found.length === 2 ? found : null;
  });
  expect(entries.map(({ actor }) => asObject(actor).kind)).toEqual(["admin", "admin"]);
  expect(JSON.stringify(entries)).toContain("OpenAI#gpt-5.4 price: input 2.5");
});

test("a credential that is added at run time has its own price factor, and the highest is shown", async () => {
  const model = "Mistral#mistral-small-2603";
  const shown = async () => {
    const { data } = (await operator.get("/models")).body;
    const found = asArray(data)
      .map(asObject)
      .find(({ id }) => id === model);
    return asObject(found?.pricing).input;
  };
  for (const [factor, says] of [
    [0, "price_factor"],
    [0.1234567, "at most 6 decimals"],
  ] as const) {
    const refused = await operator.post("/providers/Mistral", { key: "key-dear", price_factor: factor });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(says)]);
  }
  expect(await shown()).toBe(0.15);
  const { body } = await operator.post("/providers/Mistral", { key: "key-dear", price_factor: 1.5 });
  const credential = asArray(body.credentials)
    .map(asObject)
    .find(({ source }) => source === "stored");
  expect([credential?.price_factor, await shown()]).toEqual([1.5, 0.225]);
  const account = await gateway.newAccount();
  await gateway.topUp(account, 5);
  const { secret } = await gateway.newKey({ account_id: account });
  const costs = new Set<unknown>();
  for (let at = 0; at < 40 && costs.size < 2; at++) {
    await (await gateway.chat(asking(model, `say: ${at}`), { secret })).text();
    const [last] = asArray((await operator.get("/requests?limit=1")).body.data).map(asObject);
    costs.add(last?.cost_usd);
  }
  const cost = (2 * (20 * 0.15 + 10 * 0.6)) / 1e6;
  expect([...costs].map(Number).toSorted()).toEqual([cost, Number((cost * 1.5).toFixed(9))]);
  await operator.patch("/providers/Mistral", { credential_id: credential?.id, price_factor: 0.5 });
  expect(await shown()).toBe(0.15);
});

test("without a file, or if it can't be written, it says so and is on record", async () => {
  rmSync(directory, { recursive: true, force: true });
  const refused = await operator.post("/catalogue", { yes: true });
  expect([refused.status, asObject(refused.body.error).code]).toEqual([409, "catalogue_not_writable"]);
  expect(String(asObject(refused.body.error).message)).toContain("can't be written");
});

test("a reload of the file is on record with the fields that it changes, once", async () => {
  const { world, store } = await openEmptyStore();
  const settings = (price: object) => ({
    ...readSettings("providers: { OpenAI: { keys: [k] } }"),
    newerModels: buildCards([{ ...ROW, price }]),
    catalogueAsOf: "2026-12-01",
    catalogueDigest: JSON.stringify(price),
  });
  const lines: object[] = [];
  const reporting = { world, log: (line: object) => lines.push(line) };
  noteReload(reporting, settings({ input: 1, output: 2 }), settings({ input: 3, output: 2 }));
  noteReload(reporting, settings({ input: 3, output: 2 }), settings({ input: 3, output: 2 }));
  await until("it is compared", () => lines.length > 0);
  expect(lines).toEqual([{ event: "catalogue_updated", models: 1, fields: 1, as_of: "2026-12-01" }]);
  const entries = await until("it is chained", async () => {
    const rows = (await store.auditLog.chain(100)) ?? [];
    return rows.some(({ action }) => action === "catalogue.updated") ? rows : null;
  });
  const [entry, ...others] = entries.filter(({ action }) => action === "catalogue.updated");
  expect([parseJson(entry?.before ?? ""), parseJson(entry?.after ?? ""), others]).toEqual([
    { "OpenAI#gpt-99 pricing.input": "1" },
    { as_of: "2026-12-01", "OpenAI#gpt-99 pricing.input": "3" },
    [],
  ]);
  await store.close();
});
