// Settings files in YAML. The library says where each node stands; the text is changed by its places.
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { YamlText } from "../../../config/yaml.ts";
import { isObject } from "../../../core/json/json.ts";
import { type BracketStyle, putBefore, putLast, takeOutElements } from "./brackets.ts";
import { type SettingPath, type SettingsEditor, SettingsError } from "./format.ts";
import {
  explainAt,
  findLineEnd,
  findLineStart,
  insertAt,
  readLineEnd,
  type Splice,
  spliceText,
  takeOutPart,
} from "./text.ts";
import { skipHashComment } from "./toml-statements.ts";
import { nestValue } from "./values.ts";
import { findColon, findContentEnd, findDash, findPairEnd, readFlow, readKey } from "./yaml-places.ts";
import { isBlock, writeBlock, writeFlow } from "./yaml-write.ts";

const UNIT = "  ";
const STYLE: BracketStyle = { unit: UNIT, gap: " ", isCompact: true, skipComments: skipHashComment };

export const YAML_EDITOR: SettingsEditor = {
  parse: (text) => {
    const yaml = new YamlText(text);
    const [problem] = yaml.problems();
    if (problem !== undefined) throw new SettingsError(`line ${problem.line}: ${problem.message}`);
    const value = yaml.value() ?? {};
    if (!isObject(value)) throw new SettingsError("the file must hold fields");
    return value;
  },
  set: setField,
  remove: removeField,
  takeOut: (text, path, indexes) => spliceText(text, takeOutEntries(text, path, indexes)),
  putFirst: (text, path, value) => {
    const { pair, list } = findList(text, path);
    if (list.items.length === 0) return setField(text, path, [value]);
    if (list.flow)
      return spliceText(
        text,
        putBefore(text, readFlow(list), STYLE, () => writeFlow(value)),
      );
    const lines = writeBlock([value], readColumn(text, findDash(list, 0)));
    return spliceText(text, [putLines(text, findColon(pair), lines)]);
  },
};

/** The fields along a path, from the outside in: as many as there are. */
interface YamlWay {
  readonly root: unknown;
  readonly steps: readonly { readonly map: YAMLMap; readonly pair: Pair }[];
}

