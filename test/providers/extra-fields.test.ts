// Fields outside the API leave only if the provider documents them or the operator allows them, on every operation.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { Attachment } from "../../src/core/models/attachment.ts";
import type { Outgoing, Target } from "../../src/core/models/dialect.ts";
import { CHAT_FIELDS } from "../../src/dialects/_chat/outgoing.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { COMPLETION } from "../../src/operations/completion/operation.ts";
import { EMBEDDINGS } from "../../src/operations/embeddings/operation.ts";
import type { Form } from "../../src/operations/form.ts";
import { IMAGES } from "../../src/operations/images/operation.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { SPEECH } from "../../src/operations/speech/operation.ts";
import { TRANSCRIPTION } from "../../src/operations/transcription/operation.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { makeCard } from "../dialects/cases/drive.ts";
import { TARGET } from "./target.ts";

/** The address at which Vertex AI reranks. All other codecs accept it, too. */
const BASE_URL = "https://aiplatform.googleapis.com/v1/projects/p/locations/global";

type Encode = (dialect: Dialect, extras: JsonObject, target: Target) => Outgoing | null;

function encoder<F extends Form>(
  operation: Operation<F>,
  makeAsk: (extras: JsonObject) => F["ask"],
  name = "m",
): Encode {
  return (dialect, extras, target) => {
    const codec = operation.findCodec(dialect);
    return codec && operation.encode(codec, makeAsk(extras), makeCard(name, null), target);
  };
}

const model = "m";
const texts = ["a", "b"];
const messages = [{ role: "user" as const, content: "a" }];
const documents = texts.map((text) => ({ text, given: text }));
const file = new Attachment("a.wav", "audio/wav", new Uint8Array(8));

const SOUND = { seconds: 1, isTranslation: false, format: "json" } as const;

const OPERATIONS: Readonly<Record<string, Encode>> = {
  chat: encoder(CHAT, (extras) => ({ ...extras, model, messages }), "sonar"),
  completion: encoder(COMPLETION, (extras) => ({ model, prompts: ["a"], n: 1, extras })),
  embeddings: encoder(EMBEDDINGS, (extras) => ({ model, inputs: texts, encoding: "float" as const, extras })),
  rerank: encoder(RERANK, (extras) => ({ model, query: "q", documents, isShowingDocuments: false, extras })),
  images: encoder(IMAGES, (extras) => ({ model, prompt: "a", n: 1, sources: [], extras })),
  "image edits": encoder(IMAGES, (extras) => ({ model, prompt: "a", n: 1, sources: [file], extras })),
  speech: encoder(SPEECH, (extras) => ({ model, input: "a", format: "mp3" as const, stream: true, extras })),
  transcription: encoder(TRANSCRIPTION, (extras) => ({ model, file, ...SOUND, extras })),
  moderation: encoder(MODERATION, (extras) => ({ model, inputs: texts, extras })),
};

/** Fields by which other gateways choose an address, a model, a credential or a recipient, in several spellings. */
const STEERING = [
  "api_base",
  "API_BASE",
  "apiBase",
  "api-base",
  "base_url",
  "api_key",
  "Api-Key",
  "litellm_params",
  "litellm-params",
  "fallbacks",
  "models",
  "provider",
  "headers",
  "extra_headers",
  "extra_body",
  "plugins",
  "mock_response",
  "callbacks",
  "success_callback",
  "model_list",
  "router_settings",
  "user_api_key",
  "azure_ad_token",
  "aws_region_name",
  "vertex_project",
  "deployment_id",
  "config",
  "targets",
  "file_url",
  "bootstrap_host",
  "kv_transfer_params",
  "custom_logit_processor",
  "lora_path",
  "route",
  "webhook",
];
/** Fields that name objects of the provider's account, or have a price of their own. */
const SHARED = [
  "vector_store_ids",
  "mcp_servers",
  "container",
  "file_ids",
  "previous_response_id",
  "conversation",
  "thread_id",
  "priority",
  "best_of",
  "search_parameters",
  "enable_search",
  "n_predict",
];
const MADE_UP = ["x_made_up", "Made-Up", "toString", "constructor", "a b\u0000c", "ü"];
/** Only chat has these fields, and drops them for lack of a price. */
const UNPRICED: JsonObject = { service_tier: "Priority", moderation: { model: "omni-moderation-latest" } };

function makeExtras(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
}

interface Server {
  readonly name: string;
  readonly dialect: Dialect;
}

const SERVERS: readonly Server[] = [
  ...PROVIDERS.flatMap(({ name, dialects }) => dialects.map((dialect) => ({ name, dialect }))),
  { name: "a server without a row", dialect: findDialect("openai") },
];

