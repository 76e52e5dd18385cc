// Parses server-sent events under any cut: eventsource-parser with bounds, one event at a time.
import { createParser, type EventSourceParser } from "eventsource-parser";
import { Fault } from "../../core/faults/fault.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";

/** Longer events are not answers but floods. Base64 images are shorter. */
export const EVENT_CHARACTERS_MAX = 32 * 1024 * 1024;
/** JSON spread over lines has a few hundred. Joining millions would take a second. */
export const EVENT_LINES_MAX = 100_000;

/** Recognizes events of one kind in the raw text, so that they need not be parsed. */
interface SseTemplate<Run> {
  /** Returns the complete events of this kind in `text` from `from` on, or null. */
  run(text: string, from: number): Run | null;
  /** The end of the last run in the text. */
  readonly end: number;
}

/**
 * Takes a stream's text and returns its events; the decoder of the bytes drops a byte-order mark. The library is fed one
 * event at a time, with LF as the only line end: a read of 4 MB with a single CR in it would take 19 s, because the
 * library then searches the rest of the read for both line ends at each line.
 */
export class EventParser<Run = never> {
  /** Null until an event needs it. */
  #parser: EventSourceParser | null = null;
  #event: ServerEvent | null = null;
  /** The text received. Everything before `#from` has been parsed. */
  #text = "";
  #from = 0;
  /** True if the last read ended in CR, so that an LF at the start of the next one belongs to it. */
  #afterCr = false;
  #isLineStart = true;
  /** True between events. */
  #isBetween = true;
  /** The size of the current event without its comments. */
  #characters = 0;
  #lines = 0;
  #raw = "";
  /** Recognizes events in the text, which are then returned unparsed, as runs. */
  template: SseTemplate<Run> | null = null;

  /** Accepts the next text and returns the events that it completes. Throws like `next()`. */
  push(text: string): ServerEvent[] {
    this.feed(text);
    const events: ServerEvent[] = [];
    while (this.#from < this.#text.length) {
      const event = this.#parse();
      if (event) events.push(event);
    }
    this.#text = "";
    return events;
  }

  /** Ends the stream. Returns the last event if only its blank line was missing. */
  end(): ServerEvent[] {
    return this.push("\n\n");
  }

  /** Accepts the next text. Then call `next()` until it returns null. */
  feed(text: string): void {
    if (text === "") return;
    this.#from = this.#afterCr && text.startsWith("\n") ? 1 : 0;
    this.#afterCr = text.endsWith("\r");
    this.#text = text;
    if (!text.includes("\r")) return;
    this.#text = text.slice(this.#from).replace(/\r\n?/g, "\n");
    this.#from = 0;
  }

  /**
   * Returns the next complete event, or run of events, or null if more text is needed. Throws a Fault if an event or a
   * line exceeds EVENT_CHARACTERS_MAX, or an event exceeds EVENT_LINES_MAX.
   */
  next(): ServerEvent | Run | null {
    while (this.#from < this.#text.length) {
      const run = this.#isBetween ? this.template?.run(this.#text, this.#from) : null;
      if (run) {
        this.#from = this.template?.end ?? this.#text.length;
        return run;
      }
      const event = this.#parse();
      if (event) return event;
    }
    // Streams stay open for long, so text that has been parsed is dropped.
    this.#text = "";
    return null;
  }

  /** The latest event as it appeared in the stream, or "" if it arrived in pieces. Call it before the next one. */
  get raw(): string {
    return this.#raw;
  }

  /** Parses to the end of the event, or as far as the text goes. */
  #parse(): ServerEvent | null {
    const end = this.#findEnd();
    const isWhole = end !== -1;
    const part = this.#text.slice(this.#from, isWhole ? end + 1 : undefined);
    this.#raw = this.#isBetween && isWhole ? part : "";
    this.#from += part.length;
    this.#isLineStart = part.endsWith("\n");
    const short = this.#raw.length <= EVENT_LINES_MAX ? readShortEvent(this.#raw) : null;
    if (short) return short;
    this.#count(part, isWhole);
    this.#event = null;
    this.#parser ??= createParser({
      onEvent: ({ event = "", data }) => {
        this.#event = { event, data };
      },
      onComment: (comment) => this.#skip(comment),
    });
    this.#parser.feed(part);
    if (this.#characters > EVENT_CHARACTERS_MAX || this.#lines > EVENT_LINES_MAX) throw explainFlood();
    this.#isBetween = isWhole;
    if (isWhole) [this.#characters, this.#lines] = [0, 0];
    return this.#event;
  }

  /** Returns the position of the line end before the next event may begin, or -1. */
  #findEnd(): number {
    const first = this.#text[this.#from];
    if (this.#isLineStart && first === "\n") return this.#from;
    // An event after a comment can still be used as a template.
    if (this.#isBetween && first === ":") return this.#text.indexOf("\n", this.#from);
    const at = this.#text.indexOf("\n\n", this.#from);
    return at === -1 ? -1 : at + 1;
  }

  /** The blank line doesn't count. A short event in one piece is always within bounds. */
  #count(part: string, isWhole: boolean): void {
    this.#characters += isWhole ? part.length - 1 : part.length;
    if (this.#raw !== "" && part.length <= EVENT_LINES_MAX) return;
    if (isWhole) this.#lines--;
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) this.#lines++;
  }

  /** Comments keep silent streams alive, so an event may contain any number, each within a line's bound. */
  #skip(comment: string): void {
    if (comment.length + ": ".length > EVENT_CHARACTERS_MAX) throw explainFlood();
    this.#characters -= comment.length;
    if (this.#lines > 0) this.#lines--;
  }
}

/** Reads an event of one data line, with or without a name before it, as nearly all are. Null if it has other lines. */
function readShortEvent(raw: string): ServerEvent | null {
  const nameEnd = raw.startsWith("event: ") ? raw.indexOf("\n") : -1;
  const isShort = raw.startsWith("data: ", nameEnd + 1) && raw.indexOf("\n", nameEnd + 1) === raw.length - 2;
  if (!isShort) return null;
  const event = nameEnd === -1 ? "" : raw.slice("event: ".length, nameEnd);
  return { event, data: raw.slice(nameEnd + 1 + "data: ".length, -2) };
}

function explainFlood(): Fault {
  return new Fault("upstream_error", "The provider sent an event that is too large.");
}
