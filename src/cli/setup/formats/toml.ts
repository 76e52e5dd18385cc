// Settings files in TOML: fields, inline tables and tables.
import { isObject } from "../../../core/json/json.ts";
import { type BracketStyle, type Brackets, putBefore, putLast, takeOutElements } from "./brackets.ts";
import { type SettingPath, type SettingsEditor, SettingsError } from "./format.ts";
import {
  findLineEnd,
  findLineStart,
  findNextLine,
  insertAt,
  readIndent,
  readLineEnd,
  type Splice,
  spliceText,
  takeOutPart,
} from "./text.ts";
import { parseToml } from "./toml-parse.ts";
import {
  readStatements,
  readToml,
  skipHashComment,
  type TomlElement,
  type TomlNode,
  type TomlPair,
  type TomlSection,
} from "./toml-statements.ts";
import { writeInline, writeKeys, writeTables } from "./toml-write.ts";
import { nestValue } from "./values.ts";

const STYLE: BracketStyle = { unit: "  ", gap: " ", isCompact: true, skipComments: skipHashComment };

export const TOML_EDITOR: SettingsEditor = {
  parse: parseToml,
  set: setField,
  remove: removeField,
  takeOut: (text, path, indexes) =>
    spliceText(text, takeOutElements(text, findList(readStatements(text), path), indexes)),
  putFirst: (text, path, value) =>
    spliceText(
      text,
      putBefore(text, findList(readStatements(text), path), STYLE, () => writeInline(value)),
    ),
};

/** A field that is written behind its own name, and the inline table that it stands in. */
interface TomlPlace {
  readonly node: TomlNode;
  readonly start: number;
  readonly end: number;
  readonly table: TomlNode | undefined;
  /** The part of the path for which there is no field. */
  readonly rest: SettingPath;
}

/** The pieces that a field is made of: tables, and fields with dotted names. */
interface TomlPieces {
  readonly sections: readonly TomlSection[];
  readonly pairs: readonly (TomlPair & { readonly section: TomlSection })[];
}

function startsWith(path: SettingPath, start: SettingPath): boolean {
  return start.length <= path.length && start.every((key, at) => key === path[at]);
}

/** Finds the field, or the inline table that it should stand in. */
function findWritten(sections: readonly TomlSection[], path: SettingPath): TomlPlace | undefined {
  for (const section of sections)
    for (const { keys, node, start, end } of section.pairs) {
      const full = [...section.path, ...keys];
      if (startsWith(path, full))
        return findWithin({ node, start, end, table: undefined, rest: path.slice(full.length) });
    }
  return undefined;
}

function findWithin(written: TomlPlace): TomlPlace {
  const { node, rest } = written;
  if (rest.length === 0) return written;
  const element = node.elements?.find(({ keys }: TomlElement) => keys.length > 0 && startsWith(rest, keys));
  if (element === undefined) return written;
  return findWithin({ ...element, table: node, rest: rest.slice(element.keys.length) });
}

function findPieces(sections: readonly TomlSection[], path: SettingPath): TomlPieces {
  return {
    sections: sections.filter((section) => startsWith(section.path, path)),
    pairs: sections
      .filter((section) => !startsWith(section.path, path))
      .flatMap((section) =>
        section.pairs
          .filter(({ keys }) => startsWith([...section.path, ...keys], path))
          .map((pair) => ({ ...pair, section })),
      ),
  };
}

/** Throws if the path leads into a list of tables, whose entries have no paths. */
function readSections(text: string, path: SettingPath): readonly TomlSection[] {
  const sections = readStatements(text);
  if (sections.some((section) => section.isEntry && startsWith(path, section.path)))
    throw new SettingsError(`${path.join(".")} stands in a list of tables, [[…]]`);
  return sections;
}

function findList(sections: readonly TomlSection[], path: SettingPath): Brackets {
  const written = findWritten(sections, path);
  if (written === undefined) throw new SettingsError(`${path.join(".")} is a list of tables, [[…]]`);
  return asBrackets(written.node);
}

function asBrackets({ start, end, elements }: TomlNode): Brackets {
  if (elements === undefined) throw new SettingsError("a value stands where fields or entries should be");
  return { open: start, close: end - 1, elements };
}

function setField(text: string, path: SettingPath, value: unknown): string {
  const sections = readSections(text, path);
  const written = findWritten(sections, path);
  if (written !== undefined) return spliceText(text, setWritten(text, written, value));
  const pieces = findPieces(sections, path);
  if (pieces.sections.length === 0 && pieces.pairs.length === 0) return addField(text, sections, path, value);
  if (pieces.sections.length === 0) return spliceText(text, replacePairs(text, pieces, path, value));
  if (!isObject(value)) return setField(spliceText(text, takeOutPieces(text, pieces)), path, value);
  const lines = writeTables(path, value).join(readLineEnd(text)) + readLineEnd(text);
  return spliceText(text, takeOutPieces(text, pieces, lines));
}

function setWritten(text: string, { node, rest }: TomlPlace, value: unknown): readonly Splice[] {
  if (rest.length === 0) return [{ start: node.start, end: node.end, text: writeInline(value) }];
  if (!node.isTable) throw new SettingsError("a value stands where a table should be");
  const box = asBrackets(node);
  // Where a dotted name has made a table, only another one adds to it.
  const isDotted = node.elements?.some(({ keys }) => keys.length > 1 && keys[0] === rest[0]) ?? false;
  const field = isDotted
    ? `${writeKeys(rest)} = ${writeInline(value)}`
    : `${writeKeys(rest.slice(0, 1))} = ${writeInline(nestValue(rest.slice(1), value))}`;
  if (box.elements.length > 0) return putLast(text, box, STYLE, () => field);
  return [{ start: box.open + 1, end: box.close, text: ` ${field} ` }];
}

