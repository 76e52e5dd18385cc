// Azure and Vertex AI through the gateway, over real connections: addresses, authentication, native lanes, rejected
// tokens.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { probe } from "../../../src/app/models/probe.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readSettings } from "../../harness/settings.ts";
import type { CloudCall } from "../world/cloud.ts";
import {
  type Asked,
  chat,
  generate,
  message,
  response,
  startPlatformWorld,
} from "../world/platform-world.ts";

const world = await startPlatformWorld();
const cloud = world.cloud;
beforeEach(() => cloud.reset());
afterAll(() => world.stop());

type Proof = "api-key" | "x-api-key" | "x-goog-api-key" | "token";

/** The authentication header: exactly one. */
function findProof({ headers }: CloudCall): string {
  const names = ["api-key", "x-api-key", "x-goog-api-key", "authorization"].filter((name) => headers[name]);
  return names.map((name) => (name === "authorization" ? "token" : name)).join(" and ");
}

const BRIEF = { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } };
const AT = "/v1/projects/p/locations/eu";
const DATED = "api-version=2024-10-21";
const GEMINI = "publishers/google/models/gemini-3.5-flash";
const CLAUDE = `${AT}/publishers/anthropic/models/claude-sonnet-5@default`;
const ROWS: readonly (readonly [asked: Asked, path: string, proof: Proof, body: JsonObject])[] = [
  [chat("Azure#gpt-5.4"), "/openai/v1/chat/completions", "api-key", { model: "prod-gpt" }],
  [
    chat("Azure#gpt-4o", { stream: true, max_tokens: 9 }),
    "/openai/v1/chat/completions",
    "api-key",
    { model: "old", max_completion_tokens: 9 },
  ],
  [
    chat("Azure#deepseek-v4-pro", { max_tokens: 9 }),
    "/openai/v1/chat/completions",
    "api-key",
    { max_tokens: 9 },
  ],
  [
    response("Azure#gpt-5.4", { stream: true }),
    "/openai/v1/responses",
    "api-key",
    { model: "prod-gpt", store: false },
  ],
  [response("Azure#deepseek-v4-pro"), "/openai/v1/chat/completions", "api-key", { model: "deepseek-v4-pro" }],
  [
    message("Azure#claude-sonnet-5"),
    "/anthropic/v1/messages",
    "x-api-key",
    { model: "prod-claude", max_tokens: 50 },
  ],
  [chat("Azure#claude-sonnet-5"), "/anthropic/v1/messages", "x-api-key", { model: "prod-claude" }],
  [message("Azure#gpt-5.4"), "/openai/v1/chat/completions", "api-key", { model: "prod-gpt" }],
  [
    chat("Dated#gpt-4o"),
    `/openai/deployments/my%2Fold/chat/completions?${DATED}`,
    "api-key",
    { model: "my/old" },
  ],
  [
    chat("Dated#fast", { max_tokens: 9 }),
    `/openai/deployments/fast/chat/completions?${DATED}`,
    "api-key",
    { max_completion_tokens: 9 },
  ],
  [
    response("Newer#gpt-4o"),
    "/openai/responses?api-version=2025-04-01-preview",
    "api-key",
    { model: "gpt-4o" },
  ],
  [
    response("Dated#gpt-4o"),
    `/openai/deployments/my%2Fold/chat/completions?${DATED}`,
    "api-key",
    { model: "my/old" },
  ],
  [chat("Entra#gpt-4o"), "/openai/v1/chat/completions", "token", { model: "gpt-4o" }],
  [message("Entra#claude-sonnet-5"), "/anthropic/v1/messages", "token", { model: "claude-sonnet-5" }],
  [chat("Vertex#gemini-3.5-flash"), `${AT}/${GEMINI}:generateContent`, "token", {}],
  [
    generate("Vertex#gemini-3.5-flash"),
    `${AT}/${GEMINI}:streamGenerateContent?alt=sse`,
    "token",
    { contents: [{ role: "user", parts: [{ text: "say: splendid" }] }] },
  ],
  [chat("Express#gemini-3.5-flash"), `/v1/${GEMINI}:generateContent`, "x-goog-api-key", {}],
  [
    message("Vertex#claude-sonnet-5@default"),
    `${CLAUDE}:rawPredict`,
    "token",
    { anthropic_version: "vertex-2023-10-16" },
  ],
  [
    message("Vertex#claude-sonnet-5@default", {
      stream: true,
      system: [BRIEF],
    }),
    `${CLAUDE}:streamRawPredict`,
    "token",
    { stream: true, system: [BRIEF] },
  ],
  [
    chat("Vertex#claude-sonnet-5@default", { stream: true }),
    `${CLAUDE}:streamRawPredict`,
    "token",
    { stream: true },
  ],
  [
    chat("Vertex#openai/gpt-oss-120b-maas"),
    `${AT}/endpoints/openapi/chat/completions`,
    "token",
    { model: "openai/gpt-oss-120b-maas" },
  ],
];

