// The second of three turns of a conversation at each surface, and the front of what a provider reads of it.
import type { TSchema } from "@sinclair/typebox";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { messagesSchema } from "../../../src/surfaces/anthropic-messages/schema.ts";
import { generateSchema } from "../../../src/surfaces/gemini/schema.ts";
import { interactionSchema } from "../../../src/surfaces/interactions/schema.ts";
import { chatRequestSchema } from "../../../src/surfaces/openai-chat/schema.ts";
import { responsesSchema } from "../../../src/surfaces/openai-responses/schema.ts";

const RULES = "Be brief.";
const FIRST = "say: one";
const ANSWER = "one";
const SECOND = "say: two, in JSON";
const SCHEMA = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const NAMES = ["read_file", "write_file"] as const;

interface AskedSurface {
  /** `MODEL` stands for the model, where the path names it. */
  readonly path: string;
  readonly streamPath?: string;
  readonly schema: TSchema;
  readonly body: JsonObject;
  /** Values of fields whose schema says too little, and the words that mean something. */
  readonly stated: Readonly<Record<string, readonly unknown[]>>;
}

const CHAT_TOOLS = NAMES.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } }));
const NAMED = { type: "function", function: { name: NAMES[0] } };
const SEEN_FORMAT = { type: "json_schema", json_schema: { name: "seen", schema: SCHEMA } };

export const SURFACES = {
  chat: {
    path: "/v1/chat/completions",
    schema: chatRequestSchema,
    body: {
      messages: [
        { role: "system", content: RULES },
        { role: "user", content: FIRST },
        { role: "assistant", content: ANSWER },
        { role: "user", content: SECOND },
      ],
      tools: CHAT_TOOLS,
    },
    stated: {
      tools: [CHAT_TOOLS.slice(1)],
      tool_choice: [
        "none",
        "auto",
        "required",
        NAMED,
        { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [NAMED] } },
        { type: "allowed_tools", allowed_tools: { mode: "required", tools: [NAMED] } },
      ],
      response_format: [{ type: "text" }, { type: "json_object" }, SEEN_FORMAT],
      modalities: [["text"]],
      prediction: [{ type: "content", content: "two" }],
      audio: [{ voice: "alloy", format: "wav" }],
      n: [1],
      web_search_options: [{}],
      metadata: [{ a: "b" }],
      service_tier: ["default", "flex"],
      functions: [[{ name: "look", parameters: SCHEMA }]],
      function_call: ["none", "auto"],
      logit_bias: [{ "50256": -100 }],
    },
  },
  messages: {
    path: "/v1/messages",
    schema: messagesSchema,
    body: {
      max_tokens: 3000,
      system: RULES,
      messages: [
        { role: "user", content: FIRST },
        { role: "assistant", content: ANSWER },
        { role: "user", content: SECOND },
      ],
      tools: NAMES.map((name) => ({ name, input_schema: SCHEMA })),
    },
    stated: {
      tools: [[{ name: NAMES[0], input_schema: SCHEMA }]],
      tool_choice: [
        { type: "auto" },
        { type: "any" },
        { type: "none" },
        { type: "tool", name: NAMES[0] },
        { type: "auto", disable_parallel_tool_use: true },
      ],
      thinking: [{ type: "disabled" }, { type: "adaptive" }, { type: "enabled", budget_tokens: 1024 }],
      output_config: [{ effort: "low" }, { format: { type: "json_schema", schema: SCHEMA } }],
      metadata: [{ user_id: "u" }],
    },
  },
  responses: {
    path: "/v1/responses",
    schema: responsesSchema,
    body: {
      instructions: RULES,
      input: [
        { role: "user", content: FIRST },
        { role: "assistant", content: ANSWER },
        { role: "user", content: SECOND },
      ],
      tools: NAMES.map((name) => ({ type: "function", name, parameters: SCHEMA })),
    },
    stated: {
      tools: [[{ type: "function", name: NAMES[0], parameters: SCHEMA }]],
      tool_choice: [
        "none",
        "auto",
        "required",
        { type: "function", name: NAMES[0] },
        { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: NAMES[0] }] },
        { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: NAMES[0] }] },
      ],
      text: [
        { format: { type: "json_object" } },
        { format: { type: "json_schema", name: "seen", schema: SCHEMA } },
        { verbosity: "low" },
      ],
      reasoning: [{ effort: "low" }, { effort: "none" }, { summary: "auto" }],
      include: [["reasoning.encrypted_content"]],
      metadata: [{ a: "b" }],
      background: [false],
      store: [false],
    },
  },
  gemini: {
    path: "/v1beta/models/MODEL:generateContent",
    streamPath: "/v1beta/models/MODEL:streamGenerateContent?alt=sse",
    schema: generateSchema,
    body: {
      systemInstruction: { parts: [{ text: RULES }] },
      contents: [
        { role: "user", parts: [{ text: FIRST }] },
        { role: "model", parts: [{ text: ANSWER }] },
        { role: "user", parts: [{ text: SECOND }] },
      ],
      tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: SCHEMA })) }],
    },
    stated: {
      tools: [[{ functionDeclarations: [{ name: NAMES[0], parametersJsonSchema: SCHEMA }] }]],
      toolConfig: [
        { functionCallingConfig: { mode: "AUTO" } },
        { functionCallingConfig: { mode: "NONE" } },
        { functionCallingConfig: { mode: "ANY" } },
        { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [NAMES[0]] } },
        { functionCallingConfig: { mode: "VALIDATED" } },
      ],
      generationConfig: [
        { responseMimeType: "application/json" },
        { responseMimeType: "application/json", responseJsonSchema: SCHEMA },
        { thinkingConfig: { thinkingLevel: "low" } },
        { thinkingConfig: { thinkingBudget: 0 } },
      ],
      "generationConfig.thinkingConfig": [{ includeThoughts: true }],
      "generationConfig.responseMimeType": ["text/plain", "application/json"],
      "generationConfig.candidateCount": [1],
    },
  },
  interactions: {
    path: "/v1/interactions",
    schema: interactionSchema,
    body: {
      system_instruction: RULES,
      input: [
        { type: "user_input", content: [{ type: "text", text: FIRST }] },
        { type: "model_output", content: [{ type: "text", text: ANSWER }] },
        { type: "user_input", content: [{ type: "text", text: SECOND }] },
      ],
      tools: NAMES.map((name) => ({ type: "function", name, parameters: SCHEMA })),
      store: false,
    },
    stated: {
      tools: [[{ type: "function", name: NAMES[0], parameters: SCHEMA }]],
      "generation_config.tool_choice": [
        "auto",
        "any",
        "none",
        { allowed_tools: { mode: "any", tools: [NAMES[0]] } },
        { allowed_tools: { mode: "auto", tools: [NAMES[0]] } },
      ],
      response_format: [{ type: "text", mime_type: "application/json", schema: SCHEMA }],
      response_mime_type: ["application/json"],
      response_modalities: [["text"]],
      labels: [{ a: "b" }],
      background: [false],
      safety_settings: [],
      store: [false],
    },
  },
} as const satisfies Readonly<Record<string, AskedSurface>>;

