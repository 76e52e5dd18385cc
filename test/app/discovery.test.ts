// Models of Ollama and vLLM: listed as on their servers, at the start and after a reload, without waiting for them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Discovery, listModels } from "../../src/app/models/discovery.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { readSettings } from "../harness/settings.ts";
import { serveHttp, type TestServer } from "../whole/world/serve.ts";
import { until } from "../whole/world/until.ts";

const MODELS = { object: "list", data: [{ id: "llama3.2" }, { id: "qwen3:8b" }, { id: "a b" }, { id: "" }] };
/** From a recording of llama.cpp; vLLM's field is in its API reference. */
const WITH_LENGTHS = {
  data: [
    { id: "Qwen/Qwen3-8B", max_model_len: 32768 },
    { id: "qwen.gguf", meta: { n_ctx: 4096 } },
  ],
};
const ANSWER = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "llama3.2",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

const asked: string[] = [];
let server: TestServer;
let world: UnderTest;
beforeAll(async () => {
  server = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? "no key"}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.method === "GET" ? MODELS : ANSWER));
  });
  world = await startUnderTest({
    more: `  ollama:
    base_url: "${server.url}"
    models: [{ name: "qwen3:8b", context: 8192, price: { input: 0, output: 0 } }]
aliases: { local: "Ollama#llama3.2" }`,
  });
});
afterAll(async () => {
  await world.stop();
  await server.stop();
});

async function listed(): Promise<readonly { id: string; pricing: unknown }[]> {
  const response = await fetch(`${world.url}/v1/models`, {
    headers: { authorization: `Bearer ${world.secret}` },
  });
  const { data } = (await response.json()) as { data: { id: string; pricing: unknown }[] };
  return data.filter(({ id }) => id.startsWith("Ollama#"));
}

test("models listed by the server are listed here, and answer without a key or a price", async () => {
  const found = await until("the server's models", async () => {
    const models = await listed();
    return models.length > 1 ? models : null;
  });
  expect(found).toMatchObject([
    { id: "Ollama#llama3.2", pricing: { input: 0, output: 0 } },
    { id: "Ollama#qwen3:8b", pricing: { input: 0, output: 0 } },
  ]);
  const response = await world.chat({ model: "local", messages: [{ role: "user", content: "Hi" }] });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ model: "Ollama#llama3.2", usage: { cost: 0 } });
  expect(asked).toEqual(["GET /v1/models no key", "POST /v1/chat/completions no key"]);
});

function setupOf(url: string, more = ""): ProviderSetup {
  const [setup] = readSettings(`providers: { vLLM: { base_url: "${url}"${more} } }`).providers;
  if (!setup) throw new Error("no provider");
  return setup;
}

const listFrom = (body: string, status = 200) => {
  const answer = async () => new Response(body, { status, headers: { location: "http://127.0.0.1:1/v1" } });
  return listModels(setupOf("http://127.0.0.1:9/v1"), answer);
};

test("a model's context length is read if the server reports it", async () => {
  const cards = await listFrom(JSON.stringify(WITH_LENGTHS));
  expect(cards.map(({ id, contextTokensMax }) => [id, contextTokensMax])).toEqual([
    ["vLLM#Qwen/Qwen3-8B", 32768],
    ["vLLM#qwen.gguf", 4096],
  ]);
});

test("models that only make vectors are told by their names, and no selector chooses them", async () => {
  const names = ["llama3.2:3b", "nomic-embed-text", "BAAI/bge-m3", "bge-reranker-v2", "gte-large", "mistral"];
  const cards = await listFrom(JSON.stringify({ data: names.map((id) => ({ id })) }));
  expect(cards.map(({ operations }) => [...(operations ?? [])].join())).toEqual([
    "",
    "embeddings",
    "embeddings",
    "rerank",
    "embeddings",
    "",
  ]);
});

