// The configuration's text as values, with the way back: where in the text each field stands.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLError,
} from "yaml";
import type { Path } from "./errors.ts";

/** A file is written by hand: repeated aliases beyond this are a trick. */
const ALIASES_MAX = 100;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A problem of the YAML itself, with its place. */
export interface SyntaxProblem extends Place {
  readonly path: Path;
  readonly message: string;
}

const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this field is there twice",
  TAB_AS_INDENT: "a tab can't indent; use spaces",
  MULTIPLE_DOCS: "one file holds one configuration; remove what follows ---",
  BAD_INDENT: "the indentation doesn't fit the lines around it, or a closing bracket is missing",
  MISSING_CHAR: "a closing bracket or quote, or a comma, is missing",
  UNEXPECTED_TOKEN: "this can't stand here; quote the text if it is one value",
  TAG_RESOLVE_FAILED: "tags (!name) have no meaning here",
  BLOCK_AS_IMPLICIT_KEY: "a mapping or list can't begin here; give it a line of its own, or quote the text",
  MULTILINE_IMPLICIT_KEY: "a field's name stands on one line, with a colon behind it",
  BAD_SCALAR_START: "a text can't begin with this character; quote it",
  BAD_DQ_ESCAPE: "this escape has no meaning; in single quotes a backslash is only a backslash",
  BAD_ALIAS: "this alias (*name) has no anchor (&name)",
};
/** The library's own messages are not shown: some quote the file, and what they quote may be a secret. */
const NO_YAML = "this is no YAML";

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

  /** The mistakes that make the text no YAML: the first of each line, as the others mostly follow from it. */
  problems(): SyntaxProblem[] {
    const { errors, warnings } = this.#document;
    const problems = [...errors, ...warnings].map((error) => this.#problem(error));
    return problems.filter(({ line }, at) => problems.findIndex((one) => one.line === line) === at);
  }

  #problem(error: YAMLError): SyntaxProblem {
    const [offset] = error.pos;
    return {
      ...this.#place(offset),
      path: findKey(this.#document.contents, offset) ?? [],
      message: SYNTAX[error.code] ?? NO_YAML,
    };
  }

  /** Every text in the file that is a value, with its way; the caller may change it. */
  texts(): { readonly path: Path; readonly scalar: Scalar<string> }[] {
    return listTexts(this.#document.contents, []);
  }

  /** The values. Throws where aliases repeat beyond all bounds. */
  value(): unknown {
    return this.#document.toJS({ maxAliasCount: ALIASES_MAX });
  }

  /** The place of a field; of one that isn't there, the nearest that is around it. */
  placeOf(path: Path, at: "key" | "value"): Place {
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

/** The key and value of a step down; in a list the value stands for both. */
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

function listTexts(node: unknown, path: Path): { path: Path; scalar: Scalar<string> }[] {
  if (isScalar(node) && isText(node)) return [{ path, scalar: node }];
  if (isAlias(node)) return [];
  if (isSeq(node)) return node.items.flatMap((item, at) => listTexts(item, [...path, at]));
  if (isMap(node)) return node.items.flatMap((pair) => listTexts(pair.value, [...path, readName(pair.key)]));
  return [];
}

function isText(scalar: Scalar): scalar is Scalar<string> {
  return typeof scalar.value === "string";
}

/** The way to the key that begins at an offset. */
function findKey(node: Node | null | unknown, offset: number, path: Path = []): Path | undefined {
  if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) {
      const found = findKey(item, offset, [...path, at]);
      if (found) return found;
    }
  }
  if (!isMap(node)) return undefined;
  for (const pair of node.items) {
    if (!isPair(pair)) continue;
    const here = [...path, readName(pair.key)];
    if (readOffset(pair.key) === offset) return here;
    const found = findKey(pair.value, offset, here);
    if (found) return found;
  }
  return undefined;
}
