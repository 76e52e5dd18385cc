// Requests to every API for key holders that hold one of the known shapes.
import type { Dice } from "../sim/dice.ts";
import { FUZZED_DIALECTS, type FuzzedDialect } from "./right-answers.ts";
import { makeJsonText, makeSchema, makeSound, PROTOTYPE_NAMES, ROUTING_FIELDS } from "./shapes.ts";

export interface ShapedRequest {
  readonly path: string;
  /** JSON, or the parts of a form. */
  readonly body: object | readonly FormPart[];
  readonly headers?: readonly string[];
}

export interface FormPart {
  readonly name: string;
  readonly fileName?: string;
  readonly value: string | Buffer;
}

type Make = (dice: Dice, model: string, text: string) => ShapedRequest;

/** The usual value, or sometimes a name that every object has. */
function pickName(dice: Dice, ...usual: readonly string[]): string {
  return dice.pick(dice.chance(0.8) ? usual : PROTOTYPE_NAMES);
}

const SIZES = [
  "1024x1024",
  "3840x2160",
  "999999x999999",
  "1x1",
  "0x0",
  "-1x5",
  "1e9x1",
  "x",
  "auto",
  "9".repeat(60),
];
const BETAS = [
  "inline-tools-2026-09-15",
  "server-side-fallback-2026-01-01",
  "message-threads-2026-01-01",
  "code-execution-2025-08-25",
  "x".repeat(5000),
  "a,,b",
  "__proto__",
];
const SERVER_TOOLS = [
  { type: "web_search_20250305", name: "web_search", max_uses: 1000 },
  { type: "code_execution_20250825", name: "code_execution" },
  { type: "mcp_toolset", mcp_server_name: "x" },
  { type: "advisor_20260301", name: "advisor" },
];

function extras(dice: Dice): object {
  const fields = Object.entries(ROUTING_FIELDS).filter(() => dice.chance(0.15));
  return {
    ...Object.fromEntries(fields),
    ...(dice.chance(0.2) ? { metadata: { [dice.pick(PROTOTYPE_NAMES)]: "a" } } : {}),
  };
}

const chat: Make = (dice, model, text) => {
  const call = { id: "c", type: "function", function: { name: "look", arguments: makeJsonText(dice) } };
  const schema = makeSchema(dice);
  const shapes: readonly (() => object)[] = [
    () => ({
      messages: [
        { role: "user", content: text },
        {
          role: "assistant",
          content: null,
          tool_calls: Array.from({ length: dice.pick([1, 3]) }, () => call),
        },
        { role: "tool", tool_call_id: "c", content: makeJsonText(dice) },
      ],
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    }),
    () => ({ response_format: { type: "json_schema", json_schema: { name: "x", schema } } }),
    () => ({ tools: [{ type: "function", function: { name: "look", parameters: schema } }] }),
    () => ({ reasoning_effort: dice.pick(PROTOTYPE_NAMES), verbosity: dice.pick(PROTOTYPE_NAMES) }),
    () => ({ tool_choice: { type: "function", function: { name: dice.pick(PROTOTYPE_NAMES) } } }),
    () => ({ stop: PROTOTYPE_NAMES.slice(0, 4), service_tier: dice.pick(PROTOTYPE_NAMES) }),
  ];
  const messages = [{ role: "user", content: text }];
  const isRoute = dice.chance(0.1);
  const path = isRoute ? "/v1/route" : "/v1/chat/completions";
  const stream = dice.chance(0.4);
  return {
    path,
    body: {
      model: isRoute ? "Router#fair" : model,
      messages,
      stream,
      max_tokens: 50,
      ...extras(dice),
      ...dice.pick(shapes)(),
    },
  };
};

const messages: Make = (dice, model, text) => {
  const definition = dice.pick(SERVER_TOOLS);
  const block = { type: "tool_addition", tool: { type: "tool_definition", definition } };
  const shapes: readonly (() => object)[] = [
    () => ({
      messages: [
        { role: "user", content: text },
        { role: "system", content: [block] },
      ],
    }),
    () => ({ tools: [definition, { name: "look", input_schema: makeSchema(dice) }] }),
    () => ({
      messages: [
        { role: "user", content: text },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "t", name: "look", input: JSON.parse("[[[[]]]]"), content: [block] },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: makeJsonText(dice) }] },
      ],
    }),
    () => ({ thinking: { type: dice.pick(PROTOTYPE_NAMES), budget_tokens: 9 } }),
    () => ({ messages: [{ role: "user", content: [{ type: dice.pick(PROTOTYPE_NAMES), text }] }] }),
  ];
  const base = {
    model,
    max_tokens: 50,
    stream: dice.chance(0.4),
    messages: [{ role: "user", content: text }],
  };
  const headers = dice.chance(0.5) ? [`anthropic-beta: ${dice.pick(BETAS)}`] : [];
  const path = dice.chance(0.1) ? "/v1/messages/count_tokens" : "/v1/messages";
  return { path, headers, body: { ...base, ...extras(dice), ...dice.pick(shapes)() } };
};