test.each(["best", "fair", "light"])("Router#%s chooses models without a price", async (selector) => {
  const headers = { "x-poundkey-allow": "Ollama#llama*" };
  const asking = { model: `Router#${selector}`, messages: [{ role: "user", content: "Hi" }] };
  const response = await world.chat(asking, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-poundkey-model")).toBe("Ollama#llama3.2");
});

test("a list that is too long, malformed or redirected is rejected", async () => {
  const many = { data: Array.from({ length: 5000 }, (_, at) => ({ id: `m${at}` })) };
  expect(await listFrom(JSON.stringify(many))).toHaveLength(1000);
  await expect(listFrom(" ".repeat(3_000_000))).rejects.toThrow("too long");
  await expect(listFrom("<html>")).rejects.toThrow("not a list");
  await expect(listFrom(JSON.stringify(MODELS), 302)).rejects.toThrow("refused");
  await expect(listFrom(JSON.stringify(MODELS), 500)).rejects.toThrow("refused");
});

/** A discovery whose servers give the current answers of `answers`. */
function startDiscovery(answers: Record<string, string>) {
  const seen: { asked: string[]; events: LogEvent[]; changes: number } = {
    asked: [],
    events: [],
    changes: 0,
  };
  const discovery = new Discovery({
    fetch: async (url) => {
      seen.asked.push(url);
      const body = answers[url];
      if (body === undefined) throw new TypeError("no connection");
      return new Response(body);
    },
    log: (event) => void seen.events.push(event),
    onChange: () => {
      seen.changes += 1;
    },
  });
  return { seen, discovery };
}

const FIRST = "http://first:8000/v1";
const SECOND = "http://second:8000/v1";
const list = (...names: string[]) => JSON.stringify({ data: names.map((id) => ({ id })) });

test("a server that is down is asked again until it answers, then not before a reload", async () => {
  const answers: Record<string, string> = {};
  const { seen, discovery } = startDiscovery(answers);
  discovery.expect([setupOf(FIRST)]);
  await discovery.refresh();
  expect(seen.events).toMatchObject([{ event: "discovery_failed", provider: "vLLM" }]);
  expect(JSON.stringify(seen.events)).not.toContain("first");
  answers[`${FIRST}/models`] = list("one");
  await discovery.refresh();
  await discovery.refresh();
  expect(discovery.cards.map(({ id }) => id)).toEqual(["vLLM#one"]);
  expect(seen.asked).toHaveLength(2);
  answers[`${FIRST}/models`] = list("one", "two");
  discovery.expect([setupOf(FIRST)]);
  expect(discovery.cards).toHaveLength(1);
  await discovery.refresh();
  expect(discovery.cards).toHaveLength(2);
  expect(seen.changes).toBe(2);
});

test("models are removed when their server is removed or moved", async () => {
  const { discovery } = startDiscovery({
    [`${FIRST}/models`]: list("one"),
    [`${SECOND}/models`]: list("two"),
  });
  discovery.expect([setupOf(FIRST)]);
  await discovery.refresh();
  discovery.expect([setupOf(SECOND)]);
  expect(discovery.cards).toEqual([]);
  await discovery.refresh();
  expect(discovery.cards.map(({ id }) => id)).toEqual(["vLLM#two"]);
  discovery.follow([]);
  expect(discovery.cards).toEqual([]);
});

test("a configured key is sent, and only to the configured address", async () => {
  const seen: (HeadersInit | undefined)[] = [];
  const keyed = setupOf(FIRST, ', keys: ["secret-of-the-server"], headers: { x-team: "7" }');
  const cards = await listModels(keyed, async (url, init) => {
    expect(url).toBe(`${FIRST}/models`);
    seen.push(init.headers);
    return new Response(list("one"));
  });
  expect(cards).toHaveLength(1);
  expect(seen).toEqual([{ authorization: "Bearer secret-of-the-server", "x-team": "7" }]);
});

test("no server is asked for its models with a credential of the configuration that is switched off", async () => {
  const own = await startUnderTest({
    more: `  Ollama: { keys: [first-of-two, second-of-two], base_url: "${server.url}" }`,
  });
  const listings = () => asked.filter((line) => line.startsWith("GET") && line.endsWith("-of-two"));
  await until("the server is asked", () => listings().length > 0);
  expect(new Set(listings())).toEqual(new Set(["GET /v1/models Bearer first-of-two"]));
  const off = await fetch(`${own.url}/admin/v1/providers/Ollama`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${own.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ credential_id: "configured:1", enabled: false }),
  });
  expect(off.status).toBe(200);
  asked.length = 0;
  const later = await own.another();
  await until("the server is asked by the later one", () => listings().length > 0);
  expect(new Set(listings())).toEqual(new Set(["GET /v1/models Bearer second-of-two"]));
  await later.stop();
  await own.stop();
});