function replacePairs(
  text: string,
  { pairs: [first, ...others] }: TomlPieces,
  path: SettingPath,
  value: unknown,
): readonly Splice[] {
  if (first === undefined) return [];
  const { start, end, section } = first;
  const name = writeKeys(path.slice(section.path.length));
  return [
    { start, end, text: `${name} = ${writeInline(value)}` },
    ...others.map((pair) => takeOutPart(text, pair.start, pair.end)),
  ];
}

/** Takes all pieces out. `put` stands in the place of the first table. */
function takeOutPieces(text: string, { sections, pairs }: TomlPieces, put = ""): readonly Splice[] {
  return [
    ...sections.map(({ start, end, pairs: within }, at) => {
      const from = findLineStart(text, start);
      const to = findNextLine(text, within.at(-1)?.end ?? end);
      const isReplaced = at === 0 && put !== "";
      const before = isReplaced ? from : findBlankBefore(text, from);
      return { start: before, end: to, text: isReplaced ? put : "" };
    }),
    ...pairs.map(({ start, end }) => takeOutPart(text, start, end)),
  ];
}

/** Returns the start of the line before, if it is blank, or else the same place. */
function findBlankBefore(text: string, lineStart: number): number {
  if (lineStart === 0) return 0;
  const before = findLineStart(text, lineStart - 1);
  return text.slice(before, lineStart).trim() === "" ? before : lineStart;
}

function addField(text: string, sections: readonly TomlSection[], path: SettingPath, value: unknown): string {
  const parent = path.slice(0, -1);
  const near = findDotted(sections, path);
  if (near !== undefined) {
    const name = writeKeys(path.slice(near.section.path.length));
    return putLine(
      text,
      near.pair.end,
      `${readIndent(text, near.pair.start)}${name} = ${writeInline(value)}`,
    );
  }
  if (isObject(value)) return putAtEnd(text, writeTables(path, value));
  const line = `${writeKeys(path.slice(-1))} = ${writeInline(value)}`;
  const section = sections.find((one) => one.path.length === parent.length && startsWith(parent, one.path));
  if (section === undefined) return putAtEnd(text, [`[${writeKeys(parent)}]`, line]);
  const last = section.pairs.at(-1);
  if (last !== undefined) return putLine(text, last.end, readIndent(text, last.start) + line);
  return parent.length === 0 ? putFirstLine(text, sections, line) : putLine(text, section.end, line);
}

/** Finds the last field whose dotted name defines a table around the path: nothing else may add to that table. */
function findDotted(sections: readonly TomlSection[], path: SettingPath) {
  for (const section of sections.toReversed()) {
    if (!startsWith(path, section.path)) continue;
    const depth = section.path.length;
    const pair = section.pairs.findLast(
      ({ keys }) => keys.length > 1 && path.length > depth + 1 && keys[0] === path[depth],
    );
    if (pair !== undefined) return { section, pair };
  }
  return undefined;
}

function putLine(text: string, at: number, line: string): string {
  return spliceText(text, [insertAt(findLineEnd(text, at), readLineEnd(text) + line)]);
}

/** Puts the first line of those that stand before all tables. Comments right above a table stay there. */
function putFirstLine(text: string, [, header]: readonly TomlSection[], line: string): string {
  const lineEnd = readLineEnd(text);
  if (header === undefined) {
    const isOnNewLine = text === "" || text.endsWith("\n");
    return `${text}${isOnNewLine ? "" : lineEnd}${line}${isOnNewLine ? lineEnd : ""}`;
  }
  let at = findLineStart(text, header.start);
  for (let above = at; above > 0; ) {
    above = findLineStart(text, above - 1);
    if (!/^[ \t]*#/.test(text.slice(above, findLineEnd(text, above)))) break;
    at = above;
  }
  return spliceText(text, [insertAt(at, `${line}${lineEnd}${lineEnd}`)]);
}

function putAtEnd(text: string, lines: readonly string[]): string {
  const lineEnd = readLineEnd(text);
  const added = lines.join(lineEnd);
  if (text.trim() === "") return `${text}${added}${lineEnd}`;
  return text.endsWith("\n") ? `${text}${lineEnd}${added}${lineEnd}` : `${text}${lineEnd}${lineEnd}${added}`;
}

function removeField(text: string, path: SettingPath): string {
  const sections = readSections(text, path);
  const written = findWritten(sections, path);
  const parent = path.slice(0, -1);
  if (written?.table !== undefined) {
    const box = asBrackets(written.table);
    const index = box.elements.findIndex(({ start }) => start === written.start);
    return spliceText(text, takeOutElements(text, box, new Set([index])));
  }
  const pieces = findPieces(sections, path);
  const without = spliceText(text, takeOutPieces(text, pieces));
  if (parent.length === 0 || keepsTable(without, parent)) return without;
  // The table around it, which it alone made, stays.
  if (pieces.sections.length === 0) return spliceText(text, replacePairs(text, pieces, parent, {}));
  return spliceText(text, takeOutPieces(text, pieces, `[${writeKeys(parent)}]${readLineEnd(text)}`));
}

function keepsTable(text: string, path: SettingPath): boolean {
  let table: unknown = readToml(text);
  for (const key of path) table = isObject(table) && Object.hasOwn(table, key) ? table[key] : undefined;
  return table !== undefined;
}
