// Parses the configuration's YAML into values, and finds the place of each field in the text.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLError,
} from "yaml";
import type { Path } from "./errors.ts";

/** No hand-written file repeats aliases as often. More of them are an attempt to exhaust memory. */
const ALIASES_MAX = 100;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** An error in the YAML itself, with its place. */
interface SyntaxProblem extends Place {
  readonly path: Path;
  readonly message: string;
}

const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this field appears twice",
  TAB_AS_INDENT: "indent with spaces, not tabs",
  MULTIPLE_DOCS: "the file must have only one YAML document; remove what follows ---",
  BAD_INDENT: "the indentation doesn't match the lines around it, or a closing bracket is missing",
  MISSING_CHAR: "a closing bracket, a quote or a comma is missing",
  UNEXPECTED_TOKEN: "this isn't allowed here; quote the value if it is a string",
  TAG_RESOLVE_FAILED: "tags (!name) are not supported",
  BLOCK_AS_IMPLICIT_KEY: "a mapping or list can't start here; put it on its own line, or quote the string",
  MULTILINE_IMPLICIT_KEY: "a field's name must be on one line, followed by a colon",
  BAD_SCALAR_START: "a plain string can't start with this character; quote it",
  BAD_DQ_ESCAPE: "unknown escape sequence; use single quotes for literal backslashes",
  BAD_ALIAS: "this alias (*name) has no anchor (&name)",
};
/** The library's own messages aren't shown, because some of them quote the file, which may hold a secret. */
const NO_YAML = "this is not valid YAML";

export class YamlText {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed<ParsedNode> | Document;

  constructor(text: string) {
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "error",
      uniqueKeys: true,
    });
  }

  /** Returns the errors in the YAML: the first of each line, since the others mostly follow from it. */
  problems(): SyntaxProblem[] {
    const { errors, warnings } = this.#document;
    const problems = [...errors, ...warnings, ...this.#danglingAliases()].map((error) =>
      this.#problem(error),
    );
    return problems.filter(({ line }, at) => problems.findIndex((one) => one.line === line) === at);
  }

  /** The library finds them only when it reads the values. */
  #danglingAliases(): readonly Pick<YAMLError, "code" | "pos">[] {
    const isDangling = (node: unknown) => isAlias(node) && node.resolve(this.#document) === undefined;
    const offsets = [...walk(this.#document.contents)].map(
      ({ value }) => isDangling(value) && readOffset(value),
    );
    return offsets.flatMap((at) => (typeof at === "number" ? [{ code: "BAD_ALIAS", pos: [at, at] }] : []));
  }

  #problem(error: Pick<YAMLError, "code" | "pos">): SyntaxProblem {
    const [offset] = error.pos;
    return {
      ...this.#place(offset),
      path:
        walk(this.#document.contents).find(({ key, value }) =>
          [key, value].some((node) => readOffset(node) === offset),
        )?.path ?? [],
      message: SYNTAX[error.code] ?? NO_YAML,
    };
  }

  /** Returns every string in the file, with its path. The caller may change them. */
  texts(): { readonly path: Path; readonly scalar: Scalar<string> }[] {
    const { contents } = this.#document;
    return [{ path: [], value: contents }, ...walk(contents)].flatMap(({ path, value }) =>
      isScalar(value) && isText(value) ? [{ path, scalar: value }] : [],
    );
  }

  /** Returns the values. Throws if aliases repeat without end. */
  value(): unknown {
    return this.#document.toJS({ maxAliasCount: ALIASES_MAX });
  }

  /** Returns the place of a field, or of the nearest field around it if it doesn't exist. */
  findPlace(path: Path, at: "key" | "value"): Place {
    let node: unknown = this.#document.contents;
    let offset = readOffset(node);
    for (const [depth, step] of path.entries()) {
      const next = findChild(node, step);
      if (next === undefined) break;
      const isLast = depth === path.length - 1;
      offset =
        (isLast && at === "value" ? readOffset(next.value) : readOffset(next.key)) ??
        readOffset(next.key) ??
        offset;
      node = next.value;
    }
    return this.#place(offset ?? 0);
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function readOffset(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Returns the key and value of a step down. In a list, the value is both. */
function findChild(
  node: unknown,
  step: string | number,
): { readonly key: unknown; readonly value: unknown } | undefined {
  if (isSeq(node) && typeof step === "number") {
    const value = node.items[step];
    return value === undefined ? undefined : { key: value, value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => readName(item.key) === String(step));
  return pair === undefined ? undefined : { key: pair.key, value: pair.value };
}

function readName(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

function isText(scalar: Scalar): scalar is Scalar<string> {
  return typeof scalar.value === "string";
}

/** A field, or an entry of a list, which has no key. */
interface Step {
  readonly path: Path;
  readonly key?: unknown;
  readonly value: unknown;
}

/** Yields all that is below a node, outer ones first. Aliases aren't followed. */
function* walk(node: unknown, path: Path = []): Generator<Step> {
  const steps: readonly Step[] = isSeq(node)
    ? node.items.map((value, at) => ({ path: [...path, at], value }))
    : isMap(node)
      ? node.items.map(({ key, value }) => ({ path: [...path, readName(key)], key, value }))
      : [];
  for (const step of steps) {
    yield step;
    yield* walk(step.value, step.path);
  }
}
