// Refuses what the gateway's own table says of a provider by count and kind, in words like the provider's.
import { asArray, asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { type Refusal, readMost } from "../../../src/core/models/refusals.ts";
import { TARGET_ROWS } from "../../../src/core/models/target-rows.ts";
import { reject } from "../../../src/simulator/problem.ts";

/** One server simulates several providers, which are told apart by the names of their models. */
const PROVIDER_BY_MODEL: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|chatgpt|o\d)/, "OpenAI"],
  [/^grok/, "xAI"],
  [/^llama-\S+-(versatile|instant)/, "Groq"],
  [/^gemini/, "Google"],
  [/^claude/, "Anthropic"],
  [/^lmstudio-/, "LMStudio"],
];

export function checkTargetRows(body: JsonObject, model: string): void {
  const provider = PROVIDER_BY_MODEL.find(([names]) => names.test(model))?.[1];
  const rows = TARGET_ROWS.filter(
    ({ providers, names }) => providers.some((one) => one === provider) && names?.test(model) !== false,
  );
  const refuses = rows.flatMap((row) => row.refuses);
  if (refuses.length === 0) return;
  checkTools(countTools(body), refuses);
  if (refuses.includes("video") && hasVideo(body.messages))
    reject(
      "value",
      "Invalid value: 'video_url'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'audio'.",
      ["messages"],
    );
  checkPictures(body.messages, refuses);
  for (const type of listPictureTypes(body.messages ?? body.input ?? body.contents))
    if (refuses.some((refusal) => refusal === `picture_${type}`))
      reject("value", `Unsupported image type: image/${type}.`);
}

function checkTools(count: number, refuses: readonly Refusal[]): void {
  for (const refusal of refuses) {
    const most = readMost(refusal, "tools");
    if (most !== null && count > most)
      reject(
        "value",
        `Invalid 'tools': array too long. Expected an array with maximum length ${most}, but got an array with length ${count} instead.`,
        ["tools"],
        "array_above_max_length",
      );
  }
}

/** Anthropic measures the base64. */
function checkPictures(value: unknown, refuses: readonly Refusal[]): void {
  const most = Math.min(...refuses.flatMap((refusal) => readMost(refusal, "picture_bytes") ?? []));
  for (const bytes of listPictureSizes(value))
    if (bytes > most) reject("value", `image exceeds 5 MB maximum: ${bytes} bytes > ${most} bytes`);
}

function listPictureSizes(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(listPictureSizes);
  if (!isObject(value)) return [];
  const { media_type: type, data } = value;
  if (typeof type === "string" && type.startsWith("image/") && typeof data === "string") return [data.length];
  return Object.values(value).flatMap(listPictureSizes);
}

function hasVideo(messages: unknown): boolean {
  const parts = asArray(messages).flatMap((message) => asArray(asObject(message).content));
  return parts.some((part) => asObject(part).type === "video_url");
}

function countTools({ tools }: JsonObject): number {
  const counts = asArray(tools).map((tool) => asArray(asObject(tool).functionDeclarations).length || 1);
  return counts.reduce((sum, count) => sum + count, 0);
}

const DATA_TYPE = /^data:image\/(\w+)/;
const TYPE = /^image\/(\w+)$/;

/** Of the data URLs and MIME types in any place. */
function listPictureTypes(value: unknown): readonly string[] {
  if (typeof value === "string") return (DATA_TYPE.exec(value) ?? TYPE.exec(value))?.slice(1, 2) ?? [];
  if (Array.isArray(value)) return value.flatMap(listPictureTypes);
  return isObject(value) ? Object.values(value).flatMap(listPictureTypes) : [];
}
