// Reading what an operator sent: each reader takes a value and the field's name, and gives it typed or throws the Fault that says what is wrong.
import { WEIGHT_MAX, WEIGHT_MIN } from "../core/alias.ts";
import { Fault, type FaultCode } from "../core/fault.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { type NanoUsd, toNanoUsd } from "../core/money.ts";

const NAME_CHARACTERS_MAX = 100;
const NOTE_CHARACTERS_MAX = 500;
const MODELS_MAX = 1000;
const REQUESTS_PER_DAY_MAX = 1_000_000_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const MODEL_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}#[^\s#]{1,200}$/;
const IDEMPOTENCY_KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;
const INSTANT_SHAPE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

export type Read<T> = (value: unknown, param: string) => T;

function bad(code: FaultCode, param: string, message: string): Fault {
  return new Fault(code, message, { param });
}

/** The body as an object that has no other fields than these. */
export function readFields(body: unknown, names: readonly string[]): JsonObject {
  if (!isObject(body)) throw new Fault("invalid_type", "The body must be a JSON object.");
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return body;
  const shown = unknown.slice(0, 64);
  throw bad("unknown_parameter", shown, `Unknown parameter: '${shown}'. Known are: ${names.join(", ")}.`);
}

/** A field that has to be there. */
export function required<T>(fields: JsonObject, param: string, read: Read<T>): T {
  if (fields[param] !== undefined) return read(fields[param], param);
  throw bad("missing_required_parameter", param, `Missing required parameter: '${param}'.`);
}

/** A field that may be left out. */
export function optional<T>(fields: JsonObject, param: string, read: Read<T>): T | undefined {
  return fields[param] === undefined ? undefined : read(fields[param], param);
}

/** Reads null as itself, anything else by the reader. */
export function orNull<T>(read: Read<T>): Read<T | null> {
  return (value, param) => (value === null ? null : read(value, param));
}

export const readText: Read<string> = (value, param) => {
  if (typeof value === "string") return value;
  throw bad("invalid_type", param, `Invalid type for '${param}': expected a string.`);
};

/** A name for people: 1 to 100 characters, no control characters, not only spaces. */
export const readName: Read<string> = (value, param) => {
  const name = readLine(value, param, NAME_CHARACTERS_MAX);
  if (name !== "") return name;
  throw bad("empty_string", param, `Invalid '${param}': it must not be empty.`);
};

/** A remark of at most 500 characters, no control characters; null: it says nothing. */
export const readNote: Read<string | null> = (value, param) =>
  readLine(value, param, NOTE_CHARACTERS_MAX) || null;

function readLine(value: unknown, param: string, charactersMax: number): string {
  const line = readText(value, param).trim();
  if (line.length > charactersMax) {
    throw bad("string_above_max_length", param, `Invalid '${param}': at most ${charactersMax} characters.`);
  }
  if (!CONTROL.test(line) && line.isWellFormed()) return line;
  throw bad("invalid_value", param, `Invalid '${param}': it holds control characters.`);
}

/** The id of a top-up, so that repeating it makes no second one. */
export const readIdempotencyKey: Read<string> = (value, param) => {
  const key = readText(value, param);
  if (IDEMPOTENCY_KEY_SHAPE.test(key)) return key;
  throw bad("invalid_value", param, `Invalid '${param}': expected 1 to 255 visible ASCII characters.`);
};

/** A date or a date and time with its zone in ISO 8601, as Unix milliseconds. A date alone is its beginning in UTC. */
export const readInstant: Read<number> = (value, param) => {
  const text = readText(value, param);
  const date = INSTANT_SHAPE.exec(text)?.[1];
  const atMs = date === undefined ? Number.NaN : Date.parse(text);
  // `2026-02-30` would silently become a day in March.
  const isRealDate =
    date !== undefined && new Date(`${date}T00:00:00Z`).getUTCDate() === Number(date.slice(8));
  if (isRealDate && !Number.isNaN(atMs)) return atMs;
  throw bad(
    "invalid_value",
    param,
    `Invalid '${param}': expected a time in ISO 8601, as 2027-01-31T12:00:00Z.`,
  );
};

