// A mistake in the configuration, and how it is told: file, line, column, field, what is wrong and what would be right.

/** The way to a field: names of mappings and places in lists. */
export type Path = readonly (string | number)[];

/** A mistake at a field, before its place in the text is looked up. */
export interface Issue {
  readonly path: Path;
  /** True if the name of the field is at fault, rather than its value. */
  readonly at: "key" | "value";
  readonly message: string;
  /** The environment variable at fault, when it is not a field of the file. */
  readonly variable?: string;
}

export interface ConfigError {
  readonly file: string;
  /** From 1; 0 where there is no text: the environment, or a file that can't be read. */
  readonly line: number;
  readonly column: number;
  /** As `providers.OpenAI.timeouts.connect`; empty for the whole file. */
  readonly field: string;
  readonly message: string;
}

/** More would not be read. */
export const ERRORS_MAX = 20;
const SHOWN_CHARACTERS_MAX = 60;
const HIDDEN = "…";
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

/** Fields whose values are never shown, nor is anything below them, whether or not the schema knows it there. */
const SECRET_FIELD = /^(keys?|store|headers|service_account|aws)$|(^|_)(token|password)$|secret|credential/i;
/** Below these the names of fields are hidden too: `keys: [{ THE_KEY: 2 }]` is an easy mistake. */
const KEY_FIELD = /^(keys?|admin_token|store)$/;
const NAMES_BELOW_KEYS: ReadonlySet<string> = new Set(["key", "weight"]);

/** Texts that look like secrets, wherever they stand: passwords in addresses, values of queries, vendors' prefixes, UUIDs. */
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
/** Hex and base64 have runs as long; names of models, headers and zones don't. */
const RUN_CHARACTERS = 20;

/** The text without what looks like a secret in it. */
function mask(text: string): string {
  const rest = SECRET_LOOKS.reduce((left, [look, instead]) => left.replace(look, instead), text);
  return rest.replace(WORD, (word) => (isRandom(word) ? HIDDEN : word));
}

function isRandom(word: string): boolean {
  return word.split(BETWEEN_RUNS).some((run) => run.length >= RUN_CHARACTERS && /\d/.test(run));
}

/** The one way to make an error: nothing that looks like a secret gets into it, whatever the message quotes. */
export function createError({ file, line, column, field, message }: ConfigError): ConfigError {
  return { file, line, column, field: mask(field), message: mask(message) };
}

export function formatField(path: Path): string {
  let field = "";
  for (const [at, step] of path.entries()) {
    if (typeof step === "number") field += `[${step}]`;
    else if (isKeyName(path, at)) field += `.${HIDDEN}`;
    else if (PLAIN_NAME.test(step)) field += field === "" ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
  }
  return field;
}

/** True if the step names something below a field of keys that has no business there. */
function isKeyName(path: Path, at: number): boolean {
  const isBelow = path.slice(0, at).some((step) => typeof step === "string" && KEY_FIELD.test(step));
  return isBelow && !NAMES_BELOW_KEYS.has(String(path[at]));
}

/** A value as an error at that field shows it: short, on one line, and not at all where it may be a secret. */
export function showValue(value: unknown, path: Path): string {
  if (value === null || value === undefined || typeof value === "object") return nameKind(value);
  if (path.some((step) => typeof step === "string" && SECRET_FIELD.test(step))) return "another value";
  // Masked before it is cut: half a secret no longer looks like one.
  const json = mask(JSON.stringify(value) ?? String(value));
  return json.length > SHOWN_CHARACTERS_MAX ? `${json.slice(0, SHOWN_CHARACTERS_MAX)}…` : json;
}

/** The kind of value it is, without the value. */
export function nameKind(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** The error as one line of text: `poundkey.yaml:12:5: providers.OpenAI.timeouts.connect: expected …`. */
export function formatError(error: ConfigError): string {
  const place = error.line > 0 ? `${error.file}:${error.line}:${error.column}` : error.file;
  return [place, error.field, error.message].filter((part) => part !== "").join(": ");
}