export type SurfaceWord = keyof typeof SURFACES;

/** The part of a provider's request before the newest turn of the user's, without cache marks. */
interface Front {
  readonly tools: unknown;
  readonly system: unknown;
  readonly turns: readonly unknown[];
}

export function readFront(body: JsonObject): Front {
  const bare = asObject(withoutMarks(body));
  // Gemini's `toolConfig` holds a choice, Converse's the tools.
  const tools = bare.tools ?? asObject(bare.toolConfig).tools ?? null;
  const system = bare.system ?? bare.instructions ?? bare.systemInstruction ?? null;
  const turns = listTurns(bare);
  return { tools, system, turns: turns.slice(0, findNewest(turns)) };
}

/** Returns the newest turn of the user's in a provider's request, and all behind it. */
export function readEnd(body: JsonObject): readonly unknown[] {
  const turns = listTurns(asObject(withoutMarks(body)));
  return turns.slice(findNewest(turns));
}

function listTurns({ messages, input, contents }: JsonObject): readonly unknown[] {
  return asArray(messages ?? input ?? contents);
}

function findNewest(turns: readonly unknown[]): number {
  return turns.findLastIndex((turn) => asObject(turn).role === "user" && !isAnswer(turn));
}

/** The results of calls stand in a user's turn, in some forms. */
function isAnswer(turn: unknown): boolean {
  const { content } = asObject(turn);
  return Array.isArray(content) && content.every((block) => asObject(block).type === "tool_result");
}

const MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint", "cachePoint"]);

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.filter((one) => asObject(one).cachePoint === undefined);
    return kept.map(withoutMarks);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !MARKS.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutMarks(inner)]));
}
