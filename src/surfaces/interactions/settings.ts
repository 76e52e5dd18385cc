// The settings of an interaction as fields of a chat request: sampling, thinking, tools, and the answer's format.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { ChatRequest, ResponseFormat } from "../../operations/chat/form.ts";
import { parseEffort } from "../../operations/chat/prompt/effort.ts";
import { refuseType } from "./contents.ts";
import { LABEL_CHARACTERS_MAX } from "./schema.ts";

const JSON_TYPE = "application/json";
const PLAIN_TYPE = "text/plain";
const OTHER_MEDIA: ReadonlySet<unknown> = new Set(["image", "audio", "video"]);

/** Number fields of `generation_config`, and their names in a chat request. */
const NUMBERS = {
  temperature: "temperature",
  top_p: "top_p",
  top_k: "top_k",
  max_output_tokens: "max_completion_tokens",
  seed: "seed",
} as const;

/** The fields of `generation_config` that are read. */
export const READ_CONFIG: readonly string[] = [
  ...Object.keys(NUMBERS),
  "stop_sequences",
  "thinking_level",
  "thinking_summaries",
  "tool_choice",
];

/** The client's names of the chat request's fields. */
export const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(NUMBERS).map(([from, to]) => [to, `generation_config.${from}`])),
  stop: "generation_config.stop_sequences",
  reasoning_effort: "generation_config.thinking_level",
  include_reasoning: "generation_config.thinking_summaries",
  tool_choice: "generation_config.tool_choice",
  validates_calls: "generation_config.tool_choice",
  metadata: "labels",
  messages: "input",
  ...Object.fromEntries(
    ["image_url", "video_url", "file", "input_audio"].map((type) => [`messages.${type}`, "input.content"]),
  ),
};

export function readConfig(config: JsonObject): Partial<ChatRequest> {
  const fields: JsonObject = {};
  for (const [from, to] of Object.entries(NUMBERS)) fields[to] = asNumber(config[from]);
  const stops = asArray(config.stop_sequences).filter((stop) => typeof stop === "string");
  return {
    ...fields,
    stop: stops.length > 0 ? stops : undefined,
    reasoning_effort: parseEffort(config.thinking_level),
    include_reasoning: config.thinking_summaries === "auto" ? true : undefined,
  };
}

/** Returns the settings in the form of generateContent, whose words are in capitals. */
export function readSafety(settings: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(settings) || settings.length === 0) return undefined;
  return settings.map(asObject).map(({ type, threshold, method }) => ({
    // Some write the category as generateContent has it.
    category: `HARM_CATEGORY_${String(type)
      .toUpperCase()
      .replace(/^HARM_CATEGORY_/, "")}`,
    threshold: String(threshold).toUpperCase(),
    ...(typeof method === "string" ? { method: method.toUpperCase() } : {}),
  }));
}

interface ReadFormat {
  readonly format: ResponseFormat | undefined;
  /** The names of what no format of a chat request says. */
  readonly lost: readonly string[];
}

/** Throws a Fault for an answer that is no text. */
export function readFormat({
  response_format: given,
  response_mime_type: type,
  response_modalities: modalities,
}: JsonObject): ReadFormat {
  const other = asArray(modalities).findIndex((one) => one !== "text");
  if (other !== -1) throw refuseMedia(`response_modalities[${other}]`);
  const lost = type === undefined || type === JSON_TYPE || type === PLAIN_TYPE ? [] : ["response_mime_type"];
  const [one, path] = findFormat(given);
  if (one === undefined) {
    const format: ResponseFormat | undefined = type === JSON_TYPE ? { type: "json_object" } : undefined;
    return { format, lost };
  }
  if (OTHER_MEDIA.has(one.type)) throw refuseMedia(`${path}.type`);
  if (one.type !== "text") return { format: makeFormat(one), lost };
  const { mime_type: mediaType } = one;
  const schema = readSchema(one, path);
  if (mediaType === JSON_TYPE) {
    const format = schema ? makeFormat(schema) : ({ type: "json_object" } as const);
    return { format, lost };
  }
  const isPlain = mediaType === undefined || mediaType === null || mediaType === PLAIN_TYPE;
  return { format: undefined, lost: isPlain && schema === null ? lost : [...lost, path] };
}

function findFormat(value: unknown): readonly [format: JsonObject | undefined, path: string] {
  if (!Array.isArray(value)) return [isObject(value) ? value : undefined, "response_format"];
  if (value.length > 1) {
    const message = "'response_format' has several entries: a model here gives one text.";
    throw new Fault("unsupported_capability", message, { param: "response_format" });
  }
  const [only] = value;
  const one = isObject(only) ? only : undefined;
  if (one !== undefined && !OTHER_MEDIA.has(one.type) && one.type !== "text")
    throw invalidValue("response_format[0].type", "expected 'text'");
  return [one, "response_format[0]"];
}

function readSchema({ schema }: JsonObject, path: string): JsonObject | null {
  if (schema === undefined || schema === null) return null;
  if (!isObject(schema)) throw refuseType(`${path}.schema`, "an object");
  return schema;
}

function makeFormat(schema: JsonObject): ResponseFormat {
  return { type: "json_schema", json_schema: { name: "answer", schema }, is_guaranteed: true };
}

function refuseMedia(param: string): Fault {
  const message = `'${param}' asks for an answer that isn't text, which this API doesn't give here. For pictures use POST /v1/images/generations, for speech POST /v1/audio/speech.`;
  return new Fault("unsupported_capability", message, { param });
}

/** Empty labels are none. Throws a Fault for a key that is too long. */
export function readLabels(labels: unknown): Record<string, string> | undefined {
  const long = Object.keys(asObject(labels)).find((key) => key.length > LABEL_CHARACTERS_MAX);
  if (long !== undefined) {
    const message = `Invalid 'labels': the key '${long.slice(0, 20)}…' is too long. Expected at most ${LABEL_CHARACTERS_MAX} characters.`;
    throw new Fault("string_above_max_length", message, { param: "labels" });
  }
  const pairs = Object.entries(asObject(labels)).flatMap(([key, value]): [string, string][] => {
    const text = asString(value);
    return text === undefined ? [] : [[key, text]];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
