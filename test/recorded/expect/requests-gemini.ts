// Translates recorded generateContent requests into chat-completion requests, and both into a comparable form.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { chatRequest, merged, notPlain, only, toolResult, without } from "../plain.ts";

/** Google also accepts snake_case names, which some clients send. Converts one level to the documented names. */
function camel(value: unknown): JsonObject {
  const entries = Object.entries(asObject(value)).map(([field, inner]) => {
    return [field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), inner] as const;
  });
  return Object.fromEntries(entries);
}

const FIELDS = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model"];
const GENERATION = [
  "temperature",
  "maxOutputTokens",
  "topP",
  "candidateCount",
  "stopSequences",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseLogprobs",
  "logprobs",
  "thinkingConfig",
  "responseModalities",
];

export function chatFromGemini(raw: JsonObject, model: string): ChatRequest {
  const native = camel(raw);
  only(native, "", ...FIELDS);
  const settings = camel(native.generationConfig);
  only(settings, "generationConfig", ...GENERATION);
  const modalities = asArray(settings.responseModalities);
  if (modalities.some((one) => one !== "TEXT")) notPlain("modalities");
  const system = textOf(native.systemInstruction);
  const contents = asArray(native.contents).map(camel).flatMap(messagesOf);
  return chatRequest(model, [...(system ? [{ role: "system", content: system }] : []), ...contents], {
    temperature: settings.temperature,
    max_tokens: settings.maxOutputTokens,
    top_p: settings.topP,
    n: settings.candidateCount === 1 ? undefined : settings.candidateCount,
    stop: settings.stopSequences,
    seed: settings.seed,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    logprobs: settings.responseLogprobs,
    top_logprobs: settings.logprobs,
    response_format: formatOf(settings),
    tools: asArray(native.tools).map(camel).flatMap(toolsOf),
    tool_choice: choiceOf(camel(camel(native.toolConfig).functionCallingConfig)),
  });
}

function textOf(content: unknown): string {
  const { parts } = asObject(content);
  const list = Array.isArray(parts) ? parts : [parts];
  return list.map((part) => asString(asObject(part).text) ?? "").join("\n");
}

function formatOf(settings: JsonObject): JsonObject | undefined {
  if (settings.responseMimeType !== "application/json") {
    return settings.responseMimeType && settings.responseMimeType !== "text/plain"
      ? notPlain("mime type")
      : undefined;
  }
  const schema = settings.responseSchema ?? settings.responseJsonSchema;
  if (!schema) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "answer", schema: plainSchema(schema) } };
}

/** Ids consist of a name and its number within the turn, because Gemini pairs calls and results by these. */
function messagesOf(content: JsonObject): JsonObject[] {
  only(content, "content", "role", "parts");
  const parts = asArray(content.parts).map(camel);
  if (content.role === "model") return [assistantOf(parts)];
  const responses = parts.map((part) => part.functionResponse).filter(isObject);
  const results = responses.map((response, position) =>
    toolMessageOf(response, responses.slice(0, position)),
  );
  const others = parts.filter((part) => !isObject(part.functionResponse)).map(partOf);
  if (results.length > 0 && others.length > 0) notPlain("results among parts");
  return results.length > 0 ? results : [{ role: "user", content: others }];
}

function idOf(name: unknown, before: readonly JsonObject[]): string {
  const times = before.filter((one) => one.name === name).length;
  return `call_${String(name).replace(/\W/g, "_")}_${times}`;
}

function assistantOf(parts: readonly JsonObject[]): JsonObject {
  const texts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.thought === true) notPlain("thought");
    if (!isObject(part.functionCall)) {
      if (calls.length > 0 && part.text) notPlain("text after a call");
      texts.push(partOf(part));
      continue;
    }
    only(part, "part", "functionCall", "thoughtSignature", "thought");
    only(part.functionCall, "functionCall", "name", "args", "id");
    const fn = { name: part.functionCall.name, arguments: JSON.stringify(part.functionCall.args ?? {}) };
    const google = { google: { thought_signature: part.thoughtSignature } };
    const extra = part.thoughtSignature ? { extra_content: google } : {};
    const before = calls.map((call) => asObject(call.function));
    calls.push({ id: idOf(fn.name, before), type: "function", function: fn, ...extra });
  }
  return without({ role: "assistant", content: texts, tool_calls: calls });
}

function toolMessageOf(result: JsonObject, before: readonly JsonObject[]): JsonObject {
  const { name, response, ...rest } = result;
  only(rest, "functionResponse", "id");
  const inner = asObject(response).result ?? asObject(response).output;
  const single = Object.keys(asObject(response)).length === 1 && typeof inner === "string";
  return {
    role: "tool",
    tool_call_id: idOf(name, before),
    content: single ? inner : JSON.stringify(response),
  };
}

