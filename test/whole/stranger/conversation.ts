// An agent's conversation of ten requests in the form of each surface: tools, calls and their results, a picture, a file, late
// system messages, a forced tool, an effort, a JSON format, and whatever else agents set.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { PICTURE_BYTES } from "../../clients/setting.ts";
import type { SurfaceKey } from "../../surfaces/crossing/crossing.ts";

type Said =
  | { readonly role: "system" | "answer"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly shows?: "picture" | "file" }
  | { readonly role: "call"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly role: "result";
      readonly id: string;
      readonly name: string;
      readonly texts: readonly string[];
    };

/** One of the ten requests. */
export interface Ask {
  readonly said: readonly Said[];
  /** The only tool that may be called. */
  readonly forced?: string;
  readonly isJson?: boolean;
  /** A part of the answer. */
  readonly answer: string;
}

const PICTURE = Buffer.from(PICTURE_BYTES).toString("base64");
const PDF = Buffer.from("%PDF-1.4 a report").toString("base64");

const LOOK = {
  name: "look",
  description: "mark-look",
  schema: {
    type: "object",
    properties: {
      path: { type: "string", description: "mark-path" },
      depth: { enum: ["mark-flat", "mark-deep"] },
    },
    required: ["path"],
  },
};
const PLACE = {
  name: "place",
  description: "mark-place",
  schema: {
    type: "object",
    properties: { at: { $ref: "#/$defs/Spot" }, near: { $ref: "#/$defs/Spot" } },
    required: ["at"],
    $defs: {
      Spot: { type: "object", properties: { row: { type: "integer" } }, required: ["row"] },
    },
  },
};
const TOOLS = [LOOK, PLACE];
const FORMAT = {
  type: "object",
  properties: { verdict: { type: "string" } },
  required: ["verdict"],
  additionalProperties: false,
};
const STOP = "never-said";
/** The tool that stands for a JSON format at a server without any. */
export const OUTPUT_TOOL = "poundkey_output";

/** Returns the ten requests: each but the first goes on where the one before ended. */
export function writeConversation(): readonly Ask[] {
  const said: Said[] = [{ role: "system", text: "mark-s1 Be brief." }];
  const asks: Ask[] = [];
  const ask = (answer: string, rest: Omit<Ask, "said" | "answer"> = {}) =>
    asks.push({ said: [...said], answer, ...rest });
  const call = (at: number, name: string, input: JsonObject, rest: Omit<Ask, "said" | "answer"> = {}) => {
    said.push({ role: "user", text: `mark-u${at} call ${name}(${JSON.stringify(input)})` });
    ask(name, rest);
    said.push(
      { role: "call", id: `call_${at}`, name, input },
      { role: "result", id: `call_${at}`, name, texts: [`mark-r${at}`, ` mark-t${at}`] },
    );
    ask(`mark-t${at}`);
    said.push({ role: "answer", text: `mark-a${at} So it is.` });
  };
  const say = (at: number, rest: { readonly shows?: "picture" | "file" } = {}, more = {}) => {
    said.push({ role: "user", text: `mark-u${at} say: word-${at}`, ...rest });
    ask(`word-${at}`, more);
    said.push({ role: "answer", text: `mark-a${at} word-${at}` });
  };
  call(1, "look", { path: "mark-p1" });
  say(2, { shows: "picture" });
  said.push({ role: "system", text: "mark-s2 It is noon." });
  call(3, "place", { at: { row: 3 } });
  call(4, "look", { path: "mark-p4", depth: "mark-deep" }, { forced: "look" });
  say(5, { shows: "file" });
  said.push({ role: "system", text: "mark-s3 It is late." });
  say(6);
  // Where an API has no JSON formats, the gateway asks for a call instead.
  said.push({ role: "user", text: `mark-u7 call ${OUTPUT_TOOL}({"verdict":"fine"})` });
  ask("verdict", { isJson: true });
  return asks;
}

/** Returns the request's body without its model. Some fields are sent by some clients only. */
export function writeBody(surface: SurfaceKey, ask: Ask, stream: boolean, seed: number): JsonObject {
  return SURFACES[surface](ask, stream, seed);
}

