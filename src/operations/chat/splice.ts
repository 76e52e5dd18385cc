// The fast way of a stream: events like the last one are passed on by their text alone, neither parsed nor serialised.

import type { ServerEvent } from "../../core/dialect.ts";
import type { ChatChunk, Delta } from "./form.ts";
import { Run } from "./run.ts";

/** The inside of a JSON string up to its closing quote, not empty, in the form in which `JSON.stringify` writes it. */
const TEXT = /(?:[ !#-[\]-\uffff]|\\["\\bfnrt])[ !#-[\]-\uffff]*(?:\\["\\bfnrt][ !#-[\]-\uffff]*)*"/y;
/**
 * Padding of random length against eavesdroppers, at the end of an event, where no chunk holds it: a field of OpenAI's and
 * Mistral's, Anthropic's spaces before the last brace.
 */
const PADDINGS = [
  { found: /,"(?:obfuscation|p)":"([A-Za-z0-9]*)("\}\s*)$/, passed: /[A-Za-z0-9]*/y },
  { found: /[^ ]( +)(\}\s*)$/, passed: / */y },
] as const;
/** Stands in an event where its text was, to see where the text goes. */
export const PROBE = "poundkey probe";
/** Longer texts are rare, and their events gain nothing. */
const EVENT_CHARACTERS_MAX = 64 * 1024;

/**
 * The place of an event's text, and what the slow way makes of the rest of it. An event that differs from the one that
 * taught this in that text alone (and in its padding) gives the same chunk with its own text: what stands around the text
 * was parsed, mended and written once. Measured from bytes to text: 200 events take 35 µs instead of 370.
 */
export class Template {
  readonly #before: string;
  readonly #after: string;
  readonly #padding: Padding | null;
  readonly #head: string;
  readonly #tail: string;
  /** The end of the last run in its text. */
  end = 0;

  constructor(before: string, after: string, padding: Padding | null, head: string, tail: string) {
    this.#before = before;
    this.#after = after;
    this.#padding = padding;
    this.#head = head;
    this.#tail = tail;
  }

  /** The events of this kind that stand whole in `text` from `from` on; null: there is none. */
  run(text: string, from: number): Run | null {
    const before = this.#before;
    if (!text.startsWith(before, from)) return null;
    const texts: string[] = [];
    let at = from;
    do {
      const start = at + before.length;
      TEXT.lastIndex = start;
      if (!TEXT.test(text)) break;
      const quote = TEXT.lastIndex - 1;
      const end = this.#endOf(text, quote);
      if (end === -1) break;
      texts.push(text.slice(start, quote));
      at = end;
    } while (text.startsWith(before, at));
    this.end = at;
    return texts.length === 0 ? null : new Run(this.#head, this.#tail, texts);
  }

  #endOf(text: string, quote: number): number {
    if (!text.startsWith(this.#after, quote)) return -1;
    const end = quote + this.#after.length;
    if (this.#padding === null) return end;
    const { passed, after } = this.#padding;
    passed.lastIndex = end;
    passed.test(text);
    return text.startsWith(after, passed.lastIndex) ? passed.lastIndex + after.length : -1;
  }
}

/** The padding that may stand between the rest of an event and its end, and that end. */
interface Padding {
  readonly passed: RegExp;
  readonly after: string;
}

/**
 * The template that an event gives: `raw` is how it stood in the stream, `chunks` what the slow way has made of it, and `again` asks
 * the slow way what it makes of another one. Null: its text can't be told apart from the rest.
 */
export function makeTemplate(
  event: ServerEvent,
  raw: string,
  chunks: readonly ChatChunk[],
  again: (event: ServerEvent) => readonly ChatChunk[],
): Template | null {
  const [chunk] = chunks;
  const text = chunk && chunks.length === 1 ? textIn(chunk) : "";
  if (text === "" || raw.length > EVENT_CHARACTERS_MAX) return null;
  const literal = JSON.stringify(text);
  const [at, inData] = [onlyPlace(raw, literal), onlyPlace(event.data, literal)];
  if (at === -1 || inData === -1) return null;
  const asked = `${event.data.slice(0, inData + 1)}${PROBE}${event.data.slice(inData + literal.length - 1)}`;
  const [made = null, ...others] = again({ event: event.event, data: asked });
  const [head, tail, more] = JSON.stringify(made).split(PROBE);
  if (others.length > 0 || head === undefined || tail === undefined || more !== undefined) return null;
  if (head + literal.slice(1, -1) + tail !== JSON.stringify(chunk)) return null;
  const { after, padding } = ended(raw.slice(at + literal.length - 1));
  return new Template(raw.slice(0, at + 1), after, padding, head, tail);
}

/** An event's end, from its text's closing quote on, less its padding. */
function ended(rest: string): { readonly after: string; readonly padding: Padding | null } {
  for (const { found, passed } of PADDINGS) {
    const [, padding, after] = found.exec(rest) ?? [];
    if (padding === undefined || after === undefined) continue;
    return { after: rest.slice(0, rest.length - after.length - padding.length), padding: { passed, after } };
  }
  return { after: rest, padding: null };
}

/** The one text of a chunk that holds nothing else; "": it holds none, or more. */
function textIn({ choices, usage }: ChatChunk): string {
  const [choice] = choices;
  if (!choice || choices.length > 1 || usage || choice.finish_reason) return "";
  const { delta } = choice;
  return Object.keys(delta).length === 1 ? textOf(delta) : "";
}

function textOf({ content, reasoning_content: thinking, tool_calls: calls }: Delta): string {
  if (content || thinking) return content || thinking || "";
  const made = calls?.length === 1 ? calls[0]?.function : undefined;
  return made && Object.keys(made).length === 1 ? (made.arguments ?? "") : "";
}

/** The place of `part` in a text; -1 when nowhere or more than once. */
function onlyPlace(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === text.lastIndexOf(part) ? at : -1;
}
