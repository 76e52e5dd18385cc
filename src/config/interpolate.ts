// Replaces `${NAME}` and `${file:/path}` in the configuration's values by environment variables and the texts of files.
import type { Issue, Path } from "./errors.ts";
import type { YamlText } from "./yaml.ts";

/** The sources of values that aren't in the configuration file. */
export interface Environment {
  /** Returns an environment variable, or undefined if it isn't set. */
  readonly env: (name: string) => string | undefined;
  /** Returns a file's text. Throws if it can't be read. */
  readonly readFile: (path: string) => string;
}

export interface Interpolated {
  /** The texts as they were written, by the JSON form of their path. Errors show them in place of the values. */
  readonly sources: ReadonlyMap<string, string>;
  /** The values of variables and files, each with the path of the field that it is in. */
  readonly resolved: readonly Resolved[];
  readonly issues: readonly Issue[];
}

export interface Resolved {
  readonly path: Path;
  readonly value: string;
}

/** `$${` stands for `${` itself. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FILE_PREFIX = "file:";

/** Replaces the references in the text's values. Each one that can't be resolved is an issue. */
export function interpolate(text: YamlText, environment: Environment): Interpolated {
  const sources = new Map<string, string>();
  const issues: Issue[] = [];
  const resolved: Resolved[] = [];
  for (const { path, scalar } of text.texts()) {
    const source = scalar.value;
    if (!source.includes("${")) continue;
    sources.set(JSON.stringify(path), source);
    const wrong = (message: string) => issues.push({ path, at: "value", message });
    const onValue = (value: string) => resolved.push({ path, value });
    scalar.value = replaceReferences(source, environment, wrong, onValue);
  }
  return { sources, resolved, issues };
}

function replaceReferences(
  source: string,
  { env, readFile }: Environment,
  wrong: (message: string) => void,
  onValue: (value: string) => void,
): string {
  const resolve = (name: string): string => {
    const path = name.startsWith(FILE_PREFIX) ? name.slice(FILE_PREFIX.length) : null;
    try {
      const value = (path === null ? env(name) : readFile(path))?.trim() ?? "";
      if (value === "")
        wrong(path === null ? `the environment variable ${name} is not set` : `the file ${path} is empty`);
      onValue(value);
      return value;
    } catch {
      wrong(`the file ${path} can't be read`);
      return "";
    }
  };
  return source.replace(REFERENCE, (reference, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!reference.endsWith("}")) wrong("${ has no closing brace");
    else if (name.startsWith(FILE_PREFIX) || VARIABLE.test(name)) return resolve(name);
    else wrong(`expected a variable, as in \${NAME}, or a file, as in \${file:/path}`);
    return reference;
  });
}

/** Returns the number or boolean that an interpolated text spells, or undefined if it spells none. */
export function parseTyped(value: string): number | boolean | undefined {
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return Number(value);
  return value === "true" ? true : value === "false" ? false : undefined;
}

/** True if a path is at or below the path of an issue, so that the value is already known to be wrong. */
export function isWithin(path: Path, issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.path.every((step, at) => path[at] === step));
}