const responses: Make = (dice, model, text) => {
  const said = { role: "user", content: text };
  const item = (more: object) => ({ input: [said, more] });
  const shapes: readonly (() => object)[] = [
    () => item({ type: "function_call", call_id: "c", name: "look", arguments: makeJsonText(dice) }),
    () => item({ type: "function_call_output", call_id: "c", output: makeJsonText(dice) }),
    () =>
      item({
        type: "additional_tools",
        tools: dice.pick<unknown>([SERVER_TOOLS, { type: "mcp", server_url: "http://evil.example" }]),
      }),
    () => item({ type: dice.pick(PROTOTYPE_NAMES), id: "x" }),
    () => ({ tools: [{ type: "function", name: "look", parameters: makeSchema(dice) }] }),
    () => ({ tools: [{ type: "namespace", name: "n", tools: { type: "mcp" } }, ...SERVER_TOOLS] }),
    () => ({ text: { format: { type: "json_schema", name: "x", schema: makeSchema(dice) } } }),
  ];
  const path = dice.chance(0.1) ? "/v1/responses/input_tokens" : "/v1/responses";
  return {
    path,
    body: { model, input: [said], stream: dice.chance(0.4), ...extras(dice), ...dice.pick(shapes)() },
  };
};

const gemini: Make = (dice, model, text) => {
  const said = { role: "user", parts: [{ text }] };
  const shapes: readonly (() => object)[] = [
    () => ({ generationConfig: { responseMimeType: "application/json", responseSchema: makeSchema(dice) } }),
    () => ({ tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: makeSchema(dice) }] }] }),
    () => ({
      contents: [
        said,
        { role: "model", parts: [{ functionCall: { name: "look", args: JSON.parse('{"a":[[]]}') } }] },
      ],
    }),
    () => ({
      contents: [
        {
          role: "user",
          parts: [{ text }, { fileData: { fileUri: dice.pick(["files/x", "//evil", "gs://b/x"]) } }],
        },
      ],
    }),
    () => ({ generationConfig: { thinkingConfig: { thinkingLevel: dice.pick(PROTOTYPE_NAMES) } } }),
  ];
  const method = dice.pick(["generateContent", "streamGenerateContent?alt=sse", "countTokens"]);
  const body = { contents: [said], ...extras(dice), ...dice.pick(shapes)() };
  return { path: `/v1beta/models/${encodeURIComponent(model)}:${method}`, body };
};

const others: readonly Make[] = [
  (dice, model, text) => ({
    path: "/v1/images/generations",
    body: {
      model,
      prompt: text,
      size: dice.pick(SIZES),
      n: dice.pick([1, 1, 2, 100]),
      ...extras(dice),
      quality: pickName(dice, "low", "high"),
      output_format: pickName(dice, "png"),
    },
  }),
  (dice, model, text) => ({
    path: "/v1/audio/speech",
    body: {
      model,
      input: text,
      voice: dice.pick<unknown>(["alloy", { id: "x" }, ...PROTOTYPE_NAMES]),
      response_format: pickName(dice, "mp3"),
      ...extras(dice),
    },
  }),
  (dice, model, text) => ({
    path: "/v1/embeddings",
    body: {
      model,
      input: dice.pick<unknown>([text, Array.from({ length: 500 }, () => text), [1, 2]]),
      dimensions: dice.pick([1, 8, 64, 1e9]),
      encoding_format: pickName(dice, "float", "base64"),
      ...extras(dice),
    },
  }),
  (dice, model, text) => ({
    path: "/v1/rerank",
    body: {
      model,
      query: text,
      documents: Array.from({ length: dice.pick([1, 900]) }, () => text),
      max_tokens_per_doc: dice.pick([1, 9, 1000, 1e12]),
      ...extras(dice),
    },
  }),
  (dice, model, text) => ({ path: "/v1/moderations", body: { model, input: text, ...extras(dice) } }),
  (dice, model, text) => ({
    path: "/v1/completions",
    body: {
      model,
      prompt: dice.pick<unknown>([text, [text, text]]),
      best_of: dice.pick([1, 1, 20]),
      suffix: "x",
      ...extras(dice),
    },
  }),
  (dice, model, text) => {
    const { name, bytes } = makeSound(dice);
    const format = pickName(dice, "json", "text", "srt", "verbose_json");
    return {
      path: dice.pick(["/v1/audio/transcriptions", "/v1/audio/translations"]),
      body: [
        { name: "model", value: model },
        { name: "prompt", value: text },
        { name: "response_format", value: format },
        { name: dice.pick(PROTOTYPE_NAMES), value: "x" },
        { name: "file", fileName: dice.pick([name, "a.mp3", "__proto__"]), value: bytes },
      ],
    };
  },
];

const CHATS: readonly Make[] = [chat, chat, chat, messages, messages, responses, responses, gemini];
const CHAT_SHARE = 0.6;
/** The dialects that serve more than chat, the one that serves all of it most often. */
const OTHERS_DIALECTS: readonly FuzzedDialect[] = [
  "openai",
  "openai",
  "openai",
  "gemini",
  "cohere",
  "mistral",
];

/** Returns the request's dialect and, given a model of it, the request. */
export function pickShape(dice: Dice) {
  const isChat = dice.chance(CHAT_SHARE);
  const make = dice.pick(isChat ? CHATS : others);
  const dialect = dice.pick(isChat ? FUZZED_DIALECTS : OTHERS_DIALECTS);
  return { dialect, makeRequest: (model: string, text: string) => make(dice, model, text) };
}
