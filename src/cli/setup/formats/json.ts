// Settings files in JSON, with comments and trailing commas or without.
import { isObject } from "../../../core/json/json.ts";
import {
  type BracketStyle,
  type Brackets,
  isSpread,
  putBefore,
  putLast,
  takeOutElements,
} from "./brackets.ts";
import { type SettingPath, type SettingsEditor, SettingsError } from "./format.ts";
import {
  findElement,
  findJsonExtra,
  type JsonElement,
  type JsonNode,
  readJsonTree,
  skipJsonComments,
} from "./json-tree.ts";
import { escapeOdd, explainAt, readIndent, readLineEnd, spliceText } from "./text.ts";
import { nestValue } from "./values.ts";

const UNIT = "  ";

export const JSON_EDITOR: SettingsEditor = {
  parse: (text) => {
    const root = readJsonTree(text);
    if (root === null) return {};
    if (!isObject(root.value)) throw explainAt(text, root.start, "the file must hold an object");
    return root.value;
  },
  set: setField,
  remove: (text, path) => {
    const { box, element } = findField(text, path);
    return spliceText(text, takeOutElements(text, box, new Set([box.elements.indexOf(element)])));
  },
  takeOut: (text, path, indexes) =>
    spliceText(text, takeOutElements(text, asBrackets(findField(text, path).element.node), indexes)),
  putFirst: (text, path, value) => {
    const { element, style } = findField(text, path);
    const box = asBrackets(element.node);
    const write = (indent: string | null) => writeJson(value, indent, text, style);
    return spliceText(text, putBefore(text, box, style, write));
  },
};

/** For agents that ignore all of a file with a comment or a trailing comma: it is for the person to take that out. */
export const STRICT_JSON_EDITOR: SettingsEditor = {
  ...JSON_EDITOR,
  parse: (text) => {
    const value = JSON_EDITOR.parse(text);
    const extra = findJsonExtra(text);
    if (extra === null) return value;
    const what = extra.kind === "comment" ? "this comment" : "the last comma";
    throw explainAt(
      text,
      extra.at,
      `this agent ignores a settings file with comments or trailing commas. Take out ${what}, then run poundkey setup again`,
    );
  },
};

/** A field, the object that it stands in, and how that is written. */
interface JsonObjectField {
  readonly element: JsonElement;
  readonly box: Brackets & { readonly elements: readonly JsonElement[] };
  readonly style: BracketStyle;
}

function setField(text: string, path: SettingPath, value: unknown): string {
  const root = readJsonTree(text);
  if (root === null) {
    const lineEnd = readLineEnd(text);
    const isOnNewLine = text === "" || text.endsWith("\n");
    const made = writeJson(nestValue(path, value), "", text, BASE);
    return `${text}${isOnNewLine ? "" : lineEnd}${made}${lineEnd}`;
  }
  let node = root;
  let style = readStyle(text, root);
  for (const [depth, key] of path.entries()) {
    const element = findElement(node, key);
    const rest = path.slice(depth + 1);
    if (element === undefined) {
      const name = `${escapeOdd(JSON.stringify(key))}:${style.gap}`;
      const write = (indent: string | null) =>
        `${name}${writeJson(nestValue(rest, value), indent, text, style)}`;
      return spliceText(text, putLast(text, asBrackets(node), style, write));
    }
    if (rest.length === 0 || element.node.value === null) {
      const { start, end } = element.node;
      const indent = style.isCompact ? null : readIndent(text, element.start);
      return spliceText(text, [{ start, end, text: writeJson(nestValue(rest, value), indent, text, style) }]);
    }
    node = element.node;
    style = narrowStyle(text, node, style);
  }
  return text;
}

function findField(text: string, path: SettingPath): JsonObjectField {
  let node = readJsonTree(text);
  let style = node === null ? BASE : readStyle(text, node);
  let field: JsonObjectField | undefined;
  for (const key of path) {
    const element = node === null ? undefined : findElement(node, key);
    if (node === null || element === undefined) break;
    field = { element, box: asBrackets(node), style };
    node = element.node;
    style = narrowStyle(text, node, style);
  }
  if (field === undefined) throw new SettingsError(`${path.join(".")} isn't there`);
  return { ...field, style };
}

function asBrackets({ start, end, elements }: JsonNode): JsonObjectField["box"] {
  if (elements === undefined) throw new SettingsError("a value stands where fields or entries should be");
  return { open: start, close: end - 1, elements };
}

const BASE: BracketStyle = { unit: UNIT, gap: " ", isCompact: false, skipComments: skipJsonComments };

function readStyle(text: string, root: JsonNode): BracketStyle {
  const [first] = root.elements ?? [];
  if (first === undefined) return BASE;
  const isSpreadOut = isSpread(text, asBrackets(root));
  const unit = isSpreadOut ? readIndent(text, first.start) : "";
  return narrowStyle(text, root, { ...BASE, unit: unit.slice(0, 10) || UNIT });
}

/** Returns the style within a list or object, from its own elements if it has any. */
function narrowStyle(text: string, node: JsonNode, around: BracketStyle): BracketStyle {
  const [first] = node.elements ?? [];
  if (first === undefined) return around;
  const gap = text[first.node.start - 1] === ":" ? "" : " ";
  return {
    ...around,
    gap: first.key === undefined ? around.gap : gap,
    isCompact: !isSpread(text, asBrackets(node)),
  };
}

/** Writes a value on one line for null, else on lines that are indented so. */
function writeJson(value: unknown, indent: string | null, text: string, { unit, gap }: BracketStyle): string {
  if (indent !== null)
    return escapeOdd(JSON.stringify(value, null, unit)).replaceAll("\n", `${readLineEnd(text)}${indent}`);
  const lines = gap === "" ? JSON.stringify(value) : JSON.stringify(value, null, 1);
  // Line breaks within texts are escaped, so that those left stand between elements.
  return escapeOdd(lines.replace(/,\n\s*/g, ", ").replace(/\n\s*/g, ""));
}
