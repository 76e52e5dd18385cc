// Server-sent events: an incremental parser for what upstreams send, and the framing of what clients get.
import type { ServerEvent } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";

/** A longer event is not an answer but a flood: images in base64 stay below it. */
export const EVENT_CHARACTERS_MAX = 32 * 1024 * 1024;

/**
 * Parses a stream of bytes into events, whatever the cuts: UTF-8 split over reads, LF, CRLF and CR, comments,
 * several `data` lines, a byte-order mark. An event that the stream's end cuts off is given by `end()`.
 */
export class EventParser {
  /** Drops a byte-order mark by itself. */
  readonly #decoder = new TextDecoder("utf-8");
  #lines: string[] = [];
  /** What the event's `data` lines take, line ends included: empty lines cost memory too. */
  #linesLength = 0;
  #rest: string[] = [];
  #restLength = 0;
  #afterCr = false;
  #event = "";

  /**
   * Takes the next bytes; gives the events that they complete. Throws a Fault when the lines of one event, or one line
   * of any kind, grow beyond EVENT_CHARACTERS_MAX.
   */
  push(bytes: Uint8Array): ServerEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The stream is over: gives the event that lacked its blank line, if any. */
  end(): ServerEvent[] {
    return this.#take(`${this.#decoder.decode()}\n\n`);
  }

  #take(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    if (text === "") return events;
    let from = this.#afterCr && text.startsWith("\n") ? 1 : 0;
    this.#afterCr = text.endsWith("\r");
    const [feeds, returns] = [new Places(text, "\n"), new Places(text, "\r")];
    for (;;) {
      const end = Math.min(feeds.next(from), returns.next(from));
      this.#bound(end - from);
      if (end === text.length) break;
      this.#line(this.#withRest(text.slice(from, end)), events);
      from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    }
    this.#keep(text.slice(from));
    return events;
  }

  #bound(more: number): void {
    if (this.#linesLength + this.#restLength + more <= EVENT_CHARACTERS_MAX) return;
    throw new Fault("upstream_error", "The provider sent an event beyond all bounds.");
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

  #line(line: string, events: ServerEvent[]): void {
    if (line === "") {
      if (this.#lines.length > 0) events.push({ event: this.#event, data: this.#lines.join("\n") });
      this.#lines = [];
      this.#linesLength = 0;
      this.#event = "";
      return;
    }
    const colon = line.indexOf(":");
    // A comment's field has no name.
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#lines.push(value);
      this.#linesLength += line.length + 1;
    } else if (field === "event") this.#event = value;
  }
}

/** Where a character stands in a text, asked for in rising order: so the text is searched through only once. */
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

/** One event for the client. */
export function dataLine(json: string): string {
  return `data: ${json}\n\n`;
}

export const DONE_LINE = "data: [DONE]\n\n";
export const KEEP_ALIVE_LINE = ": keep-alive\n\n";