const target: Target = { ...TARGET, baseUrl: BASE_URL };

/** Encodes at every server that serves the operation. Some create pictures, but can't change them. */
function encodeAll(encode: Encode, extras: JsonObject, extraFields: readonly string[] = []) {
  return SERVERS.flatMap(({ name, dialect }) => {
    const outgoing = tryEncode(() => encode(dialect, extras, { ...target, extraFields }));
    return outgoing === null ? [] : [{ server: `${name}, ${dialect.name}`, outgoing }];
  });
}

function tryEncode(encode: () => Outgoing | null): Outgoing | null {
  try {
    return encode();
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "unsupported_capability") return null;
    throw thrown;
  }
}

/** Everything that is sent, as text. */
function writeSent({ url, headers, body, form = [] }: Outgoing): string {
  const fields = form.map(([name, value]) => [name, typeof value === "string" ? value : "a file"]);
  return JSON.stringify({ url, headers, body, fields });
}

describe.each(Object.entries(OPERATIONS))("%s", (_, encode) => {
  const names = [...STEERING, ...SHARED, ...MADE_UP];

  test("sends no field that the provider doesn't document, and names each", () => {
    const sent = encodeAll(encode, makeExtras(names));
    expect(sent.length).toBeGreaterThan(0);
    for (const { server, outgoing } of sent) {
      expect(`${server}: ${/value of [^"]*/.exec(writeSent(outgoing))?.[0]}`).toBe(`${server}: undefined`);
      expect(outgoing.dropped).toEqual(expect.arrayContaining(names));
    }
  });

  test("sends what the operator names, and with * all but what steers or is shared", () => {
    const chosen = ["x_made_up", "api_base"];
    for (const { outgoing } of encodeAll(encode, makeExtras(names), chosen)) {
      expect(names.filter((name) => !outgoing.dropped.includes(name)).sort()).toEqual(chosen.toSorted());
      for (const name of chosen) expect(writeSent(outgoing)).toContain(`value of ${name}`);
    }
    for (const { outgoing } of encodeAll(encode, makeExtras(names), ["*"])) {
      expect(outgoing.dropped).toEqual(expect.arrayContaining([...STEERING, ...SHARED]));
      expect(outgoing.dropped).not.toContain("x_made_up");
    }
  });
});

test("chat drops each tier but the usual ones, and moderation, at every provider", () => {
  const { chat } = OPERATIONS;
  if (!chat) throw new Error("unreachable");
  for (const tier of ["priority", "Priority", "fast", "scale", "flex", "performance", "on_demand"]) {
    for (const { server, outgoing } of encodeAll(chat, { ...UNPRICED, service_tier: tier })) {
      expect([server, outgoing.dropped]).toEqual([
        server,
        expect.arrayContaining(["service_tier", "moderation"]),
      ]);
      expect(writeSent(outgoing)).not.toMatch(new RegExp(`"${tier}"|omni-moderation`));
    }
  }
  const [openai] = encodeAll(chat, { service_tier: "default" });
  expect(openai?.outgoing.body.service_tier).toBe("default");
  const [named] = encodeAll(chat, UNPRICED, ["service_tier", "moderation"]);
  expect(named?.outgoing.body).toMatchObject(UNPRICED);
});

test("a field of the chat API that a provider lacks passes by its name, not by *", () => {
  const { chat } = OPERATIONS;
  const deepseek = SERVERS.find(({ name }) => name === "DeepSeek");
  if (!chat || !deepseek) throw new Error("unreachable");
  const encode = (extraFields: readonly string[]) =>
    chat(deepseek.dialect, { logit_bias: { 1: 1 } }, { ...target, extraFields });
  expect(encode(["*"])).toMatchObject({ dropped: ["logit_bias"] });
  expect(encode(["logit_bias"])).toMatchObject({ dropped: [], body: { logit_bias: { 1: 1 } } });
});

test("every field of the chat API in OpenAI's SDK is known as one", () => {
  const path = "../../node_modules/openai/resources/chat/completions/completions.d.ts";
  const text = readFileSync(join(import.meta.dir, path), "utf8");
  const start = text.indexOf("interface ChatCompletionCreateParamsBase {");
  const fields = [...text.slice(start, text.indexOf("\n}", start)).matchAll(/^ {4}(\w+)\??:/gm)];
  expect(fields.length).toBeGreaterThan(30);
  expect(fields.map(([, name = ""]) => name).filter((name) => !CHAT_FIELDS.has(name))).toEqual([]);
});
