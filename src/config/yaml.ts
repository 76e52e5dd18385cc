// Parses the configuration's YAML into values, and finds the place of each field in the text.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { ERRORS_MAX, type Path } from "./errors.ts";
import { type Excess, findExcess, type TextPosition } from "./yaml-bounds.ts";

/** No hand-written file repeats aliases as often. More of them are an attempt to exhaust memory. */
const ALIASES_MAX = 100;

interface FieldLine {
  readonly path: Path;
  readonly line: number;
}

/** An error in the YAML itself, with its place. */
interface SyntaxProblem extends TextPosition {
  readonly path: Path;
  readonly message: string;
}

/** The library's errors, and ours. */
interface YamlMistake {
  readonly code: string;
  readonly pos: readonly [from: number, to?: number];
}

/** Its fields are those of other mappings, and it may stand there several times. */
const MERGE = "<<";

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
/** Mistakes that follow from a bracket, a quote or a value that stands behind a `#`, and so in a comment. */
const CUT: ReadonlySet<string> = new Set(["BAD_INDENT", "MISSING_CHAR", "UNEXPECTED_TOKEN"]);
/** A comment is mostly set off by a space on both sides; an id such as `OpenAI #gpt-5.4` isn't. */
const CUT_ID = /[\w"'][ \t]+#\w/;
const CUT_HINT =
  "; a # after a space begins a comment, so write model ids as Provider#model, without a space";

/** The library's own messages aren't shown, because some of them quote the file, which may hold a secret. */
const NO_YAML = "this is not valid YAML";

export class YamlText {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed<ParsedNode> | Document;
  readonly #excess: Excess | null;
  readonly #text: string;

  /** A text with too much structure isn't parsed. */
  constructor(text: string) {
    this.#excess = findExcess(text);
    this.#text = text;
    this.#document = parseDocument(this.#excess === null ? text : "", {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "error",
      // The library compares each name with all others of its mapping.
      uniqueKeys: false,
    });
  }

  /** Returns the first errors in the YAML: one of each line, since the others mostly follow from it. */
  problems(): SyntaxProblem[] {
    if (this.#excess !== null) return [this.#excess];
    const { errors, warnings } = this.#document;
    const byLine = new Map<number, YamlMistake>();
    for (const mistake of [...errors, ...warnings, ...this.#findMistakes()]) {
      const { line } = this.#place(mistake.pos[0]);
      if (byLine.size < ERRORS_MAX && !byLine.has(line)) byLine.set(line, mistake);
    }
    const problems = [...byLine.values()].map((mistake) => this.#problem(mistake));
    return problems.sort((one, other) => one.line - other.line);
  }

  /** Returns the aliases without an anchor before them, and the names that a mapping has twice. */
  #findMistakes(): readonly YamlMistake[] {
    const nodes = [...walk(this.#document.contents)];
    return [...findStrayAliases(nodes), ...findDoubledNames(nodes)];
  }

  #problem(error: YamlMistake): SyntaxProblem {
    const [offset] = error.pos;
    const place = this.#place(offset);
    const hint = CUT.has(error.code) ? this.explainCut(place.line, place.line - 1) : "";
    return {
      ...place,
      path:
        walk(this.#document.contents).find(({ key, value }) =>
          [key, value].some((node) => readOffset(node) === offset),
        )?.path ?? [],
      message: `${SYNTAX[error.code] ?? NO_YAML}${hint}`,
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
  findPosition(path: Path, at: "key" | "value"): TextPosition {
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

  /** Yields the fields of some sections with their lines, as many levels deep as that. Aliases aren't followed. */
  *listLines(sections: ReadonlySet<string>, depthMax: number): Generator<FieldLine> {
    for (const { path, key, value } of walk(this.#document.contents, [], depthMax, sections)) {
      yield { path, line: this.#place(readOffset(key) ?? readOffset(value) ?? 0).line };
    }
  }

  /** Returns a hint, to be appended to an error, if an id in one of these lines was cut off by a comment. */
  explainCut(...lines: readonly number[]): string {
    return lines.some((line) => CUT_ID.test(this.#line(line))) ? CUT_HINT : "";
  }

  #line(line: number): string {
    const { lineStarts } = this.#lines;
    return this.#text.slice(lineStarts[line - 1] ?? this.#text.length, lineStarts[line]);
  }

  #place(offset: number): TextPosition {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function readAnchor(node: unknown): string | undefined {
  return isNode(node) && "anchor" in node ? node.anchor : undefined;
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
  return isMap(node) ? pairs.getOrInsertComputed(node, indexPairs).get(String(step)) : undefined;
}

/** Each mapping's fields by name: there may be thousands of errors to place in one of thousands of fields. */
const pairs = new WeakMap<YAMLMap<unknown, unknown>, ReadonlyMap<string, Pair<unknown, unknown>>>();

function indexPairs({ items }: YAMLMap<unknown, unknown>): ReadonlyMap<string, Pair<unknown, unknown>> {
  return new Map(items.toReversed().map((pair) => [readName(pair.key), pair]));
}

function readName(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

function isText(scalar: Scalar): scalar is Scalar<string> {
  return typeof scalar.value === "string";
}

/** A field, or an entry of a list, which has no key. */
interface YamlStep {
  readonly path: Path;
  /** The path of the mapping or list. One object for all of its steps. */
  readonly parent: Path;
  readonly key?: unknown;
  readonly value: unknown;
}

/**
 * Yields all that is below a node, outer ones first, or only as many levels and only the steps of these names at the first of
 * them. Aliases aren't followed.
 */
function* walk(
  node: unknown,
  path: Path = [],
  depthMax = Number.POSITIVE_INFINITY,
  names?: ReadonlySet<string>,
): Generator<YamlStep> {
  if (path.length >= depthMax) return;
  const steps: readonly YamlStep[] = isSeq(node)
    ? node.items.map((value, at) => ({ path: [...path, at], parent: path, value }))
    : isMap(node)
      ? node.items.map(({ key, value }) => ({ path: [...path, readName(key)], parent: path, key, value }))
      : [];
  for (const step of steps) {
    if (names !== undefined && !names.has(String(step.path.at(-1)))) continue;
    yield step;
    yield* walk(step.value, step.path, depthMax);
  }
}

function* findStrayAliases(nodes: readonly YamlStep[]): Generator<YamlMistake> {
  const anchors = new Set<string>();
  for (const { key, value } of nodes) {
    for (const anchor of [readAnchor(key), readAnchor(value)]) if (anchor) anchors.add(anchor);
    if (isAlias(value) && !anchors.has(value.source))
      yield { code: "BAD_ALIAS", pos: [readOffset(value) ?? 0] };
  }
}

function* findDoubledNames(nodes: readonly YamlStep[]): Generator<YamlMistake> {
  const names = new Map<Path, Set<string>>();
  for (const { key, value, parent } of nodes) {
    if (!isScalar(key) || key === value) continue;
    const name = readName(key);
    const known = names.get(parent) ?? new Set();
    if (known.has(name) && name !== MERGE) yield { code: "DUPLICATE_KEY", pos: [readOffset(key) ?? 0] };
    names.set(parent, known.add(name));
  }
}
