// Lists in which an entry is too deep or too large to be parsed: it is replaced by its name and the reason, and hurts no other.
import { parseBounded, RECEIVED_SHAPE } from "../../core/json/bounds.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { findStringEnd } from "../../core/json/shape.ts";

/** An entry's own level: around it are the message, its result and the list. */
const LEVEL = 4;
/** The most levels within an entry, itself among them. */
const DEPTH_MAX = RECEIVED_SHAPE.depth - LEVEL;
/** An element and its comma take two characters at least, so with more, an entry is larger than a tool may be. */
const ELEMENTS_MAX = 32 * 1024;
const NAME_CHARACTERS_MAX = 64 * 1024;
const REASON = "poundkey/left_out";

const QUOTE = 0x22;
const COMMA = 0x2c;
/** `[` and `{` differ in one bit, as do `]` and `}`. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const CASE = 0x20;

type EntryMark = "opens" | "closes" | "comma";

/** Yields the brackets and commas outside of strings, and where they stand. */
function* findMarks(text: string): Generator<readonly [EntryMark, number]> {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at + 1);
    else if (code === COMMA) yield ["comma", at];
    else if ((code & ~CASE) === OPENS) yield ["opens", at];
    else if ((code & ~CASE) === CLOSES) yield ["closes", at];
  }
}

/** Returns the text of a message with a list, in which each entry is within the bounds. */
export function boundEntries(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  let entry = { from: 0, deepest: 0, elements: 0 };
  for (const [mark, at] of findMarks(text)) {
    if (mark === "opens") {
      depth++;
      if (depth === LEVEL) entry = { from: at, deepest: depth, elements: 0 };
      entry.deepest = Math.max(entry.deepest, depth);
    } else if (mark === "comma") entry.elements++;
    else {
      const reason = depth === LEVEL ? explainExcess(entry) : null;
      if (reason !== null) {
        const name = readName(text.slice(entry.from, at + 1));
        pieces.push(text.slice(copied, entry.from), JSON.stringify({ name, [REASON]: reason }));
        copied = at + 1;
      }
      depth--;
    }
  }
  return pieces.join("") + text.slice(copied);
}

function explainExcess({ deepest, elements }: { readonly deepest: number; readonly elements: number }) {
  if (deepest - LEVEL >= DEPTH_MAX) return `nested deeper than ${DEPTH_MAX} levels`;
  return elements > ELEMENTS_MAX ? "larger than 64 KB" : null;
}

/** Reads the entry's own fields alone. */
function readName(entry: string): string {
  const own: string[] = [];
  let copied = 0;
  let depth = 0;
  for (const [mark, at] of findMarks(entry)) {
    if (mark === "opens" && ++depth === 2) own.push(entry.slice(copied, at), "null");
    if (mark === "closes" && --depth === 1) copied = at + 1;
  }
  const text = own.join("") + entry.slice(copied);
  return text.length > NAME_CHARACTERS_MAX
    ? ""
    : (asString(asObject(parseBounded(text, RECEIVED_SHAPE)).name) ?? "");
}

/** Returns the reason for which an entry was left out. Undefined for all others. */
export function findLeftOut(entry: JsonObject): string | undefined {
  return asString(entry[REASON]);
}
