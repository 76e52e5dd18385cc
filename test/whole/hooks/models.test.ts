// Hooks that ask a moderation model, and the manual's example of a hook's server, run as it is printed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { readDocument } from "../../docs/documents.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";

/** Presidio and Bedrock, as far as the example asks them. */
const asked: { path: string; authorization: string | undefined }[] = [];
let services: TestServer;
let example: { readonly url: string; readonly folder: string; stop(): Promise<unknown> };
let world: UnderTest;

beforeAll(async () => {
  services = await serveHttp(async (request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    const body = asObject(parseJson(await readText(request)));
    response.end(
      JSON.stringify(path.endsWith("/analyze") ? findNames(String(body.text)) : applyGuardrail(body)),
    );
  });
  example = await startExample(services.url);
  world = await startUnderTest({
    more: (url) => `
  Priced:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models: [{ name: sim, context: 8192, output: 1024, price: { input: 1, output: 2 } }]
hooks:
  - { name: example, url: "${example.url}", at: [request, answer], keys: [] }
  - { name: moderation, model: "OpenAI#omni-moderation-latest", keys: [] }
  - { name: scored, model: "OpenAI#omni-moderation-latest", threshold: 0.99, at: [answer], keys: [] }
  - { name: nothing, model: "Local#gone~trouble=404", keys: [] }
billing: { charge: always }
`,
  });
});
afterAll(async () => {
  await world.stop();
  await example.stop();
  await services.stop();
  rmSync(example.folder, { recursive: true });
});

function findNames(text: string): readonly JsonObject[] {
  return [...text.matchAll(/Ada( Lovelace)?/g)].flatMap(({ index, 0: name }) => [
    { start: index, end: index + name.length, entity_type: "PERSON", score: 0.85 },
    { start: index, end: index + 3, entity_type: "NRP", score: 0.6 },
  ]);
}

function applyGuardrail({ content }: JsonObject): JsonObject {
  const isRefused = JSON.stringify(content).includes("weapons");
  return isRefused
    ? { action: "GUARDRAIL_INTERVENED", outputs: [{ text: "Not about weapons." }], assessments: [] }
    : { action: "NONE", outputs: [], assessments: [] };
}

async function startExample(services: string) {
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(readDocument("src/docs/hooks.md")) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "poundkey-hook-"));
  const file = join(folder, "hook.mjs");
  writeFileSync(file, code);
  const free = await serveHttp(() => {});
  const port = new URL(free.url).port;
  await free.stop();
  const env = { PRESIDIO: services, GUARDRAIL: `${services}/guardrail/id/version/1`, PORT: port };
  const child = Bun.spawn([process.execPath, file], { env: { ...env, AWS_BEARER_TOKEN_BEDROCK: "bearer" } });
  const url = `http://127.0.0.1:${port}`;
  await until("it listens", () =>
    fetch(url, { method: "POST", body: "{}" }).then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    folder,
    stop() {
      child.kill();
      return child.exited;
    },
  };
}

async function ask(hook: string, content: string, more: JsonObject = {}) {
  const { secret } = await world.newKey({ name: hook, hooks: [hook], account_id: "default" });
  await world.topUp("default", 5);
  const messages = [{ role: "user", content }];
  const response = await world.chat({ model: "Priced#sim", messages, ...more }, { secret });
  return { status: response.status, text: await response.text() };
}

const sent = () => JSON.stringify(world.simulator.calls.all().map(({ body }) => body));

test("the example masks names, and shows them again", async () => {
  world.simulator.reset();
  const got = await ask("example", "say: Ada Lovelace met Ada");
  expect(asObject(asArray(asObject(parseJson(got.text)).choices)[0])).toMatchObject({
    message: { content: "Ada Lovelace met Ada" },
  });
  expect(sent()).toContain("say: <PERSON_2> met <PERSON_1>");
  expect(sent()).not.toContain("Ada");
  expect(asked.find(({ path }) => path.endsWith("/apply"))?.authorization).toBe("Bearer bearer");
});

test("the example refuses as Bedrock does", async () => {
  const got = await ask("example", "say: weapons");
  expect([got.status, got.text]).toEqual([400, expect.stringContaining("Not about weapons.")]);
});

test("a moderation model refuses what it flags, and its calls are the operator's, never charged", async () => {
  world.simulator.reset();
  const passed = await ask("moderation", "say: hello");
  expect(passed.status).toBe(200);
  const got = await ask("moderation", "say: violence");
  expect([got.status, got.text]).toEqual([
    400,
    expect.stringContaining("The hook 'moderation' refused the request"),
  ]);
  expect(got.text).toContain("content_blocked");
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const listed = await fetch(`${world.url}/admin/v1/requests?key=hooks`, { headers });
  const rows = asArray(asObject(await listed.json()).data).map(asObject);
  expect(rows.length).toBe(2);
  for (const row of rows) expect(row).toMatchObject({ operation: "moderation", status: 200, charged_usd: 0 });
  const calls = await fetch(`${world.url}/admin/v1/reconciliation.csv?from=2020-01-01`, { headers });
  expect((await calls.text()).split("\n").filter((line) => line.includes("hook")).length).toBe(2);
});

test("a model that can't be asked lets nothing pass", async () => {
  const got = await ask("nothing", "say: hello");
  expect([got.status, got.text]).toEqual([503, expect.stringContaining("hook_unavailable")]);
});

test("a threshold judges by scores", async () => {
  expect((await ask("scored", "say: violence")).status).toBe(200);
});
