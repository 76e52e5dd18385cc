// The ways in which constraints are met: by providers that take the field, by the models that are left, by hooks, the cache and
// one model alone; by socket and as a batch's line; and reported alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SocketClient } from "../../http/sockets/client.ts";
import { ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { until } from "../world/until.ts";
import { ask, askAt } from "./asking.ts";

const MORE = (url: string) => `
  Taker: { keys: [k], base_url: "${url}/openai/v1", unlisted_models: true, dialect: openai, extra_fields: [provider, inference_geo, max_tokenss] }
  Native: { keys: [k], base_url: "${url}/openai/v1", unlisted_models: true, dialect: responses, extra_fields: [provider, inference_geo] }
  Claude: { keys: [k], base_url: "${url}/anthropic/v1", unlisted_models: true, dialect: anthropic, extra_fields: [inference_geo] }
  Down: { keys: [k], base_url: "http://127.0.0.1:9/v1", unlisted_models: true, dialect: openai, models: [{ name: a, price: { input: 1, output: 1 } }] }
models:
  "Down#a": { fallbacks: ["Local#some-model"] }
aliases:
  both: [{ model: "Local#some-model", weight: 1 }, { model: "Taker#some-model", weight: 1 }]
  neither: [{ model: "Local#some-model", weight: 1 }, { model: "OpenAI#gpt-5.4", weight: 1 }]
  away: [{ model: "Local#m~trouble=500", weight: 1 }, { model: "Mistral#m~trouble=500", weight: 1 }]
cache: { ttl: 1h }
hooks:
  - { name: judged, model: "Local#moderate", models: ["Perplexity#*"] }
  - { name: others, model: "Local#moderate", keys: [] }
`;

const tools = new ToolServerFake({ era: "newer" });
let world: UnderTest;
let reporting: UnderTest;
beforeAll(async () => {
  [world, reporting] = await Promise.all([
    startUnderTest({
      more: (url) => `${MORE(url)}mcp: { allowed_tools: ["*"], servers: { own: { url: "${tools.url}" } } }`,
    }),
    startUnderTest({ more: "guard: { constraints: report }" }),
  ]);
});
afterAll(() => Promise.all([world.stop(), reporting.stop(), tools.stop()]));

const ZDR = { provider: { zdr: true } };
const readMetrics = async ({ url }: UnderTest) => (await fetch(`${url}/metrics`)).text();

/** Returns a request's row, once it is written. */
function findRow({ url, adminToken }: UnderTest, requestId: string): Promise<JsonObject> {
  const headers = { authorization: `Bearer ${adminToken}` };
  return until("the row is written", async () => {
    const response = await fetch(`${url}/admin/v1/requests?limit=20`, { headers });
    const rows = asArray(asObject(await response.json()).data).map(asObject);
    return rows.find((row) => row.request_id === requestId);
  });
}

describe("a provider that takes the field", () => {
  test("meets it, and gets it", async () => {
    const { status, calls } = await ask(world, "chat", "Taker#some-model", ZDR);
    expect([status, calls[0]?.provider]).toEqual([200, ZDR.provider]);
  });

  test("meets it for the client's own request too", async () => {
    const { status, calls, message } = await ask(world, "responses", "Native#gpt-4.1", {
      inference_geo: "us",
    });
    expect([message, calls[0]?.inference_geo]).toEqual([expect.any(String), "us"]);
    expect([200, 400]).toContain(status);
    const claude = await ask(world, "messages", "Claude#claude-sonnet-4-6", { inference_geo: "us" });
    expect([claude.status, claude.calls[0]?.inference_geo, claude.dropped]).toEqual([200, "us", null]);
  });

  test("answers alone for an alias and a selector", async () => {
    for (const seed of [1, 2, 3, 4]) {
      const { status, calls } = await ask(world, "chat", "both", { ...ZDR, seed });
      expect([status, calls.length, calls[0]?.provider]).toEqual([200, 1, ZDR.provider]);
    }
    const { status, param, calls, message } = await ask(world, "chat", "neither", ZDR);
    expect([status, param, calls.length]).toEqual([400, "provider.zdr", 0]);
    expect(message).toContain("for 'neither'");
  });

  test("has a field that is spelt as it likes", async () => {
    expect((await ask(world, "chat", "Taker#some-model", { max_tokenss: 5 })).status).toBe(200);
    expect((await ask(world, "chat", "Local#some-model", { max_tokenss: 5 })).status).toBe(400);
  });
});

describe("providers by name", () => {
  test("leave one member of an alias, or none", async () => {
    const { status, calls } = await ask(world, "chat", "neither", { provider: { only: ["OPENAI"] } });
    expect([status, calls[0]?.model]).toEqual([200, "gpt-5.4"]);
    const ignored = await ask(world, "chat", "neither", { provider: { ignore: ["openai"] } });
    expect([ignored.status, ignored.calls[0]?.model]).toEqual([200, "some-model"]);
    const none = await ask(world, "chat", "neither", { provider: { ignore: ["openai", "local"] } });
    expect([none.status, none.param, none.calls.length]).toEqual([400, "provider.ignore", 0]);
  });

  test("bound a selector's choice", async () => {
    for (const name of ["Mistral", "OpenAI", "Google"]) {
      const response = await world.chat({
        model: "Router#light",
        messages: [{ role: "user", content: "say: hi" }],
        provider: { only: [name.toLowerCase()] },
      });
      expect([response.status, response.headers.get("x-poundkey-model")?.split("#")[0]]).toEqual([200, name]);
    }
    const none = await ask(world, "chat", "Router#best", { provider: { only: ["nobody"] } });
    expect([none.status, none.param, none.calls.length]).toEqual([400, "provider.only", 0]);
  });
});

describe("the plan's first model alone", () => {
  const NO_FALLBACKS = [{ disable_fallbacks: true }, { provider: { allow_fallbacks: false } }];

  test.each(NO_FALLBACKS)("%j: no fallback is asked", async (body) => {
    expect((await ask(world, "chat", "Down#a", {})).status).toBe(200);
    const { status, calls } = await ask(world, "chat", "Down#a", body);
    expect([status >= 500, calls.length]).toEqual([true, 0]);
  });

  test.each(NO_FALLBACKS)("%j: nor another member of an alias", async (body) => {
    const tried = async (more: JsonObject) => {
      const { id } = await ask(world, "chat", "away", more);
      return (await findRow(world, id)).attempts;
    };
    expect(await tried(body)).toBe(1);
    expect(await tried({})).toBe(2);
  });
});

test("the cache is neither read nor written", async () => {
  const more = { messages: [{ role: "user", content: "say: cached once" }] };
  const send = async (cache: JsonObject) =>
    (await ask(world, "chat", "Local#some-model", { ...more, cache })).calls.length;
  const { dropped } = await ask(world, "chat", "Local#some-model", { cache: { "no-store": true } });
  expect(dropped).toBe("cache");
  expect(await send({ "no-store": true })).toBe(1);
  expect(await send({ "no-store": true })).toBe(1);
  expect(await send({ "no-cache": true })).toBe(1);
  expect(await send({ "no-cache": true })).toBe(1);
  expect(await send({ "no-store": true })).toBe(0);
});

describe("guardrails are hooks that apply anyway", () => {
  test("one that applies meets it, and the provider doesn't get the name", async () => {
    const { status, calls } = await ask(world, "chat", "Perplexity#sonar", { guardrails: ["judged"] });
    expect(status).toBe(200);
    expect(calls.filter((call) => "guardrails" in call)).toEqual([]);
  });

  test.each([
    ["judged", "Local#some-model"],
    ["others", "Perplexity#sonar"],
  ])("%s doesn't apply to %s", async (name, model) => {
    const { status, param, message } = await ask(world, "chat", model, { guardrails: [name] });
    expect([status, param]).toEqual([400, "guardrails[0]"]);
    expect(message).toContain(`No guard rule is named '${name}'`);
  });
});

test("a turn of a socket is refused by itself, and the next goes on", async () => {
  const client = await new SocketClient(world.url, world.secret).open();
  const before = world.simulator.calls.all().length;
  const refused = await client.create({ model: "Responses#gpt-4.1", input: "say: hi", ...ZDR });
  expect(refused.at(-1)).toMatchObject({ type: "error", error: { param: "provider.zdr" } });
  const misspelt = await client.create({ model: "Local#some-model", input: "say: hi", temperatur: 1 });
  expect(misspelt.at(-1)).toMatchObject({ type: "error", error: { code: "unknown_parameter" } });
  expect(world.simulator.calls.all().length).toBe(before);
  const next = await client.create({ model: "Responses#gpt-4.1", input: "say: hi" });
  expect(next.at(-1)?.type).toBe("response.completed");
  client.close();
});

test("a request whose tools the gateway runs is bound alike", async () => {
  const own = {
    tools: [{ type: "mcp", server_label: "own", server_url: "poundkey:own", require_approval: "never" }],
  };
  const send = (model: string, more: JsonObject) => ask(world, "responses", model, { ...own, ...more });
  expect((await send("Local#some-model", {})).status).toBe(200);
  const refused = await send("Local#some-model", ZDR);
  expect([refused.status, refused.param, refused.calls.length]).toEqual([400, "provider.zdr", 0]);
  const misspelt = await send("Local#some-model", { temperatur: 1 });
  expect([misspelt.status, misspelt.param, misspelt.calls.length]).toEqual([400, "temperatur", 0]);
  const { status, calls } = await send("neither", { provider: { only: ["openai"] } });
  expect([status, calls[0]?.model]).toEqual([200, "gpt-5.4"]);
});

test("a batch's line has its own error", async () => {
  const params = {
    model: "Local#some-model",
    max_tokens: 9,
    messages: [{ role: "user", content: "say: hi" }],
  };
  const requests = [
    { custom_id: "asks", params: { ...params, ...ZDR } },
    { custom_id: "misspelt", params: { ...params, temperatur: 1 } },
    { custom_id: "plain", params },
  ];
  const version = { "anthropic-version": "2023-06-01" };
  const { text } = await askAt(world, "/v1/messages/batches", { requests }, version);
  const { id } = asObject(parseJson(text));
  const headers = { authorization: `Bearer ${world.secret}`, ...version };
  const read = async (path: string) =>
    (await fetch(`${world.url}/v1/messages/batches/${id}${path}`, { headers })).text();
  await until(
    "the batch has ended",
    async () => asObject(parseJson(await read(""))).processing_status === "ended",
  );
  const lines = (await read("/results"))
    .trim()
    .split("\n")
    .map((line) => asObject(parseJson(line)));
  const said = Object.fromEntries(
    lines.map(({ custom_id, result }) => [String(custom_id), JSON.stringify(result)]),
  );
  expect(said.asks).toContain("'provider.zdr' asks for providers");
  expect(said.misspelt).toContain("Did you mean 'temperature'?");
  expect(said.plain).toContain('"succeeded"');
});

test("what was met or refused is counted, and a row has what was met", async () => {
  const { id } = await ask(world, "chat", "Taker#some-model", { ...ZDR, disable_fallbacks: true, seed: 9 });
  expect((await findRow(world, id)).constraints).toEqual(["provider.zdr", "disable_fallbacks"]);
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const exported = await fetch(`${world.url}/admin/v1/export/requests.csv`, { headers });
  const lines = (await exported.text()).split("\n");
  expect(lines[0]).toContain("constraints");
  expect(lines.find((line) => line.includes(id))).toContain("disable_fallbacks");
  const metrics = await readMetrics(world);
  expect(metrics).toMatch(/poundkey_constraints_total\{field="provider\.zdr",outcome="met"\} \d/);
  expect(metrics).toMatch(/poundkey_constraints_total\{field="provider\.zdr",outcome="refused"\} \d/);
  expect(metrics).toMatch(/poundkey_constraints_total\{field="misspelt",outcome="refused"\} \d/);
});

test("under report, all goes on as if left out, and a row has what would be refused", async () => {
  const body = { ...ZDR, temperatur: 1, provider: { zdr: true, only: ["local"] } };
  const { status, dropped, calls, id } = await ask(reporting, "chat", "Local#some-model", body);
  expect([status, dropped, calls.length]).toEqual([200, "provider, temperatur", 1]);
  expect((await findRow(reporting, id)).constraints).toEqual(["provider.zdr", "misspelt"]);
  const metrics = await readMetrics(reporting);
  for (const field of ["provider\\.zdr", "misspelt"])
    expect(metrics).toMatch(
      new RegExp(`poundkey_constraints_total\\{field="${field}",outcome="dropped"\\} 1`),
    );
  expect(metrics).not.toContain('outcome="refused"');
});
