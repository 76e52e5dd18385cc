// Reads a request of Bedrock's Converse as the prompt that the responder answers.
import { asArray, asNumber, asObject, asString, isObject, type JsonObject, parseJson } from "../core/json.ts";
import { countBase64Bytes } from "./formats.ts";
import type { Media, Prompt, Turn } from "./types.ts";

export function readConverse(body: JsonObject, model: string): Prompt {
  const system = joinTexts(body.system);
  const { tools, toolChoice } = asObject(body.toolConfig);
  const { maxTokens, stopSequences } = asObject(body.inferenceConfig);
  const { structure } = asObject(asObject(body.outputConfig).textFormat);
  const { schema } = asObject(asObject(structure).jsonSchema);
  const format = parseJson(asString(schema) ?? "");
  return {
    turns: [
      ...(system === "" ? [] : [{ role: "system", text: system } as const]),
      ...asArray(body.messages).filter(isObject).flatMap(readTurns),
    ],
    tools: asArray(tools).flatMap((tool) => {
      const { toolSpec } = asObject(tool);
      if (!isObject(toolSpec)) return [];
      return { name: String(toolSpec.name), schema: asObject(asObject(toolSpec.inputSchema).json) };
    }),
    toolChoice: readChoice(asObject(toolChoice)),
    parallelCalls: true,
    format: isObject(format) ? { schema: format } : null,
    isThinking: isThinking(asObject(body.additionalModelRequestFields), model),
    stop: asArray(stopSequences).map(String),
    outputTokensMax: asNumber(maxTokens) ?? null,
    choices: 1,
  };
}

function isThinking(fields: JsonObject, model: string): boolean {
  const asked = fields.reasoningConfig ?? fields.reasoning_config ?? fields.reasoning_effort;
  return asked !== undefined || /gpt-oss|think/.test(model);
}

function readChoice({ any, tool }: JsonObject): Prompt["toolChoice"] {
  if (isObject(tool)) return { name: String(tool.name) };
  return isObject(any) ? "required" : "auto";
}

function joinTexts(blocks: unknown): string {
  return asArray(blocks)
    .map((block) => asString(asObject(block).text) ?? "")
    .join("");
}

function readTurns({ role, content }: JsonObject): readonly Turn[] {
  const blocks = asArray(content).filter(isObject);
  if (role === "assistant") {
    const calls = blocks.flatMap(({ toolUse }) => {
      if (!isObject(toolUse)) return [];
      const { toolUseId, name, input } = toolUse;
      return [{ id: String(toolUseId), name: String(name), input: JSON.stringify(input) }];
    });
    return [{ role: "assistant", text: joinTexts(blocks), calls }];
  }
  const results = blocks.flatMap(({ toolResult }): Turn[] => {
    if (!isObject(toolResult)) return [];
    const held = asArray(toolResult.content);
    const media = held.filter(isObject).flatMap(readMedia);
    return [{ role: "tool", text: joinTexts(held), answers: String(toolResult.toolUseId), media }];
  });
  const others = blocks.filter(({ toolResult, cachePoint }) => !toolResult && !cachePoint);
  if (results.length > 0 && others.length === 0) return results;
  return [...results, { role: "user", text: joinTexts(others), media: others.flatMap(readMedia) }];
}

function readMedia({ image, document }: JsonObject): readonly Media[] {
  const given = image ?? document;
  if (!isObject(given)) return [];
  const data = asString(asObject(given.source).bytes);
  const format = String(given.format);
  const kind = image === undefined ? "file" : "image";
  const mediaType = kind === "image" ? `image/${format}` : format === "pdf" ? "application/pdf" : format;
  return [{ kind, mediaType, bytes: data === undefined ? null : countBase64Bytes(data) }];
}