const SURFACES: Readonly<Record<SurfaceKey, (ask: Ask, stream: boolean, seed: number) => JsonObject>> = {
  chat: ({ said, forced, isJson }, stream, seed) => ({
    messages: said.map((one, at) => writeMessage(one, at, seed)),
    tools: TOOLS.map(({ schema, ...tool }) => ({
      type: "function",
      function: { ...tool, parameters: schema, strict: false },
    })),
    ...(forced && { tool_choice: { type: "function", function: { name: forced } } }),
    ...(isJson && {
      response_format: { type: "json_schema", json_schema: { name: "verdict", schema: FORMAT } },
    }),
    ...(stream && { stream_options: { include_usage: true } }),
    [seed % 3 === 0 ? "max_tokens" : "max_completion_tokens"]: 400,
    temperature: 0.3,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: 0.1,
    seed: 7,
    stop: [STOP],
    store: false,
    service_tier: "default",
    parallel_tool_calls: (seed >> 4) % 2 === 0,
    reasoning_effort: "high",
    prompt_cache_key: "an-agent",
    x_trace: "an-agent",
    stream,
  }),
  messages: ({ said, forced, isJson }, stream) => ({
    system: said.slice(0, 1).map((one) => ({
      type: "text",
      text: one.role === "system" ? one.text : "",
      cache_control: { type: "ephemeral", scope: "global" },
    })),
    messages: said.slice(1).map(writeTurn),
    tools: TOOLS.map(({ schema, ...tool }) => ({
      ...tool,
      input_schema: schema,
      eager_input_streaming: true,
    })),
    ...(forced && { tool_choice: { type: "tool", name: forced } }),
    output_config: {
      effort: "high",
      ...(isJson && { format: { type: "json_schema", schema: FORMAT } }),
    },
    thinking: { type: "adaptive" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    max_tokens: 4000,
    temperature: 1,
    top_k: 40,
    stop_sequences: [STOP],
    service_tier: "standard_only",
    x_trace: "an-agent",
    stream,
  }),
  responses: ({ said, forced, isJson }, stream) => ({
    instructions: said[0]?.role === "system" ? said[0].text : "",
    input: said.slice(1).map(writeItem),
    tools: TOOLS.map(({ schema, ...tool }) => ({
      type: "function",
      ...tool,
      parameters: schema,
      strict: false,
    })),
    ...(forced && { tool_choice: { type: "function", name: forced } }),
    ...(isJson && { text: { format: { type: "json_schema", name: "verdict", schema: FORMAT } } }),
    reasoning: { effort: "high" },
    max_output_tokens: 400,
    temperature: 0.3,
    top_p: 0.9,
    store: false,
    service_tier: "default",
    parallel_tool_calls: true,
    prompt_cache_key: "an-agent",
    x_trace: "an-agent",
    stream,
  }),
  gemini: ({ said, forced, isJson }) => ({
    systemInstruction: { parts: [{ text: said[0]?.role === "system" ? said[0].text : "" }] },
    contents: said.filter(({ role }) => role !== "system").map(writeContent),
    tools: [
      {
        functionDeclarations: TOOLS.map(({ schema, ...tool }) => ({ ...tool, parametersJsonSchema: schema })),
      },
    ],
    ...(forced && {
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [forced] } },
    }),
    generationConfig: {
      temperature: 0.3,
      topP: 0.9,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.1,
      maxOutputTokens: 400,
      stopSequences: [STOP],
      thinkingConfig: { thinkingLevel: "high" },
      ...(isJson && { responseMimeType: "application/json", responseJsonSchema: FORMAT }),
    },
  }),
};

function writeMessage(one: Said, at: number, seed: number): JsonObject {
  switch (one.role) {
    case "system":
      return { role: at > 0 && seed % 3 === 0 ? "developer" : "system", content: one.text };
    case "answer":
      return { role: "assistant", content: one.text };
    case "user": {
      if (!one.shows) return { role: "user", content: one.text };
      const shown =
        one.shows === "picture"
          ? { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } }
          : { type: "file", file: { file_data: `data:application/pdf;base64,${PDF}` } };
      return { role: "user", content: [{ type: "text", text: one.text }, shown] };
    }
    case "call": {
      const called = { name: one.name, arguments: JSON.stringify(one.input) };
      const tool_calls = [{ id: one.id, type: "function", function: called }];
      return { role: "assistant", content: "", reasoning_content: "A thought.", tool_calls };
    }
    case "result":
      return {
        role: "tool",
        tool_call_id: one.id,
        content: one.texts.map((text) => ({ type: "text", text })),
      };
  }
}

function writeTurn(one: Said): JsonObject {
  switch (one.role) {
    case "system":
      return { role: "system", content: one.text };
    case "answer":
      return { role: "assistant", content: [{ type: "text", text: one.text }] };
    case "user": {
      const text = { type: "text", text: one.text };
      if (!one.shows) return { role: "user", content: [text] };
      const [type, media_type, data] =
        one.shows === "picture" ? ["image", "image/png", PICTURE] : ["document", "application/pdf", PDF];
      return { role: "user", content: [text, { type, source: { type: "base64", media_type, data } }] };
    }
    case "call":
      return {
        role: "assistant",
        content: [{ type: "tool_use", id: one.id, name: one.name, input: one.input }],
      };
    case "result": {
      const content = one.texts.map((text) => ({ type: "text", text }));
      return { role: "user", content: [{ type: "tool_result", tool_use_id: one.id, content }] };
    }
  }
}

function writeItem(one: Said): JsonObject {
  switch (one.role) {
    case "system":
      return { role: "developer", content: one.text };
    case "answer":
      return { type: "message", role: "assistant", content: [{ type: "output_text", text: one.text }] };
    case "user": {
      const text = { type: "input_text", text: one.text };
      if (!one.shows) return { role: "user", content: [text] };
      const shown =
        one.shows === "picture"
          ? { type: "input_image", image_url: `data:image/png;base64,${PICTURE}`, detail: "auto" }
          : { type: "input_file", file_data: `data:application/pdf;base64,${PDF}`, filename: "report.pdf" };
      return { role: "user", content: [text, shown] };
    }
    case "call":
      return {
        type: "function_call",
        call_id: one.id,
        name: one.name,
        arguments: JSON.stringify(one.input),
      };
    case "result":
      return { type: "function_call_output", call_id: one.id, output: one.texts.join("") };
  }
}

function writeContent(one: Said): JsonObject {
  switch (one.role) {
    case "user": {
      const data =
        one.shows === "picture"
          ? { mimeType: "image/png", data: PICTURE }
          : { mimeType: "application/pdf", data: PDF };
      return { role: "user", parts: [{ text: one.text }, ...(one.shows ? [{ inlineData: data }] : [])] };
    }
    case "call":
      return { role: "model", parts: [{ functionCall: { name: one.name, args: one.input } }] };
    case "result": {
      const response = { result: one.texts.join("") };
      return { role: "user", parts: [{ functionResponse: { name: one.name, response } }] };
    }
    default:
      return { role: "model", parts: [{ text: one.text }] };
  }
}
