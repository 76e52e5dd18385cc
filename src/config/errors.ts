// A mistake in the configuration, and how it is told: file, line, column, field, what is wrong and what would be right.

/** The way to a field: names of mappings and places in lists. */
export type Path = readonly (string | number)[];

/** A mistake at a field, before its place in the text is looked up. */
export interface Issue {
  readonly path: Path;
  /** Whether the name of the field is at fault, rather than its value. */
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
/** Name and password in an address. */
const CREDENTIALS = /\/\/[^\s/@"]*@/g;
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

export function fieldOf(path: Path): string {
  let field = "";
  for (const step of path) {
    if (typeof step === "number") field += `[${step}]`;
    else if (PLAIN_NAME.test(step)) field += field === "" ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
  }
  return field;
}

/** A value as an error shows it: short, on one line. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  const json = (JSON.stringify(value) ?? String(value)).replace(CREDENTIALS, "//…@");
  return json.length > SHOWN_CHARACTERS_MAX ? `${json.slice(0, SHOWN_CHARACTERS_MAX)}…` : json;
}

/** The error as one line of text: `poundkey.yaml:12:5: providers.OpenAI.timeouts.connect: expected …`. */
export function errorLine(error: ConfigError): string {
  const place = error.line > 0 ? `${error.file}:${error.line}:${error.column}` : error.file;
  return [place, error.field, error.message].filter((part) => part !== "").join(": ");
}