function walk(text: string, path: SettingPath): YamlWay {
  const { contents: root } = parseDocument(text, {
    keepSourceTokens: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const steps: { map: YAMLMap; pair: Pair }[] = [];
  let node: unknown = root;
  for (const key of path) {
    refuseShared(text, node);
    const pair: Pair | undefined = isMap(node) ? node.items.find((one) => readKey(one) === key) : undefined;
    if (!isMap(node) || pair === undefined) break;
    steps.push({ map: node, pair });
    node = pair.value;
  }
  refuseShared(text, node);
  return { root, steps };
}

/** Aliases, anchors and tags give a value a meaning that its own text lacks. */
function refuseShared(text: string, node: unknown): void {
  const hasMark =
    isAlias(node) || (isNode(node) && (node.tag !== undefined || ("anchor" in node && node.anchor)));
  if (hasMark)
    throw explainAt(text, node.range?.[0] ?? 0, "this value is an alias, or has an anchor or a tag");
}

function setField(text: string, path: SettingPath, value: unknown): string {
  const { root, steps } = walk(text, path);
  const rest = path.slice(steps.length);
  const last = steps.at(-1);
  const node = last === undefined ? root : last.pair.value;
  if (last !== undefined && (rest.length === 0 || isEmpty(node) || (isMap(node) && node.items.length === 0)))
    return spliceText(text, replaceValue(text, last, nestValue(rest, value)));
  if (isMap(node)) return spliceText(text, addPair(text, node, rest, value));
  const lines = writeBlock(nestValue(rest, value), "");
  if (!isEmpty(node)) throw new SettingsError("a value stands where fields should be");
  const lineEnd = readLineEnd(text);
  const isOnNewLine = text === "" || text.endsWith("\n");
  return `${text}${isOnNewLine ? "" : lineEnd}${lines.join(lineEnd)}${lineEnd}`;
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function addPair(
  text: string,
  map: YAMLMap,
  [key = "", ...rest]: SettingPath,
  value: unknown,
): readonly Splice[] {
  const inner = nestValue(rest, value);
  if (map.flow || map.items.length === 0) {
    // In brackets, names stand in quotes as in JSON, which such a file may be.
    const field = `${writeFlow(key)}: ${writeFlow(inner)}`;
    return putLast(text, readFlow(map), STYLE, () => field);
  }
  const [first] = map.items;
  const last = map.items.at(-1);
  if (first === undefined || last === undefined) return [];
  const indent = readColumn(text, readStart(first.key));
  return [putLines(text, findPairEnd(text, last), writeBlock({ [key]: inner }, indent))];
}

function replaceValue(
  text: string,
  { map, pair }: YamlWay["steps"][number],
  value: unknown,
): readonly Splice[] {
  const node = pair.value;
  const colon = findColon(pair);
  const isBlockBefore = (isMap(node) || isSeq(node)) && !node.flow;
  const isBlockAfter = isBlock(value) && !map.flow;
  const lines = isBlockAfter ? writeBlock(value, readColumn(text, readStart(pair.key)) + UNIT) : [];
  if (isBlockBefore) {
    const start = findLineStart(text, readStart(node));
    const end = findContentEnd(text, node);
    if (start <= colon) throw explainAt(text, colon, "this value begins on its name's line");
    return isBlockAfter
      ? [{ start, end, text: lines.join(readLineEnd(text)) }]
      : [insertAt(colon + 1, ` ${writeFlow(value)}`), takeOutPart(text, start, end)];
  }
  const end = findPairEnd(text, pair);
  const start = end === colon + 1 ? end : readStart(node);
  if (!isBlockAfter) return [{ start, end, text: `${start === colon + 1 ? " " : ""}${writeFlow(value)}` }];
  const isOnLine = text.slice(colon + 1, start).trim() === "";
  return [{ start: isOnLine ? colon + 1 : start, end, text: "" }, putLines(text, end, lines)];
}

function removeField(text: string, path: SettingPath): string {
  const { steps } = walk(text, path);
  const last = steps.at(-1);
  const around = steps.at(-2);
  if (last === undefined) return text;
  const { map, pair } = last;
  if (map.flow)
    return spliceText(text, takeOutElements(text, readFlow(map), new Set([map.items.indexOf(pair)])));
  if (map.items.length === 1 && around !== undefined) return spliceText(text, replaceValue(text, around, {}));
  const start = readStart(pair.key);
  readColumn(text, start);
  return spliceText(text, [takeOutPart(text, start, findPairEnd(text, pair))]);
}

function findList(
  text: string,
  path: SettingPath,
): { readonly pair: Pair; readonly map: YAMLMap; readonly list: YAMLSeq } {
  const last = walk(text, path).steps.at(-1);
  const list = last?.pair.value;
  if (last === undefined || !isSeq(list)) throw new SettingsError(`${path.join(".")} is not a list`);
  return { ...last, list };
}

function takeOutEntries(text: string, path: SettingPath, indexes: ReadonlySet<number>): readonly Splice[] {
  const { list, pair } = findList(text, path);
  if (list.flow) return takeOutElements(text, readFlow(list), indexes);
  const taken = [...indexes].map((at) => {
    const dash = findDash(list, at);
    readColumn(text, dash);
    return takeOutPart(text, dash, Math.max(dash + 1, findContentEnd(text, list.items[at])));
  });
  return indexes.size === list.items.length ? [insertAt(findColon(pair) + 1, " []"), ...taken] : taken;
}

function putLines(text: string, at: number, lines: readonly string[]): Splice {
  const lineEnd = readLineEnd(text);
  return insertAt(findLineEnd(text, at), lines.map((line) => lineEnd + line).join(""));
}

function readStart(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Returns the space before a place that is the first of its line. */
function readColumn(text: string, at: number): string {
  const indent = text.slice(findLineStart(text, at), at);
  if (indent.trim() !== "") throw explainAt(text, at, "this field doesn't stand at the start of its line");
  return indent;
}
