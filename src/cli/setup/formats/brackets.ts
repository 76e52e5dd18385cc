// Lists and objects in brackets, as JSON, TOML and YAML write them: puts elements in and takes them out as text.
import {
  findLineEnd,
  insertAt,
  readIndent,
  readLineEnd,
  type Splice,
  skipSpaces,
  takeOutPart,
} from "./text.ts";

export interface BracketElement {
  readonly start: number;
  readonly end: number;
  /** The place of the comma after it, or -1. */
  readonly comma: number;
}

export interface Brackets {
  /** The places of both brackets. */
  readonly open: number;
  readonly close: number;
  readonly elements: readonly BracketElement[];
}

export interface BracketStyle {
  /** The space that each level adds. */
  readonly unit: string;
  /** The space after a comma or colon on one line. */
  readonly gap: string;
  /** True if brackets that are empty take an element on their own line. */
  readonly isCompact: boolean;
  /** Returns the end of the comments from here that begin on this line. */
  skipComments(text: string, at: number): number;
}

/** Writes an element: on one line for null, else on lines that are indented so. */
type WriteElement = (indent: string | null) => string;

/** True if each element has a line of its own, or at least the first. */
export function isSpread(text: string, { open, elements: [first] }: Brackets): boolean {
  return first !== undefined && findLineEnd(text, open) < first.start;
}

export function putLast(
  text: string,
  box: Brackets,
  style: BracketStyle,
  write: WriteElement,
): readonly Splice[] {
  const last = box.elements.at(-1);
  if (last === undefined) return putOnly(text, box, style, write);
  const hasComma = last.comma !== -1;
  const end = hasComma ? last.comma + 1 : last.end;
  if (!isSpread(text, box))
    return [insertAt(end, hasComma ? `${style.gap}${write(null)},` : `,${style.gap}${write(null)}`)];
  const indent = readIndent(text, last.start);
  const line = `${readLineEnd(text)}${indent}${write(indent)}`;
  const after = skipLine(text, end, style);
  return hasComma ? [insertAt(after, `${line},`)] : [insertAt(last.end, ","), insertAt(after, line)];
}

export function putBefore(
  text: string,
  box: Brackets,
  style: BracketStyle,
  write: WriteElement,
): readonly Splice[] {
  const [first] = box.elements;
  if (first === undefined) return putOnly(text, box, style, write);
  if (!isSpread(text, box)) return [insertAt(first.start, `${write(null)},${style.gap}`)];
  const indent = readIndent(text, first.start);
  const after = skipLine(text, box.open + 1, style);
  const lineEnd = readLineEnd(text);
  return after <= findLineEnd(text, box.open) || findLineEnd(text, after) < first.start
    ? [insertAt(after, `${lineEnd}${indent}${write(indent)},`)]
    : [insertAt(first.start, `${write(indent)},${lineEnd}${indent}`)];
}

/** Goes past the comments that begin on this line, and to its end if nothing else stands there. */
function skipLine(text: string, at: number, style: BracketStyle): number {
  const after = style.skipComments(text, at);
  const rest = skipSpaces(text, after);
  return rest === text.length || rest === findLineEnd(text, rest) ? rest : after;
}

/** Comments may stand between the brackets. */
function putOnly(
  text: string,
  { open, close }: Brackets,
  style: BracketStyle,
  write: WriteElement,
): readonly Splice[] {
  const inner = text.slice(open + 1, close);
  const isBlank = inner.trim() === "";
  if (style.isCompact)
    return [
      { start: open + 1, end: isBlank ? close : open + 1, text: `${write(null)}${isBlank ? "" : " "}` },
    ];
  const lineEnd = readLineEnd(text);
  const outer = readIndent(text, open);
  const line = `${lineEnd}${outer}${style.unit}${write(outer + style.unit)}`;
  if (isBlank && !inner.includes("\n"))
    return [{ start: open + 1, end: close, text: `${line}${lineEnd}${outer}` }];
  const after = style.skipComments(text, open + 1);
  return [insertAt(after, findLineEnd(text, after) < close ? line : `${line}${lineEnd}${outer}`)];
}

/** Takes elements out with their commas. Comments around them stay. */
export function takeOutElements(
  text: string,
  { elements }: Brackets,
  indexes: ReadonlySet<number>,
): readonly Splice[] {
  const lastKept = elements.findLastIndex((_, at) => !indexes.has(at));
  const endsBare = elements.at(-1)?.comma === -1;
  return [...indexes].flatMap((at) => {
    const element = elements[at];
    if (element === undefined) return [];
    const before = elements[at - 1];
    // Without a comma after the last one, those before what stays last go.
    return endsBare && at > lastKept && lastKept !== -1 && before !== undefined
      ? takeOutWithComma(text, before.comma, element)
      : takeOutBeforeComma(text, element);
  });
}

function takeOutWithComma(text: string, comma: number, { start, end }: BracketElement): readonly Splice[] {
  if (text.slice(comma + 1, start).trim() === "") return [{ start: comma, end, text: "" }];
  return [{ start: comma, end: comma + 1, text: "" }, takeOutPart(text, start, end)];
}

function takeOutBeforeComma(text: string, { start, end, comma }: BracketElement): readonly Splice[] {
  if (comma === -1) return [takeOutPart(text, start, end)];
  if (text.slice(end, comma).trim() !== "")
    return [takeOutPart(text, start, end), { start: comma, end: comma + 1, text: "" }];
  const part = takeOutPart(text, start, comma + 1);
  return [part.end === comma + 1 ? { ...part, end: skipSpaces(text, comma + 1) } : part];
}