/** The ids of models and selectors, each once. */
export const readModels: Read<readonly string[]> = (value, param) => {
  if (!Array.isArray(value)) {
    throw bad(
      "invalid_type",
      param,
      `Invalid type for '${param}': expected a list of model ids, or null for all.`,
    );
  }
  if (value.length === 0) {
    throw bad(
      "empty_array",
      param,
      `Invalid '${param}': the list is empty, so the key could use nothing; null is all.`,
    );
  }
  if (value.length > MODELS_MAX) {
    throw bad("array_above_max_length", param, `Invalid '${param}': at most ${MODELS_MAX} model ids.`);
  }
  return [...new Set(value.map((id, index) => readModel(id, `${param}[${index}]`)))];
};

const readModel: Read<string> = (value, param) => {
  const id = readText(value, param);
  if (MODEL_SHAPE.test(id)) return id;
  throw bad(
    "invalid_value",
    param,
    `Invalid '${param}': expected a model id, as OpenAI#gpt-5.4 or Router#fair.`,
  );
};

/** An amount in USD, 0 or more, exact to a billionth. */
export const readUsd: Read<NanoUsd> = (value, param) => {
  if (typeof value !== "number") {
    throw bad("invalid_type", param, `Invalid type for '${param}': expected a number of USD.`);
  }
  if (value < 0) throw bad("decimal_below_min_value", param, `Invalid '${param}': expected 0 or more.`);
  const amount = toNanoUsd(value);
  if (amount !== null) return amount;
  throw bad(
    "invalid_value",
    param,
    `Invalid '${param}': expected USD exact to nine decimals, below nine million.`,
  );
};

/** An amount in USD above 0, exact to a billionth. */
export const readAmount: Read<NanoUsd> = (value, param) => {
  const amount = readUsd(value, param);
  if (amount > 0) return amount;
  throw bad("decimal_below_min_value", param, `Invalid '${param}': expected more than 0.`);
};

export const readBoolean: Read<boolean> = (value, param) => {
  if (typeof value === "boolean") return value;
  throw bad("invalid_type", param, `Invalid type for '${param}': expected true or false.`);
};

/** A number of requests, null for no limit, or "default" for what the configuration says. */
export const readRequestsPerDay: Read<number | null | "default"> = (value, param) => {
  if (value === null || value === "default") return value;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw bad("invalid_type", param, `Invalid type for '${param}': expected an integer, null or "default".`);
  }
  if (value < 0) throw bad("integer_below_min_value", param, `Invalid '${param}': expected 0 or more.`);
  if (value <= REQUESTS_PER_DAY_MAX) return value;
  throw bad(
    "integer_above_max_value",
    param,
    `Invalid '${param}': at most ${REQUESTS_PER_DAY_MAX}; null is unlimited.`,
  );
};

/** A whole number within bounds, also as the text of one: queries are text. */
export function readWhole(min: number, max: number): Read<number> {
  return (value, param) => {
    const isDigits = typeof value === "string" && /^\d{1,9}$/.test(value);
    const number = isDigits ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max)
      return number;
    throw bad("invalid_value", param, `Invalid '${param}': expected a whole number from ${min} to ${max}.`);
  };
}

/** One of the words that a field may be. */
export function readOption<Word extends string>(words: readonly Word[]): Read<Word> {
  return (value, param) => {
    const known = words.find((word) => word === value);
    if (known !== undefined) return known;
    const message = `Invalid '${param}': expected one of ${words.join(", ")}.`;
    throw new Fault("invalid_value", message, { param });
  };
}

/** A share of a load, relative to the others'. */
export const readWeight: Read<number> = (value, param) => {
  if (typeof value === "number" && value >= WEIGHT_MIN && value <= WEIGHT_MAX) return value;
  throw bad(
    "invalid_value",
    param,
    `Invalid '${param}': expected a number from ${WEIGHT_MIN} to ${WEIGHT_MAX}.`,
  );
};
