// Hostile requests, each with a harmless one of the same size to the same model or a similar one.

import { makeTag } from "../operations/sound/files.ts";
import { fill, list, SCHEMAS } from "../surfaces/growth/place.ts";

export interface Request {
  readonly path: string;
  readonly type: string;
  /** The mark `NUMBER` in the model's name is replaced, so that no model is avoided for its answers. */
  readonly body: Buffer<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Hostile {
  readonly name: string;
  make(): Request;
  /** A harmless request of that many bytes. */
  plain(bytes: number): Request;
}

const CHAT = "/v1/chat/completions";
const HELLO = { role: "user", content: "hello" };
const OBJECT = { type: "object", properties: {} };
const MEGABYTE = 1_000_000;
const KILOBYTE = 1000;

/** The providers whose APIs differ from chat completions, as the configuration of the attacked gateway names them. */
const TRANSLATED = ["Claude", "Gemini", "Nova", "Answers"] as const;
type Translated = (typeof TRANSLATED)[number];

function json(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Request {
  return { path, type: "application/json", body: Buffer.from(JSON.stringify(body)), headers };
}

/** 80 bytes as JSON. Lines matter: a text without anything to escape is parsed and written several times as fast. */
const LINE = `${"word ".repeat(15)}end\n`;

/** A long prompt to that model. */
function plainChat(model: string, bytes: number): Request {
  return json(CHAT, { model, messages: [{ role: "user", content: LINE.repeat(Math.ceil(bytes / 80)) }] });
}

function chatRow(name: string, model: string, fields: () => object): Hostile {
  return {
    name: `${name}, to ${model.split("#")[0]}`,
    make: () => json(CHAT, { model, messages: [HELLO], ...fields() }),
    plain: (bytes) => plainChat(model, bytes),
  };
}

const callWith = (text: string) => ({
  id: "c",
  type: "function",
  function: { name: "look", arguments: text },
});
const turn = (text: string, result: string) => ({
  messages: [
    HELLO,
    { role: "assistant", content: null, tool_calls: [callWith(text)] },
    { role: "tool", tool_call_id: "c", content: result },
  ],
  tools: [{ type: "function", function: { name: "look", parameters: OBJECT } }],
});

const DEEP = `{"a":${"[".repeat(50 * KILOBYTE)}${"]".repeat(50 * KILOBYTE)}}`;
const WIDE = `{"a":[${"[],".repeat((2 * MEGABYTE) / 3)}0]}`;
const answerSchema = (schema: object) => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
});
const tool = (parameters: object) => ({
  tools: [{ type: "function", function: { name: "look", parameters } }],
});
const schema = (kind: keyof typeof SCHEMAS, count: number) => SCHEMAS[kind]?.(count) ?? {};

const JSON_IN_STRINGS: readonly Hostile[] = (["Claude", "Gemini", "Nova"] satisfies Translated[]).flatMap(
  (provider) => [
    chatRow("arguments of 50,000 levels", `${provider}#m`, () => turn(DEEP, "done")),
    chatRow("2 MB of lists as arguments", `${provider}#m`, () => turn(WIDE, "done")),
    chatRow("2 MB of lists as a result", `${provider}#m`, () => turn("{}", WIDE)),
  ],
);

const SCHEMA_ROWS: readonly Hostile[] = [
  ...[1000, 4000, 20_000].map((count) =>
    chatRow(`${count.toLocaleString("en")} references in a chain`, "Gemini#m", () =>
      answerSchema(schema("a chain of references", count)),
    ),
  ),
  ...TRANSLATED.map((provider) =>
    chatRow("2,000 references to one definition", `${provider}#m`, () =>
      tool(schema("references to one definition", 2000)),
    ),
  ),
];

/** Other APIs, each at a provider of another one. */
const TRANSLATIONS: readonly Hostile[] = [
  {
    name: "Messages to Gemini: 2,000 calls and results",
    make: () =>
      json("/v1/messages", {
        model: "Gemini#m",
        max_tokens: 100,
        messages: list(2000, (at) => [
          {
            role: "assistant",
            content: [{ type: "tool_use", id: `c${at}`, name: "look", input: fill(9, Number) }],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: `c${at}`, content: '{"a":[1,[2]]}' }],
          },
        ]).flat(),
      }),
    plain: (bytes) => plainChat("Gemini#m", bytes),
  },
  {
    name: "Responses to Anthropic: 3,000 calls and results",
    make: () =>
      json("/v1/responses", {
        model: "Claude#m",
        store: false,
        input: list(3000, (at) => [
          { type: "function_call", call_id: `c${at}`, name: "look", arguments: '{"a":[1,[2]]}' },
          { type: "function_call_output", call_id: `c${at}`, output: '{"a":[1,[2]]}' },
        ]).flat(),
      }),
    plain: (bytes) => plainChat("Claude#m", bytes),
  },
  {
    name: "Gemini's API to Bedrock: 5,000 calls in a turn",
    make: () =>
      json("/v1beta/models/Nova%23m:generateContent", {
        contents: [
          { role: "user", parts: [{ text: "hello" }] },
          {
            role: "model",
            parts: list(5000, (at) => ({ functionCall: { name: "look", args: { a: [at] } } })),
          },
          { role: "user", parts: [{ text: "hello" }] },
        ],
      }),
    plain: (bytes) => plainChat("Nova#m", bytes),
  },
  {
    name: "an interaction to Anthropic: 6,000 steps, each call with a result and a thought",
    make: () =>
      json("/v1/interactions", {
        model: "Claude#m",
        store: false,
        input: list(2000, (at) => [
          { type: "thought", signature: "cGsxLkFBQUE=" },
          { type: "function_call", id: `c${at}`, name: "look", arguments: { a: [1, [2]] } },
          { type: "function_result", call_id: `c${at}`, result: { a: [1, [2]] } },
        ]).flat(),
      }),
    plain: (bytes) => plainChat("Claude#m", bytes),
  },
  {
    name: "chat to Responses: 4,000 messages and calls",
    make: () =>
      json(CHAT, {
        model: "Answers#m",
        messages: list(2000, (at) => turn(`{"a":${at}}`, "done").messages).flat(),
      }),
    plain: (bytes) => plainChat("Answers#m", bytes),
  },
];

