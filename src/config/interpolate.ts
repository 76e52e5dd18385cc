// Replaces `${NAME}` and `${file:/path}` in the configuration's values by environment variables and the texts of files.
import type { Issue, Path } from "./errors.ts";
import type { YamlText } from "./yaml.ts";

/** The sources of values that aren't in the configuration file. */
export interface Environment {
  /** Returns an environment variable, or undefined if it isn't set. */
  readonly env: (name: string) => string | undefined;
  /**
   * Returns the text of a regular file of at most this many bytes. Throws a RefusedFile for any other, and the file
   * system's errors.
   */
  readonly readFile: (path: string, bytesMax: number) => string;
}

/** A file that isn't read. The message says why, as in "is not a regular file". */
export class RefusedFile extends Error {
  override readonly name = "RefusedFile";
}

/** Returns why a file couldn't be read, for an error. */
export function describeUnread(thrown: unknown): string {
  if (thrown instanceof RefusedFile) return thrown.message;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return UNREAD[code] ?? "can't be read";
}

const UNREAD: Readonly<Record<string, string>> = {
  ENOENT: "doesn't exist",
  ENOTDIR: "doesn't exist",
  EACCES: "can't be read: this user has no permission",
  EISDIR: "is a directory",
};

/** Certificates, tokens and key files are a few kilobytes long. */
export const VALUE_BYTES_MAX = 1_000_000;

export interface Interpolation {
  /** The texts as they were written, by the JSON form of their path. Errors show them in place of the values. */
  readonly sources: ReadonlyMap<string, string>;
  /** The values of variables and files, each with the path of the field that it is in. */
  readonly resolved: readonly ResolvedValue[];
  /** The paths of the files that the references name. */
  readonly files: readonly string[];
  readonly issues: readonly Issue[];
}

interface ResolvedValue {
  readonly path: Path;
  readonly value: string;
}

/** `$${` stands for `${` itself. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A text that is nothing but a variable as shells write it. No secret looks like that. */
const UNBRACED = /^\$[A-Z_][A-Z0-9_]*$/;
const FILE_PREFIX = "file:";

/** Replaces the references in the text's values. Each one that can't be resolved is an issue. */
export function interpolate(text: YamlText, environment: Environment): Interpolation {
  const sources = new Map<string, string>();
  const issues: Issue[] = [];
  const resolved: ResolvedValue[] = [];
  const files = new Set<string>();
  const { env, readFile } = environment;
  const noting: Environment = {
    env,
    readFile(path, bytesMax) {
      files.add(path);
      return readFile(path, bytesMax);
    },
  };
  for (const { path, scalar } of text.texts()) {
    const source = scalar.value;
    const wrong = (message: string) => issues.push({ path, at: "value", message });
    // Otherwise the name of the variable would be the token itself.
    if (UNBRACED.test(source)) wrong(`expected \${${source.slice(1)}}: a variable's name stands in braces`);
    if (!source.includes("${")) continue;
    sources.set(JSON.stringify(path), source);
    const onValue = (value: string) => resolved.push({ path, value });
    scalar.value = replaceReferences(source, noting, wrong, onValue);
  }
  return { sources, resolved, files: [...files], issues };
}

/** Returns a text with its references replaced as they are now, or null if one of them can't be. */
export function resolveText(text: string, environment: Environment): string | null {
  let isWhole = true;
  const onWrong = () => {
    isWhole = false;
  };
  const resolved = replaceReferences(text, environment, onWrong, () => {});
  return isWhole ? resolved : null;
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
      const value = (path === null ? env(name) : readFile(path, VALUE_BYTES_MAX))?.trim() ?? "";
      if (value === "")
        wrong(path === null ? `the environment variable ${name} is not set` : `the file ${path} is empty`);
      if (path === null && isQuoted(value)) wrong(explainQuotes(name));
      onValue(value);
      return value;
    } catch (thrown) {
      wrong(`the file ${path} ${describeUnread(thrown)}`);
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

/** True for a value with the quotes that belong around it in a shell: Docker's `--env-file` keeps them. */
export function isQuoted(value: string): boolean {
  return /^(["']).+\1$/s.test(value);
}

export function explainQuotes(name: string): string {
  return `the environment variable ${name} has quotes around its value, which would be sent as part of it: remove them`;
}

/** Returns the number or boolean that an interpolated text spells, or undefined if it spells none. */
export function parseTyped(value: string): number | boolean | undefined {
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return Number(value);
  return value === "true" ? true : value === "false" ? false : undefined;
}

/** Leaves out the issues at or below the path of one of `known`, whose value is already known to be wrong. */
export function leaveOutWithin(issues: readonly Issue[], known: readonly Issue[]): readonly Issue[] {
  const paths = new Set(known.map(({ path }) => JSON.stringify(path)));
  const isKnown = (path: Path) =>
    Array.from({ length: path.length + 1 }, (_, steps) => JSON.stringify(path.slice(0, steps))).some((one) =>
      paths.has(one),
    );
  return issues.filter(({ path }) => !isKnown(path));
}
