// Reads a Gemini request into a prompt.
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { countBase64Bytes } from "./formats.ts";
import type { Media, OfferedTool, Prompt, Turn } from "./types.ts";

function readMedia(part: JsonObject): readonly Media[] {
  const { mimeType, data, fileUri } = asObject(part.inlineData ?? part.fileData);
  if (mimeType === undefined && fileUri === undefined) return [];
  const kind = /^(image|audio)/.exec(String(mimeType))?.[1];
  const bytes = typeof data === "string" ? countBase64Bytes(data) : null;
  return [
    {
      kind: kind === "image" || kind === "audio" ? kind : "file",
      mediaType: String(mimeType ?? fileUri),
      bytes,
    },
  ];
}

function readText(content: unknown): string {
  return asArray(asObject(content).parts)
    .map(asObject)
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => asString(text) ?? "")
    .join("");
}

/** Returns the text of a function response: its `result` or `output`, or else its JSON. */
function readResult(response: unknown): string {
  const { result, output } = asObject(response);
  return asString(result) ?? asString(output) ?? JSON.stringify(response);
}

function readTurns(content: JsonObject): readonly Turn[] {
  const parts = asArray(content.parts).filter(isObject);
  const text = readText(content);
  if (content.role === "model") {
    const calls = parts.flatMap(({ functionCall }) => {
      if (!isObject(functionCall)) return [];
      const name = String(functionCall.name);
      return [{ id: name, name, input: JSON.stringify(functionCall.args ?? {}) }];
    });
    return [{ role: "assistant", text, calls }];
  }
  const results: Turn[] = parts.flatMap(({ functionResponse }) => {
    if (!isObject(functionResponse)) return [];
    const { name, response } = functionResponse;
    return [{ role: "tool", text: readResult(response), answers: String(name) }];
  });
  const only = results.length > 0 && results.length === parts.length;
  return only ? results : [...results, { role: "user", text, media: parts.flatMap(readMedia) }];
}

function readTools(body: JsonObject): readonly OfferedTool[] {
  return asArray(body.tools)
    .flatMap((each) => asArray(asObject(each).functionDeclarations))
    .map((each) => {
      const { name, parameters, parametersJsonSchema } = asObject(each);
      return { name: String(name), schema: asObject(parameters ?? parametersJsonSchema) };
    });
}

function readToolChoice(body: JsonObject): Prompt["toolChoice"] {
  const { mode, allowedFunctionNames } = asObject(asObject(body.toolConfig).functionCallingConfig);
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  const allowed = asArray(allowedFunctionNames);
  return allowed.length === 1 ? { name: String(allowed[0]) } : "required";
}

/** True if the model thinks. Gemini models do unless the budget is 0; others only do on request. */
function isThinking(config: JsonObject, model: string): boolean {
  const { thinkingBudget, thinkingLevel, includeThoughts } = asObject(config.thinkingConfig);
  if (thinkingBudget === 0) return false;
  const asked = includeThoughts === true || thinkingLevel !== undefined || thinkingBudget !== undefined;
  return asked || model.includes("think") || /^gemini-([3-9]|2\.5-pro)/.test(model);
}

/** Reads a request into a prompt. */
export function readPrompt(body: JsonObject, model: string): Prompt {
  const config = asObject(body.generationConfig);
  const system = readText(body.systemInstruction);
  const schema = config.responseSchema ?? config.responseJsonSchema;
  return {
    turns: [
      ...(system === "" ? [] : [{ role: "system", text: system } as const]),
      ...asArray(body.contents).filter(isObject).flatMap(readTurns),
    ],
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    parallelCalls: true,
    format:
      config.responseMimeType === "application/json" ? { schema: isObject(schema) ? schema : null } : null,
    isThinking: isThinking(config, model),
    stop: asArray(config.stopSequences).map(String),
    outputTokensMax: asNumber(config.maxOutputTokens) ?? null,
    choices: asNumber(config.candidateCount) ?? 1,
  };
}