const BOUNDARY = "----------------------------of-the-form";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";

/** A form with a file, and these parts before it. */
export function makeForm(model: string, file: Uint8Array, more = ""): Request {
  const part = (head: string, value: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}`;
  const start = `${part('name="model"', `${model}\r\n`)}${more}${part('name="file"; filename="a.mp3"', "")}`;
  const body = Buffer.concat([Buffer.from(start), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  return { path: TRANSCRIPTIONS, type: `multipart/form-data; boundary=${BOUNDARY}`, body };
}

/** An MP3 whose tag is one text frame of as many values as fit. */
function makeTagged(size: number): Uint8Array {
  const frame = Buffer.concat([Buffer.from("TXXX"), makeTag(size).subarray(6, 10), Buffer.from("\0\0\0")]);
  return Buffer.concat([makeTag(size, Buffer.concat([frame, Buffer.alloc(size - 11, "a\0b/;")])), FRAMES]);
}

const FRAMES = Buffer.concat([Buffer.from("fffb9000", "hex"), Buffer.alloc(413)]);
/** An honest MP3. */
const makeSound = (bytes: number) => Buffer.alloc(bytes, FRAMES);
const plainSound = (bytes: number) => makeForm("Local#heard", makeSound(bytes));

const SOUND: readonly Hostile[] = [
  ...[2, 24].flatMap((size) =>
    [
      ["a model that isn't there", "Nope#nope"],
      ["a model of sound", "Local#heard"],
    ].map(([words = "", model = ""]) => ({
      name: `${size} MB of tags before a sound, for ${words}`,
      make: () => makeForm(model, makeTagged(size * MEGABYTE)),
      plain: plainSound,
    })),
  ),
  {
    name: "a form of 20,000 parts",
    make: () =>
      makeForm(
        "Local#heard",
        makeSound(1000),
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="prompt"\r\n\r\na\r\n`.repeat(20_000),
      ),
    plain: plainSound,
  },
];

const INLINE = {
  role: "system",
  content: [
    {
      type: "tool_addition",
      tool: {
        type: "tool_definition",
        definition: { type: "web_search_20250305", name: "web_search", max_uses: 1000 },
      },
    },
  ],
};
const inlineHead = { "anthropic-beta": "inline-tools-2026-09-15" };
const plainMessage = (model: string) => (bytes: number) =>
  json("/v1/messages", {
    model,
    max_tokens: 100,
    messages: [{ role: "user", content: "word ".repeat(Math.ceil(bytes / 5)) }],
  });

const FIELDS_AND_HEADERS: readonly Hostile[] = [
  chatRow("10,000 unknown fields", "Local#plain", () => fill(10_000, Number)),
  {
    name: "2,000 tools that messages add",
    make: () =>
      json(
        "/v1/messages",
        { model: "Claude#m", max_tokens: 100, messages: [HELLO, ...list(2000, () => INLINE)] },
        inlineHead,
      ),
    plain: plainMessage("Claude#m"),
  },
  ...[12, 60].map((size) => ({
    name: `${size} KB of betas`,
    make: () =>
      json(
        "/v1/messages",
        { model: "Claude#m", max_tokens: 100, messages: [HELLO] },
        {
          "anthropic-beta": "aa,".repeat((size * KILOBYTE) / 3),
        },
      ),
    plain: plainMessage("Claude#m"),
  })),
  {
    name: "one Idempotency-Key, again and again",
    make: () => ({ ...plainChat("Local#plain", 100 * KILOBYTE), headers: { "idempotency-key": "the-same" } }),
    plain: (bytes) => plainChat("Local#plain", bytes),
  },
];

/** Answers of the provider that is in league with the client. */
const ANSWERS: readonly Hostile[] = [
  ...(["deep", "choices"] as const).map((kind) => ({
    name: kind === "deep" ? "an answer with arguments of 50,000 levels" : "an answer of 100,000 choices",
    make: () => json("/v1/messages", { model: `Local#${kind}-NUMBER`, max_tokens: 100, messages: [HELLO] }),
    plain: () =>
      json("/v1/messages", { model: `Local#${kind}-plain-NUMBER`, max_tokens: 100, messages: [HELLO] }),
  })),
  {
    name: "a vector of 1.6 million numbers",
    make: () => json("/v1/embeddings", { model: "Local#vector-NUMBER", input: "a" }),
    plain: () => json(CHAT, { model: "Local#vector-plain-NUMBER", messages: [HELLO] }),
  },
  {
    name: "500,000 images",
    make: () => json("/v1/images/generations", { model: "Local#images-NUMBER", prompt: "a cat" }),
    plain: () => json("/v1/images/generations", { model: "Local#images-plain-NUMBER", prompt: "a cat" }),
  },
];

export const HOSTILE: readonly Hostile[] = [
  ...SCHEMA_ROWS,
  ...JSON_IN_STRINGS,
  ...TRANSLATIONS,
  ...SOUND,
  ...FIELDS_AND_HEADERS,
  ...ANSWERS,
];
