// Parses a stream of server-sent events, whatever the cuts: eventsource-parser within bounds, one event at a time.
import { createParser } from "eventsource-parser";
import type { ServerEvent } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";

/** A longer event is not an answer but a flood: images in base64 stay below it. */
export const EVENT_CHARACTERS_MAX = 32 * 1024 * 1024;
/** JSON over several lines has some hundred; joining millions takes a second. */
export const EVENT_LINES_MAX = 100_000;

/** Recognizes events of one kind in the text itself, so that they need not be parsed. */
export interface Template<Run> {
  /** The events of this kind that stand whole in `text` from `from` on; null: there is none. */
  run(text: string, from: number): Run | null;
  /** The end of the last run in its text. */
  readonly end: number;
}

/**
 * Takes a stream's text and returns its events; the decoder of the bytes drops a byte-order mark. The library is fed one
 * event at a time, with LF as the only line end: a read of 4 MB with a single CR in it would take 19 s, because the
 * library then searches the rest of the read for both line ends at each line.
 */
export class EventParser<Run = never> {
  readonly #parser = createParser({
    onEvent: ({ event = "", data }) => {
      this.#event = { event, data };
    },
    onComment: (comment) => this.#skip(comment),
  });
  #event: ServerEvent | null = null;
  /** The text that was fed; it is parsed up to `#from`. */
  #text = "";
  #from = 0;
  /** True if the last read ended in CR: an LF at the start of the next one belongs to it. */
  #afterCr = false;
  #isLineStart = true;
  /** True if no event is begun. */
  #isBetween = true;
  /** The size of the event that is begun, without its comments. */
  #characters = 0;
  #lines = 0;
  #raw = "";
  /** Recognizes events in the text, which are then returned as runs, unparsed. */
  template: Template<Run> | null = null;

  /** Takes the next text and returns the events that it completes. Throws as `next()` does. */
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

  /** The stream is over: returns the event that lacked its blank line, if any. */
  end(): ServerEvent[] {
    return this.push("\n\n");
  }

  /** Takes the next text, for `next()` to be called until it returns null. */
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
   * Returns the next event, or run of events, that is whole; null: more text is needed. Throws a Fault when one event,
   * or one line of any kind, is longer than EVENT_CHARACTERS_MAX, or an event has more lines than EVENT_LINES_MAX.
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
    // A stream is open for long, and this has been read.
    this.#text = "";
    return null;
  }

  /** The latest event as it stood in the stream; "" when it did not come in one piece. Asked for before the next one. */
  get raw(): string {
    return this.#raw;
  }

  /** Parses up to the end of the event, or as far as the text goes. */
  #parse(): ServerEvent | null {
    const end = this.#findEnd();
    const isWhole = end !== -1;
    const part = this.#text.slice(this.#from, isWhole ? end + 1 : undefined);
    this.#raw = this.#isBetween && isWhole ? part : "";
    this.#from += part.length;
    this.#isLineStart = part.endsWith("\n");
    this.#count(part, isWhole);
    this.#event = null;
    this.#parser.feed(part);
    if (this.#characters > EVENT_CHARACTERS_MAX || this.#lines > EVENT_LINES_MAX) throw explainFlood();
    this.#isBetween = isWhole;
    if (isWhole) [this.#characters, this.#lines] = [0, 0];
    return this.#event;
  }

  /** The place of the last character before the next event may begin, a line end; -1: there is none. */
  #findEnd(): number {
    const first = this.#text[this.#from];
    if (this.#isLineStart && first === "\n") return this.#from;
    // The event after a comment can still be a template's, and teach one.
    if (this.#isBetween && first === ":") return this.#text.indexOf("\n", this.#from);
    const at = this.#text.indexOf("\n\n", this.#from);
    return at === -1 ? -1 : at + 1;
  }

  /** The blank line itself doesn't count. The lines of a short event that came in one piece are within bounds. */
  #count(part: string, isWhole: boolean): void {
    this.#characters += isWhole ? part.length - 1 : part.length;
    if (this.#raw !== "" && part.length <= EVENT_LINES_MAX) return;
    if (isWhole) this.#lines--;
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) this.#lines++;
  }

  /** Comments keep silent streams alive: any number may stand in an event, but each within the bounds of a line. */
  #skip(comment: string): void {
    if (comment.length + ": ".length > EVENT_CHARACTERS_MAX) throw explainFlood();
    this.#characters -= comment.length;
    if (this.#lines > 0) this.#lines--;
  }
}

function explainFlood(): Fault {
  return new Fault("upstream_error", "The provider sent an event beyond all bounds.");
}