function partOf(part: JsonObject): JsonObject {
  if (typeof part.text === "string" && part.thought !== true) {
    only(part, "part", "text", "thought", "thoughtSignature");
    return { type: "text", text: part.text };
  }
  only(part, "part", "inlineData", "thought");
  const { mimeType, data } = camel(part.inlineData);
  const url = `data:${String(mimeType)};base64,${String(data)}`;
  if (/^image\//.test(String(mimeType))) return { type: "image_url", image_url: { url } };
  if (mimeType === "audio/wav") return { type: "input_audio", input_audio: { data, format: "wav" } };
  return { type: "file", file: { file_data: url } };
}

function toolsOf(tool: JsonObject): JsonObject[] {
  only(tool, "tool", "functionDeclarations");
  return asArray(tool.functionDeclarations).map((one) => {
    const { name, description, parameters, parametersJsonSchema, ...rest } = camel(one);
    only(rest, "functionDeclaration");
    const schema = lowerTypes(parameters ?? parametersJsonSchema);
    return { type: "function", function: without({ name, description, parameters: schema }) };
  });
}

function choiceOf(config: JsonObject): unknown {
  only(config, "functionCallingConfig", "mode", "allowedFunctionNames");
  const names = asArray(config.allowedFunctionNames);
  if (config.mode === "VALIDATED" && names.length === 0) notPlain("VALIDATED");
  if (config.mode === "NONE") return "none";
  if (config.mode === "VALIDATED") return allowFunctions("auto", names);
  if (config.mode !== "ANY") return config.mode === "AUTO" ? "auto" : undefined;
  if (names.length === 0) return "required";
  if (names.length === 1) return { type: "function", function: { name: names[0] } };
  return allowFunctions("required", names);
}

function allowFunctions(mode: "auto" | "required", names: readonly unknown[]): JsonObject {
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode, tools } };
}

/** A schema as a client writes it. Google's format lacks some JSON Schema keywords, and references may be inlined. */
function plainSchema(schema: unknown): unknown {
  const foreign = /"(\$ref|any_of|property_ordering)":/.exec(JSON.stringify(schema) ?? "");
  return foreign ? notPlain(`schema with ${foreign[1]}`) : lowerTypes(schema);
}

/** Google's schemas write types in capitals, JSON Schema in lower case. `$schema` means nothing to a model. */
function lowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerTypes);
  if (!isObject(schema)) return schema;
  const { $schema: _draft, ...words } = schema;
  const entries = Object.entries(words).map(([field, value]) => {
    return [
      field,
      field === "type" && typeof value === "string" ? value.toLowerCase() : lowerTypes(value),
    ] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Normalisations: schema fields may have either name, with types in lower case; ids of calls are dropped (Gemini pairs
 * by name); signatures are kept on calls only, without the documented sentinel for a missing one; results are
 * unwrapped; audio/x-wav is audio/wav; adjacent texts are joined; thinkingConfig is the adapter's choice by model;
 * defaults are dropped (role user, mode AUTO, one candidate, text/plain, modality TEXT).
 */
export function canonicalGemini(raw: JsonObject): JsonObject {
  const body = camel(raw);
  const settings = camel(body.generationConfig);
  const { responseSchema, responseJsonSchema, responseMimeType, candidateCount, ...rest } = settings;
  const choice = camel(camel(body.toolConfig).functionCallingConfig);
  const turns = asArray(body.contents).map((one) => {
    const { role, parts } = asObject(one);
    return { role: role ?? "user", parts: asArray(parts).flatMap(canonicalPart) };
  });
  return {
    ...without(body, "toolConfig", "model"),
    contents: merged(turns).map(({ role, parts }) => ({
      role,
      parts: joinedTexts(asArray(parts).map(asObject)),
    })),
    systemInstruction: textOf(body.systemInstruction),
    tools: asArray(body.tools).map(camel).flatMap(toolsOf),
    toolChoice: choice.mode === "AUTO" ? {} : choice,
    generationConfig: without(
      {
        ...rest,
        schema: lowerTypes(responseSchema ?? responseJsonSchema),
        mime: responseMimeType === "text/plain" ? undefined : responseMimeType,
        candidateCount: candidateCount === 1 ? undefined : candidateCount,
      },
      "thinkingConfig",
      "responseModalities",
    ),
  };
}

/** The sentinel as documented, and its bytes in base64. */
const SENTINELS: readonly unknown[] = [
  "skip_thought_signature_validator",
  btoa("skip_thought_signature_validator"),
];

function canonicalPart(raw: unknown): JsonObject[] {
  const part = camel(raw);
  if (isObject(part.functionCall)) {
    const { name, args } = part.functionCall;
    const signature = SENTINELS.includes(part.thoughtSignature) ? undefined : part.thoughtSignature;
    return [without({ call: name, args: args ?? {}, signature })];
  }
  if (isObject(part.functionResponse)) {
    const { name, response } = part.functionResponse;
    return [{ result: name, response: toolResult(response) }];
  }
  if (part.text === "") return [];
  const inline = part.inlineData ? { inlineData: usuallyNamed(camel(part.inlineData)) } : {};
  return [without({ ...part, ...inline }, "thought", "thoughtSignature")];
}

/** The gateway writes the media type that Google documents for waveform sound. */
function usuallyNamed(data: JsonObject): JsonObject {
  return data.mimeType === "audio/x-wav" ? { ...data, mimeType: "audio/wav" } : data;
}

function joinedTexts(parts: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part.text === "string" && typeof last?.text === "string") last.text += part.text;
    else joined.push(part);
  }
  return joined;
}
