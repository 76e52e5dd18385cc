// Settings files of variables: KEY=value, one a line.
import { type SettingPath, type SettingsEditor, SettingsError } from "./format.ts";
import {
  explainAt,
  findLineEnd,
  findNextLine,
  readLineEnd,
  skipSpaces,
  spliceText,
  takeOutPart,
} from "./text.ts";

const NAME = /(?:export[ \t]+)?([\w.-]+)[ \t]*=/y;
const SAFE_NAME = /^[A-Za-z_]\w*$/;
/** No program expands any of these, cuts the value off there or reads a quote. */
const PLAIN = /^[\w.:/@%+,=-]+$/;
const QUOTES: ReadonlySet<string> = new Set(["'", '"', "`"]);

interface Variable {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

export const DOTENV_EDITOR: SettingsEditor = {
  parse: (text) => Object.fromEntries(readVariables(text).map(({ name, value }) => [name, value])),
  set: (text, path, value) => {
    const name = readName(path);
    const written = writeValue(name, value);
    const variable = findVariable(text, name);
    if (variable !== undefined) {
      const { valueStart, end } = variable;
      const gap = text[end] === "#" ? " " : "";
      return spliceText(text, [{ start: valueStart, end, text: written + gap }]);
    }
    const lineEnd = readLineEnd(text);
    const isOnNewLine = text === "" || text.endsWith("\n");
    return `${text}${isOnNewLine ? "" : lineEnd}${name}=${written}${isOnNewLine ? lineEnd : ""}`;
  },
  remove: (text, path) => {
    const variable = findVariable(text, readName(path));
    return variable === undefined
      ? text
      : spliceText(text, [takeOutPart(text, variable.start, variable.end)]);
  },
  takeOut: refuseList,
  putFirst: refuseList,
};

function refuseList(): never {
  throw new SettingsError("a file of variables has no lists");
}

function readName([name = "", ...rest]: SettingPath): string {
  if (rest.length > 0 || !SAFE_NAME.test(name))
    throw new SettingsError("a variable's name has letters, digits and _ only");
  return name;
}

/** Programs differ in which of two lines counts. */
function findVariable(text: string, name: string): Variable | undefined {
  const [variable, other] = readVariables(text).filter((one) => one.name === name);
  if (other !== undefined) throw explainAt(text, other.start, `${name} appears twice`);
  return variable;
}

function writeValue(name: string, value: unknown): string {
  if (typeof value !== "string") throw new SettingsError(`${name} must be text`);
  if (PLAIN.test(value)) return value;
  if (!/['\p{Cc}\u2028\u2029]/u.test(value)) return `'${value}'`;
  if (!/["\\$`\p{Cc}\u2028\u2029]/u.test(value)) return `"${value}"`;
  throw new SettingsError(`the value of ${name} can't be written so that all programs read it alike`);
}

function readVariables(text: string): readonly Variable[] {
  const variables: Variable[] = [];
  for (let at = 0; at < text.length; ) {
    const start = skipSpaces(text, at);
    const lineEnd = findLineEnd(text, start);
    if (start === lineEnd || text[start] === "#") at = findNextLine(text, start);
    else {
      const variable = readVariable(text, start);
      variables.push(variable);
      at = findNextLine(text, variable.end);
    }
  }
  return variables;
}

function readVariable(text: string, start: number): Variable {
  NAME.lastIndex = start;
  const [found = "", name] = NAME.exec(text) ?? [];
  if (name === undefined) throw explainAt(text, start, "this is no KEY=value");
  const afterEquals = start + found.length;
  const valueStart = skipSpaces(text, afterEquals);
  const quote = text[valueStart] ?? "";
  const lineEnd = findLineEnd(text, valueStart);
  if (!QUOTES.has(quote)) {
    const end = findPlainEnd(text, valueStart, lineEnd);
    if (end === valueStart) return { name, start, valueStart: afterEquals, end: afterEquals, value: "" };
    return { name, start, valueStart, end, value: text.slice(valueStart, end) };
  }
  const end = findQuote(text, quote, valueStart + 1) + 1;
  if (end === 0) throw explainAt(text, valueStart, "this quote has no end");
  if (!/^[ \t]*(#.*)?$/.test(text.slice(end, findLineEnd(text, end))))
    throw explainAt(text, end, "something follows the value's last quote");
  const inner = text.slice(valueStart + 1, end - 1);
  const value = quote === '"' ? inner.replaceAll("\\n", "\n").replaceAll("\\r", "\r") : inner;
  return { name, start, valueStart, end, value };
}

/** A # begins a comment, to most programs even without a space before it. */
function findPlainEnd(text: string, start: number, lineEnd: number): number {
  const line = text.slice(start, lineEnd);
  const hash = line.indexOf("#");
  return start + line.slice(0, hash === -1 ? line.length : hash).trimEnd().length;
}

/** Returns the place of the closing quote, which may stand in a later line, or -1. */
function findQuote(text: string, quote: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" && text[at + 1] === quote ? 2 : 1;
  return at < text.length ? at : -1;
}