describe("each model is called in its cloud's format", () => {
  test.each(
    ROWS.map(
      ([asked, path, proof, body]) => [String(asked[1].model ?? asked[0]), path, asked, proof, body] as const,
    ),
  )("%s at %s", async (_model, path, [to, request], proof, body) => {
    const answer = await world.post(to, request);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining("splendid")]);
    expect(cloud.calls.map((call) => [call.path, findProof(call)])).toEqual([[path, proof]]);
    expect(cloud.calls[0]?.body).toMatchObject(body);
    if (path.includes("Predict")) expect(Object.keys(cloud.calls[0]?.body ?? {})).not.toContain("model");
    expect(text).not.toContain("prod-");
  });

  test("betas unknown to a cloud are dropped in a second call", async () => {
    cloud.answer = ({ headers }) => {
      if (!String(headers["anthropic-beta"]).includes("effort-2025-11-24")) return null;
      const message = "Unexpected value(s) `effort-2025-11-24` for the `anthropic-beta` header.";
      return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
    };
    const [path, body] = message("Vertex#claude-sonnet-5@default");
    const betas = "context-1m-2025-08-07,effort-2025-11-24";
    const answer = await world.post(path, body, { "anthropic-beta": betas });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-poundkey-attempts")).toBe("1");
    expect(cloud.calls.map(({ headers }) => headers["anthropic-beta"])).toEqual([
      betas,
      "context-1m-2025-08-07",
    ]);
  });

  test("an embedding", async () => {
    const body = {
      object: "list",
      data: [{ index: 0, embedding: [0.5, 0.25] }],
      usage: { prompt_tokens: 2 },
    };
    cloud.answer = () => ({ status: 200, body });
    const answer = await world.post("/v1/embeddings", { model: "Azure#text-embedding-3-small", input: "hi" });
    expect(asObject(asArray(asObject(await answer.json()).data)[0]).embedding).toEqual([0.5, 0.25]);
    expect(cloud.calls[0]).toMatchObject({ path: "/openai/v1/embeddings", body: { model: "embed" } });
  });

  test("a transcript, with the deployment in its form", async () => {
    cloud.answer = () => ({ status: 200, body: { text: "splendid" } });
    const form = new FormData();
    form.set("model", "Azure#listen");
    form.set("file", new File(["ID3"], "a.mp3"));
    const answer = await fetch(`${world.gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.gateway.secret}` },
      body: form,
    });
    expect(asObject(await answer.json()).text).toBe("splendid");
    expect(cloud.calls[0]?.path).toBe("/openai/v1/audio/transcriptions");
    expect(cloud.calls[0]?.text).toMatch(/name="model"\r\n\r\nprod-whisper\r\n/);
  });

  test("a picture by one of Gemini's models", async () => {
    const inlineData = { mimeType: "image/png", data: "iVBORw0KGgo=" };
    const drawn = [{ content: { role: "model", parts: [{ inlineData }] }, finishReason: "STOP" }];
    cloud.answer = () => ({ status: 200, body: { candidates: drawn } });
    const answer = await world.post("/v1/images/generations", { model: "Vertex#draws", prompt: "a cat" });
    expect(asObject(asArray(asObject(await answer.json()).data)[0]).b64_json).toBe(inlineData.data);
    expect(cloud.calls[0]?.path).toBe(`${AT}/publishers/google/models/draws:generateContent`);
  });

  test("an express key only calls Gemini models", async () => {
    const answer = await world.post(...chat("Express#claude-sonnet-5@default"));
    expect([answer.status, cloud.calls.length]).toEqual([404, 0]);
  });
});

describe("tokens", () => {
  test("are fetched once for all calls, and replaced when rejected", async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => world.post(...chat("Vertex#gemini-3.5-flash"))),
    );
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const before = cloud.tokenRequests.length;
    cloud.revoke();
    expect((await world.post(...chat("Vertex#gemini-3.5-flash"))).status).toBe(200);
    expect(cloud.tokenRequests.length - before).toBe(1);
    expect(cloud.calls.slice(-2).map(findProof)).toEqual(["token", "token"]);
    const grants = new Set(cloud.tokenRequests.map(({ grant_type: grant }) => grant));
    expect(grants).toContain("urn:ietf:params:oauth:grant-type:jwt-bearer");
  });
});

describe("the operator", () => {
  test("sees Azure's configured deployments and Vertex's catalogue models", async () => {
    const listed = await fetch(`${world.gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${world.gateway.secret}` },
    });
    const models = asArray(asObject(await listed.json()).data).map(asObject);
    const ids = models.map(({ id }) => String(id));
    const of = (provider: string) => ids.filter((id) => id.startsWith(`${provider}#`));
    expect(of("Azure").toSorted()).toEqual([
      "Azure#claude-sonnet-5",
      "Azure#deepseek-v4-pro",
      "Azure#gpt-4o",
      "Azure#gpt-5.4",
      "Azure#listen",
      "Azure#text-embedding-3-small",
    ]);
    expect(models.find(({ id }) => id === "Dated#fast")?.name).toBe("fast");
    expect(of("Vertex")).toContain("Vertex#claude-opus-4-8@default");
  });

  test("can name an unconfigured deployment, which is called by its model name", async () => {
    expect((await world.post(...chat("Azure#gpt-4.1"))).status).toBe(200);
    expect(cloud.calls[0]?.body.model).toBe("gpt-4.1");
  });

  test("probes each provider with a chat model", async () => {
    const settings = readSettings(readFileSync(world.gateway.configFile, "utf8"));
    const cards = buildCatalogue(settings).list();
    for (const [name, model] of [
      ["Azure", "deepseek-v4-pro"],
      ["Dated", "gpt-4o"],
      ["Entra", "gpt-4o"],
      ["Vertex", "gemini-3.1-flash-lite"],
      ["Express", "gemini-3.5-flash"],
    ]) {
      const setup = settings.providers.find((one) => one.name === name);
      if (!setup) throw new Error(`there is no ${name}`);
      const [said] = await probe(
        setup,
        cards.filter(({ provider }) => provider === name),
      );
      expect(said).toMatchObject({ ok: true, status: 200, model: `${name}#${model}` });
    }
  });
});
