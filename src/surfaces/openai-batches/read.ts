// OpenAI's requests for batches, and the lines of their files.

import type { BatchMistake } from "../../core/batches/batch.ts";
import { Fault } from "../../core/faults/fault.ts";
import { asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { findFirstFault, invalidValue } from "../../core/json/schema-fault.ts";
import { parseDuration } from "../../core/text/duration.ts";
import type { LineForm } from "../batch-lines.ts";

const BATCH_ENDPOINTS = [
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/v1/embeddings",
  "/v1/completions",
  "/v1/moderations",
  "/v1/rerank",
  "/v1/images/generations",
] as const;
type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

const WINDOW = { minMs: 60_000, maxMs: 7 * 86_400_000 };
const OUTPUT_SECONDS = { min: 3600, max: 2_592_000 };
const PAIRS_MAX = 16;
const NAME_CHARACTERS_MAX = 64;
const VALUE_CHARACTERS_MAX = 512;
const CUSTOM_ID_CHARACTERS_MAX = 64;
const FIELDS = new Set([
  "input_file_id",
  "endpoint",
  "completion_window",
  "metadata",
  "output_expires_after",
]);

const TEXT = { type: "string" };
const TYPES = {
  properties: { input_file_id: TEXT, endpoint: TEXT, completion_window: TEXT },
  type: "object",
};

interface BatchOrder {
  readonly inputFileId: string;
  readonly endpoint: BatchEndpoint;
  readonly window: string;
  readonly windowMs: number;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Null for as long as files are kept. */
  readonly outputSeconds: number | null;
}

/** Throws the Fault of a field that isn't valid. */
export function readBatchOrder(body: unknown): BatchOrder {
  if (!isObject(body)) throw invalidValue("body", "expected a JSON object");
  for (const field of Object.keys(body))
    if (!FIELDS.has(field))
      throw new Fault("unknown_parameter", `Unknown parameter: '${field}'.`, { param: field });
  const wrong = findFirstFault(TYPES, body);
  if (wrong !== null) throw wrong;
  const { input_file_id: inputFileId, endpoint, completion_window: window } = body;
  if (typeof inputFileId !== "string" || inputFileId === "") throw makeMissing("input_file_id");
  if (endpoint === undefined) throw makeMissing("endpoint");
  const known = BATCH_ENDPOINTS.find((one) => one === endpoint);
  if (known === undefined) throw invalidValue("endpoint", `expected one of ${BATCH_ENDPOINTS.join(", ")}`);
  if (window === undefined) throw makeMissing("completion_window");
  const windowMs = typeof window === "string" ? parseDuration(window) : null;
  if (typeof window !== "string" || !windowMs || windowMs < WINDOW.minMs || windowMs > WINDOW.maxMs)
    throw invalidValue("completion_window", "expected a duration from 1m to 7d, such as 24h");
  return {
    inputFileId,
    endpoint: known,
    window,
    windowMs,
    metadata: readMetadata(body.metadata),
    outputSeconds: readOutputSeconds(body.output_expires_after),
  };
}

function makeMissing(param: string): Fault {
  return new Fault("missing_required_parameter", `Missing required parameter: '${param}'.`, { param });
}

function readMetadata(given: unknown): Readonly<Record<string, string>> | null {
  if (given === undefined || given === null) return null;
  if (!isObject(given)) throw invalidValue("metadata", "expected an object of texts");
  const pairs = Object.entries(given);
  if (pairs.length > PAIRS_MAX) throw invalidValue("metadata", `expected at most ${PAIRS_MAX} pairs`);
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const isValid = name.length <= NAME_CHARACTERS_MAX && typeof value === "string";
      if (!isValid || value.length > VALUE_CHARACTERS_MAX)
        throw invalidValue(
          `metadata.${name.slice(0, NAME_CHARACTERS_MAX)}`,
          `expected a name of at most ${NAME_CHARACTERS_MAX} and a text of at most ${VALUE_CHARACTERS_MAX} characters`,
        );
      return [name, value] as const;
    }),
  );
}

function readOutputSeconds(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const { anchor, seconds } = asObject(value);
  if (anchor !== "created_at") throw invalidValue("output_expires_after.anchor", "expected created_at");
  const { min, max } = OUTPUT_SECONDS;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < min || seconds > max)
    throw invalidValue("output_expires_after.seconds", `expected an integer from ${min} to ${max}`);
  return seconds;
}

/** Returns the form of the lines of a batch for this endpoint. */
export function makeOpenaiLines(endpoint: string, bytesMax: number): LineForm {
  return { body: "body", bytesMax, check: (line) => checkLine(line, endpoint) };
}

type LineMistake = Omit<BatchMistake, "line">;

function checkLine(line: JsonObject, endpoint: string): LineMistake | null {
  const { custom_id: customId, method, url, body } = line;
  for (const [param, value] of Object.entries({ custom_id: customId, method, url, body }))
    if (value === undefined)
      return mistake("missing_required_parameter", `This line has no '${param}'.`, param);
  if (!isCustomId(customId))
    return mistake(
      "invalid_custom_id",
      `'custom_id' must be a text of 1 to ${CUSTOM_ID_CHARACTERS_MAX} characters, none of them zero.`,
      "custom_id",
    );
  if (method !== "POST") return mistake("invalid_method", "'method' must be POST.", "method");
  if (url !== endpoint)
    return mistake("invalid_url", `'url' must be the batch's endpoint, ${endpoint}.`, "url");
  const { stream, background } = asObject(body);
  if (stream === true) return mistake("unsupported_parameter", "A line can't be streamed.", "body.stream");
  if (background === true)
    return mistake("unsupported_parameter", "A line can't run in the background.", "body.background");
  return null;
}

/** It is stored with the request: PostgreSQL's text holds no zero bytes. */
function isCustomId(value: unknown): boolean {
  if (typeof value !== "string" || value.includes("\0")) return false;
  return value !== "" && value.length <= CUSTOM_ID_CHARACTERS_MAX;
}

function mistake(code: string, message: string, param: string): LineMistake {
  return { code, message, param };
}
