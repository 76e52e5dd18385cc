// `response_format` as one server takes it; a schema that it can't enforce becomes an instruction.

import type { JsonObject } from "../../core/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { wantsJson } from "./effort.ts";
import { mentionsJson } from "./messages.ts";
import type { OpenaiQuirks } from "./quirks.ts";
import { toMoonshotSchema } from "./schema.ts";
import type { ToolPlan } from "./tools.ts";

const JSON_WORDS = "Answer with one JSON object and nothing else.";

/** `thinks` and `withTools` say what the call will be like: some providers refuse JSON together with either. */
export function planFormat(
  request: ChatRequest,
  quirks: OpenaiQuirks,
  thinks: boolean,
  withTools: boolean,
): ToolPlan {
  const format = request.response_format;
  if (format === undefined || !wantsJson(request)) return { fields: {}, instruction: null, dropped: [] };
  const isRefused =
    (withTools && !quirks.jsonWithTools) ||
    (thinks && quirks.thinkingExcludes.some((what) => what === "json"));
  if (isRefused) return { fields: {}, instruction: writeInstruction(format), dropped: ["response_format"] };
  if (format.type !== "json_schema") {
    const instruction = mentionsJson(request.messages) ? null : JSON_WORDS;
    return { fields: { response_format: format }, instruction, dropped: [] };
  }
  if (!quirks.jsonSchema) {
    const fields = { response_format: { type: "json_object" } };
    return { fields, instruction: writeInstruction(format), dropped: ["response_format"] };
  }
  const { schema } = format.json_schema;
  if (schema === undefined || quirks.schema === "any") {
    return { fields: { response_format: format }, instruction: null, dropped: [] };
  }
  const flavoured = { ...format.json_schema, schema: toMoonshotSchema(schema) };
  return {
    fields: { response_format: { ...format, json_schema: flavoured } },
    instruction: null,
    dropped: [],
  };
}

function writeInstruction(format: NonNullable<ChatRequest["response_format"]>): string {
  const schema: JsonObject | undefined =
    format.type === "json_schema" ? format.json_schema.schema : undefined;
  if (schema === undefined) return JSON_WORDS;
  return `${JSON_WORDS} It must be valid under this JSON Schema:\n${JSON.stringify(schema)}`;
}
