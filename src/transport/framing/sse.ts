// Server-sent events: an incremental parser for what upstreams send.
import type { ServerEvent } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";

/** A longer event is not an answer but a flood: images in base64 stay below it. */
export const EVENT_CHARACTERS_MAX = 32 * 1024 * 1024;
/** JSON over several lines has some hundred; to join millions takes a second. */
export const EVENT_LINES_MAX = 100_000;

/** Recognizes events of one kind in the text itself, so that they need not be parsed. */
export interface Template<Run> {
  /** The events of this kind that stand whole in `text` from `from` on; null: there is none. */
  run(text: string, from: number): Run | null;
  /** The end of the last run in its text. */
  readonly end: number;
}

/**
 * Parses a stream's text into events, whatever the cuts: LF, CRLF and CR, comments, several `data` lines. Whoever decodes
 * the stream drops its byte-order mark. An event that the stream's end cuts off is given by `end()`.
 */
export class EventParser<Run = never> {
  /** The text that was fed and is not taken yet begins at `#from`. */
  #text = "";
  #from = 0;
  /** Of `#text`; null until a line is looked for: what is passed on as runs has none to look for. */
  #lineEnds: readonly [Places, Places] | null = null;
  #lines: string[] = [];
  /** The length of the event's `data` lines, line ends included: empty lines cost memory too. */
  #linesLength = 0;
  #rest: string[] = [];
  #restLength = 0;
  #afterCr = false;
  #event = "";
  /** The beginning of the event at hand in the text; -1: in one before. */
  #began = -1;
  /** Events that it takes are given as runs, unparsed. */
  template: Template<Run> | null = null;

  /** Takes the next text; gives the events that it completes. Throws as `next()` does. */
  push(text: string): ServerEvent[] {
    this.feed(text);
    return this.#all();
  }

  /** The stream is over: gives the event that lacked its blank line, if any. */
  end(): ServerEvent[] {
    this.feed("\n\n");
    return this.#all();
  }

  /** Takes the next text, for `next()` to be called until it gives null. */
  feed(text: string): void {
    if (text === "") return;
    this.#text = text;
    this.#from = this.#afterCr && text.startsWith("\n") ? 1 : 0;
    this.#afterCr = text.endsWith("\r");
    this.#lineEnds = null;
    this.#began = -1;
  }

  /**
   * The next event, or run of events, that is whole; null: more text is needed. Throws a Fault when the lines of one
   * event, or one line of any kind, grow beyond EVENT_CHARACTERS_MAX, or an event has more than EVENT_LINES_MAX.
   */
  next(): ServerEvent | Run | null {
    while (this.#from < this.#text.length) {
      if (this.#isBetween()) {
        this.#began = this.#from;
        const run = this.template?.run(this.#text, this.#from);
        if (run) {
          this.#from = this.template?.end ?? 0;
          return run;
        }
      }
      const event = this.#step();
      if (event) return event;
    }
    this.#forget();
    return null;
  }

  /** The latest event as it stood in the stream; "" when it did not come in one piece. Asked for before the next one. */
  get raw(): string {
    return this.#began === -1 ? "" : this.#text.slice(this.#began, this.#from);
  }

  #all(): ServerEvent[] {
    const events: ServerEvent[] = [];
    while (this.#from < this.#text.length) {
      const event = this.#step();
      if (event) events.push(event);
    }
    this.#forget();
    return events;
  }

  /** Lets go of the text: a stream is open for long, and this has been read. */
  #forget(): void {
    this.#text = "";
    this.#lineEnds = null;
  }

  #isBetween(): boolean {
    return this.#lines.length === 0 && this.#restLength === 0 && this.#event === "";
  }

  /** Takes one line, or what there is of it. */
  #step(): ServerEvent | null {
    const [text, from] = [this.#text, this.#from];
    this.#lineEnds ??= [new Places(text, "\n"), new Places(text, "\r")];
    const [feeds, returns] = this.#lineEnds;
    const end = Math.min(feeds.next(from), returns.next(from));
    this.#bound(end - from);
    if (end === text.length) {
      this.#keep(text.slice(from));
      this.#from = end;
      return null;
    }
    this.#from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    return this.#line(this.#withRest(text.slice(from, end)));
  }

  #bound(more: number): void {
    if (this.#linesLength + this.#restLength + more <= EVENT_CHARACTERS_MAX) return;
    throw beyondBounds();
  }

  /** Pieces of a long line are joined once, at its end: joining at each read would take quadratic time. */
  #keep(piece: string): void {
    if (piece === "") return;
    this.#rest.push(piece);
    this.#restLength += piece.length;
  }

  #withRest(tail: string): string {
    if (this.#restLength === 0) return tail;
    const line = this.#rest.join("") + tail;
    this.#rest = [];
    this.#restLength = 0;
    return line;
  }

  #line(line: string): ServerEvent | null {
    if (line === "") return this.#whole();
    const colon = line.indexOf(":");
    // A comment's field has no name.
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      if (this.#lines.length >= EVENT_LINES_MAX) throw beyondBounds();
      this.#lines.push(value);
      this.#linesLength += line.length + 1;
    } else if (field === "event") this.#event = value;
    return null;
  }

  #whole(): ServerEvent | null {
    const [only = ""] = this.#lines;
    const data = this.#lines.length === 1 ? only : this.#lines.join("\n");
    const event = this.#lines.length > 0 ? { event: this.#event, data } : null;
    if (event) this.#lines = [];
    this.#linesLength = 0;
    this.#event = "";
    return event;
  }
}

function beyondBounds(): Fault {
  return new Fault("upstream_error", "The provider sent an event beyond all bounds.");
}

/** Finds a character in a text, asked for in rising order: so the text is searched through only once. */
class Places {
  readonly #text: string;
  readonly #character: string;
  #at = -1;

  constructor(text: string, character: string) {
    this.#text = text;
    this.#character = character;
  }

  /** The first place from `from` on; the text's length when there is none. */
  next(from: number): number {
    if (this.#at >= from) return this.#at;
    const found = this.#text.indexOf(this.#character, from);
    this.#at = found === -1 ? this.#text.length : found;
    return this.#at;
  }
}
