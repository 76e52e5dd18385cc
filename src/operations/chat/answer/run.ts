// A run: consecutive chunks that differ only in one text, kept as those texts without parsing or writing each.

import { parseReceived } from "../../../core/json/bounds.ts";
import { isObject } from "../../../core/json/json.ts";
import type { ServerEvent } from "../../../core/models/dialect.ts";
import type { ChatChunk } from "../form.ts";
import type { ShownEvents } from "./shown-events.ts";

const ESCAPE = /\\./g;

export class Run {
  /** Each chunk's JSON before and after its text. */
  readonly head: string;
  readonly tail: string;
  /** Null if the client gets the chunks. */
  readonly shown: ShownEvents | null;
  /** As between the quotes of a JSON string, with escapes exactly as `JSON.stringify` writes them. */
  readonly texts: readonly string[];
  /** All of them together. */
  readonly text: string;
  /** The size of the unescaped text in UTF-8. */
  readonly bytes: number;

  constructor(head: string, tail: string, texts: readonly string[], shown: ShownEvents | null = null) {
    this.shown = shown;
    this.head = head;
    this.tail = tail;
    this.texts = texts;
    const [only = ""] = texts;
    this.text = texts.length === 1 ? only : texts.join("");
    // In that form, an escape of two characters stands for one character of one byte.
    const escapes = this.text.includes("\\") ? (this.text.match(ESCAPE)?.length ?? 0) : 0;
    this.bytes = Buffer.byteLength(this.text) - escapes;
  }

  /** The number of characters that are arguments of a tool call. */
  get callCharacters(): number {
    return this.head.endsWith('"arguments":"') ? this.text.length : 0;
  }

  /** Returns the chunks as objects. */
  chunks(): readonly ChatChunk[] {
    return this.texts.map((text) => this.chunk(text));
  }

  /** Returns one chunk with all of the texts. */
  joined(): ChatChunk {
    return this.chunk(this.text);
  }

  /** Returns a chunk with this text, which is escaped like the others. */
  chunk(text: string): ChatChunk {
    const chunk = parseReceived(this.head + text + this.tail);
    if (!hasChoices(chunk)) throw new Error("A combined chunk differs from its parts.");
    return chunk;
  }
}

export function hasChoices(value: unknown): value is ChatChunk {
  return isObject(value) && Array.isArray(value.choices);
}

/** An event shown to its client unchanged, with its chunks for counting and storing. */
export class Verbatim {
  readonly event: ServerEvent;
  readonly meaning: readonly ChatChunk[];

  constructor(event: ServerEvent, meaning: readonly ChatChunk[]) {
    this.event = event;
    this.meaning = meaning;
  }

  chunks(): readonly ChatChunk[] {
    return this.meaning;
  }
}

/** A piece of a streamed answer. */
export type Part = ChatChunk | Run | Verbatim;

export function isChunk(part: Part): part is ChatChunk {
  return !(part instanceof Run) && !(part instanceof Verbatim);
}

/** The chunks of all parts, each as an object. */
export function listChunks(parts: readonly Part[]): readonly ChatChunk[] {
  return parts.flatMap((part) => (isChunk(part) ? [part] : part.chunks()));
}
