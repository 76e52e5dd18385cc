// Errors in the configuration: file, line, column, field, what is wrong and what is expected, without any secret.
import { MINUTE_LIMITS } from "../core/limits/limit-table.ts";

/** The path to a field: names in mappings and indices in lists. */
export type Path = readonly (string | number)[];

/** An error at a field, before its place in the text is known. */
export interface Issue {
  readonly path: Path;
  /** True if the name of the field is at fault, rather than its value. */
  readonly at: "key" | "value";
  readonly message: string;
  /** Finds a longer message that takes time, as one that names the nearest of all models. Only called if the issue is shown. */
  readonly explain?: (() => string) | undefined;
  /** The environment variable at fault, if it isn't a field of the file. */
  readonly variable?: string;
}

/** The errors, in the order in which they were found. */
export class Issues {
  readonly all: Issue[] = [];

  atKey(path: Path, message: string, explain?: Issue["explain"]): void {
    this.all.push({ path, at: "key", message, explain });
  }

  atValue(path: Path, message: string, explain?: Issue["explain"]): void {
    this.all.push({ path, at: "value", message, explain });
  }

  atVariable(variable: string, message: string): void {
    this.all.push({ path: [], at: "value", variable, message });
  }
}

export interface ConfigError {
  readonly file: string;
  /** Counted from 1; 0 if there is no text, as for the environment or a file that can't be read. */
  readonly line: number;
  readonly column: number;
  /** For example `providers.OpenAI.timeouts.connect`; empty for the whole file. */
  readonly field: string;
  readonly message: string;
}

/** Nobody would read more. */
export const ERRORS_MAX = 20;
const SHOWN_CHARACTERS_MAX = 60;
const HIDDEN = "…";
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

/** Fields whose values are never shown, nor anything below them, even if the schema doesn't know it. */
const SECRET_FIELD =
  /^(keys?|store|headers|service_account|aws|auth)$|(^|_)(token|password)$|secret|credential/i;
/** Below these, the names of fields are hidden too, because `keys: [{ THE_KEY: 2 }]` is an easy mistake. */
const KEY_FIELD = /^(keys?|admin_token|store)$/;
/** The operator's words and values that are never found may be names of people: none is shown, wherever it stands. */
const isBelowWords = ([section, field]: Path) =>
  section === "guard" && (field === "words" || field === "allow");
const LIST_NAME = /^[a-z][a-z0-9]{1,11}$/;
const NAMES_BELOW_KEYS: ReadonlySet<string> = new Set([
  "key",
  "name",
  "weight",
  ...MINUTE_LIMITS.map(({ name }) => name),
]);

/** Matches texts that look like secrets: passwords in addresses, values in queries, vendors' prefixes, UUIDs. */
const SECRET_LOOKS: readonly (readonly [RegExp, string])[] = [
  [/\/\/[^\s"]*@/g, `//${HIDDEN}@`],
  [/([?&][^\s"&=]*=)[^\s"&]*/g, `$1${HIDDEN}`],
  [/-----BEGIN .*/gs, HIDDEN],
  [/\bBearer\s+[^\s"]+/gi, HIDDEN],
  [/\b(?:sk|pk|rk|gsk|csk|xai|pplx|nvapi|tgp|fw|hf|ghp|glpat|whsec)[-_][\w-]{6,}/g, HIDDEN],
  [/\b(?:AIza|AKIA|ASIA|eyJ|ya29)[\w.-]{8,}/g, HIDDEN],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, HIDDEN],
];
const WORD = /[\w+/=-]{20,}/g;
const BETWEEN_RUNS = /[^A-Za-z0-9+=]+/;
/** Hex and base64 have runs of this length; names of models, headers and time zones don't. */
const RUN_CHARACTERS = 20;

/** Hides everything in the text that looks like a secret. */
function mask(text: string): string {
  const rest = SECRET_LOOKS.reduce((left, [look, instead]) => left.replace(look, instead), text);
  return rest.replace(WORD, (word) => (isRandom(word) ? HIDDEN : word));
}

function isRandom(word: string): boolean {
  return word.split(BETWEEN_RUNS).some((run) => run.length >= RUN_CHARACTERS && /\d/.test(run));
}

/** Creates an error in which everything that looks like a secret is hidden. Errors are only created here. */
export function createError({ file, line, column, field, message }: ConfigError): ConfigError {
  return { file, line, column, field: mask(field), message: mask(message) };
}

export function formatField(path: Path): string {
  let field = "";
  for (const [at, step] of path.entries()) {
    if (typeof step === "number") field += `[${step}]`;
    else if (isKeyName(path, at) || isWord(path, at)) field += `.${HIDDEN}`;
    else if (PLAIN_NAME.test(step)) field += field === "" ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
  }
  return field;
}

/** True if the step is an unknown name below a field of keys, and so may be a key. */
function isKeyName(path: Path, at: number): boolean {
  const isBelow = path.slice(0, at).some((step) => typeof step === "string" && KEY_FIELD.test(step));
  return isBelow && !NAMES_BELOW_KEYS.has(String(path[at]));
}

/** True if the step may be a word, written where the name of a list belongs. */
function isWord(path: Path, at: number): boolean {
  return at > 1 && isBelowWords(path) && (at > 2 || !LIST_NAME.test(String(path[at])));
}

/** Formats a value for an error at that field: short, on one line, and hidden if it may be a secret. */
export function showValue(value: unknown, path: Path): string {
  if (value === null || value === undefined || typeof value === "object") return nameKind(value);
  const isSecret = (step: string | number) => typeof step === "string" && SECRET_FIELD.test(step);
  if (isBelowWords(path) || path.some(isSecret)) return "a hidden value";
  // It is masked before it is cut, because half a secret no longer looks like one.
  const json = mask(JSON.stringify(value) ?? String(value));
  return json.length > SHOWN_CHARACTERS_MAX ? `${json.slice(0, SHOWN_CHARACTERS_MAX)}…` : json;
}

/** Names the kind of a value, without the value. */
export function nameKind(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? "a string" : `a ${typeof value}`;
}

/** Formats the error as one line: `poundkey.yaml:12:5: providers.OpenAI.timeouts.connect: expected …`. */
export function formatError(error: ConfigError): string {
  const place = error.line > 0 ? `${error.file}:${error.line}:${error.column}` : error.file;
  return [place, error.field, error.message].filter((part) => part !== "").join(": ");
}
