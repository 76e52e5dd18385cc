// Cuts a long list out of a JSON text before it is parsed, where nobody reads the rest of it.
import { findStringEnd } from "./shape.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
/** `[` and `{` differ in one bit, as do `]` and `}`. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const CASE = 0x20;
/** Fields of the outermost object, and of those that it holds. A tool's arguments lie deeper. */
const DEPTH_MAX = 2;
const LIST_START = /\s*:\s*\[/y;

/** Returns the text with at most so many elements in the first list of this name. The same text if it has no longer one. */
export function shortenList(text: string, name: string, most: number): string {
  const field = JSON.stringify(name);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code & ~CASE) === OPENS) depth++;
    else if ((code & ~CASE) === CLOSES) depth--;
    else if (code === QUOTE) {
      const isNamed = depth <= DEPTH_MAX && text.startsWith(field, at);
      at = findStringEnd(text, at + 1);
      LIST_START.lastIndex = at + 1;
      if (isNamed && LIST_START.test(text)) return cutElements(text, LIST_START.lastIndex, most);
    }
  }
  return text;
}

/** Cuts the elements behind the first ones, of a list whose first begins at `from`. */
function cutElements(text: string, from: number, most: number): string {
  let depth = 0;
  let count = 1;
  let cut = text.length;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at + 1);
    else if ((code & ~CASE) === OPENS) depth++;
    else if ((code & ~CASE) === CLOSES && --depth < 0)
      return text.slice(0, Math.min(cut, at)) + text.slice(at);
    else if (code === COMMA && depth === 0 && count++ === most) cut = at;
  }
  return text;
}
