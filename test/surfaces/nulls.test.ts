// Optional keys are left out where the vendors leave them out: no answer has a null that the recordings never have.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { ASK_ONE, EACH_DIALECT, WEATHER, WEATHER_FUNCTION } from "../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { splitEvents } from "../recorded/events.ts";
import { readTraffic } from "../recorded/load.ts";

/** The nulls of many documents: how many objects there are of each kind, and in how many a field is null. */
class Nulls {
  readonly #objects = new Map<string, number>();
  readonly #places = new Map<string, { readonly kind: string; count: number }>();

  /** An object's kind is its type, or else the field that has it. */
  add(value: unknown, holder = ""): void {
    if (Array.isArray(value)) for (const one of value) this.add(one, holder);
    if (!isObject(value)) return;
    const { type, object } = value;
    const named = [type, object].find((one) => typeof one === "string" && !one.startsWith("response."));
    const kind = String(named ?? holder);
    this.#objects.set(kind, (this.#objects.get(kind) ?? 0) + 1);
    for (const [field, held] of Object.entries(value)) {
      if (held !== null) this.add(held, field);
      else this.#count(kind, `${kind}.${field}`);
    }
  }

  get places(): readonly string[] {
    return [...this.#places.keys()];
  }

  /** True if the field is null in more than a few of its objects. */
  isUsual(place: string): boolean {
    const { kind, count } = this.#places.get(place) ?? { kind: "", count: 0 };
    return count * RARE > (this.#objects.get(kind) ?? 0);
  }

  #count(kind: string, place: string): void {
    const known = this.#places.get(place);
    if (known) known.count++;
    else this.#places.set(place, { kind, count: 1 });
  }
}

/** A null in at most one of as many objects is another server's, or an older version's. */
const RARE = 100;

/** Returns the documents of a body: its events, or itself. */
function listDocuments(body: string): readonly JsonObject[] {
  const isStream = /^(event|data|id|retry|:|\s)/.test(body);
  const texts = isStream ? splitEvents(body).map(({ data }) => data) : [body];
  return texts.map((text) => asObject(parseJson(text)));
}

interface Api {
  readonly name: string;
  /** The recordings in this form. */
  readonly apis: readonly string[];
  readonly files: RegExp;
  /** Bodies to send, by their path. */
  readonly requests: (model: string) => readonly (readonly [string, JsonObject])[];
}

const PROMPTS = ["say: good day", ASK_ONE, "refuse"];

function both(
  path: string,
  make: (prompt: string) => JsonObject,
): readonly (readonly [string, JsonObject])[] {
  return PROMPTS.flatMap((prompt) => {
    const body = make(prompt);
    return [
      [path, body],
      [path, { ...body, stream: true }],
    ] as const;
  });
}

const APIS: readonly Api[] = [
  {
    name: "chat completions",
    apis: ["openai-chat"],
    files: /^openai$/,
    requests: (model) =>
      both("/v1/chat/completions", (content) => ({
        model,
        messages: [{ role: "user", content }],
        tools: [{ type: "function", function: WEATHER }],
      })),
  },
  {
    name: "Messages",
    apis: ["anthropic-messages"],
    files: /^anthropic$/,
    requests: (model) =>
      both("/v1/messages", (content) => ({
        model,
        max_tokens: 2000,
        messages: [{ role: "user", content }],
        tools: [{ name: WEATHER.name, input_schema: WEATHER.parameters }],
      })),
  },
  {
    name: "Responses",
    apis: ["openai-responses"],
    files: /^openai$/,
    requests: (model) => both("/v1/responses", (input) => ({ model, input, tools: [WEATHER_FUNCTION] })),
  },
  {
    name: "Gemini",
    apis: ["gemini-generateContent", "gemini-streamGenerateContent"],
    files: /^gemini$/,
    requests: (model) =>
      PROMPTS.flatMap((text) => {
        const tools = [{ functionDeclarations: [{ name: WEATHER.name }] }];
        const body = { contents: [{ role: "user", parts: [{ text }] }], tools };
        const path = `/v1beta/models/${model.replace("#", "/")}`;
        return [
          [`${path}:generateContent`, body],
          [`${path}:streamGenerateContent?alt=sse`, body],
        ] as const;
      }),
  },
];

let under: UnderTest;
beforeAll(async () => {
  under = await startUnderTest();
});
afterAll(() => under.stop());

const traffic = readTraffic().recordings;

test.each(APIS.map((api) => [api.name, api] as const))("%s", async (_, api) => {
  const recorded = new Nulls();
  for (const { api: form, file, body } of traffic) {
    if (!api.apis.includes(form) || !api.files.test(file)) continue;
    for (const document of listDocuments(body)) recorded.add(document);
  }
  const own = new Map<string, string>();
  for (const model of [...EACH_DIALECT, "Local#sim-mini~400"]) {
    for (const [path, body] of api.requests(model)) {
      const headers = { authorization: `Bearer ${under.secret}`, "content-type": "application/json" };
      const answer = await fetch(under.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      const nulls = new Nulls();
      for (const document of listDocuments(await answer.text())) nulls.add(document);
      for (const place of nulls.places) if (!recorded.isUsual(place)) own.set(place, model);
    }
  }
  expect(Object.fromEntries(own)).toEqual({});
});
