// Consecutive chunks of an answer that differ in one text alone: kept as those texts, never parsed or written one by one.

import type { ServerEvent } from "../../core/dialect.ts";
import { isObject, parseJson } from "../../core/json.ts";
import type { ChatChunk } from "./form.ts";

const ESCAPE = /\\./g;

/** The provider's own event around its text, as JSON, with the event's type. */
export interface ShownEvent {
  readonly type: string;
  readonly head: string;
  readonly tail: string;
}

export class Run {
  /** Each chunk's JSON up to its text and after it. */
  readonly head: string;
  readonly tail: string;
  /** Null: the client is shown the chunks. */
  readonly shown: ShownEvent | null;
  /** As they stand between the quotes of a JSON string, escapes and all, in the form in which `JSON.stringify` writes it. */
  readonly texts: readonly string[];
  /** All texts together, unescaped: UTF-16 code units, and bytes in UTF-8. */
  readonly characters: number;
  readonly bytes: number;

  constructor(head: string, tail: string, texts: readonly string[], shown: ShownEvent | null = null) {
    this.shown = shown;
    this.head = head;
    this.tail = tail;
    this.texts = texts;
    const [only = ""] = texts;
    const all = texts.length === 1 ? only : texts.join("");
    // An escape of two characters stands for one, of one byte: others are not in that form.
    const escapes = all.includes("\\") ? (all.match(ESCAPE)?.length ?? 0) : 0;
    this.characters = all.length - escapes;
    this.bytes = Buffer.byteLength(all) - escapes;
  }

  /** Returns the chunks as objects. */
  chunks(): readonly ChatChunk[] {
    return this.texts.map((text) => {
      const chunk = parseJson(this.head + text + this.tail);
      if (!hasChoices(chunk)) throw new Error("A run of chunks is not what it was made of.");
      return chunk;
    });
  }
}

function hasChoices(value: unknown): value is ChatChunk {
  return isObject(value) && Array.isArray(value.choices);
}

/** An event that its client is shown as the provider sent it, with the chunks that it means: those are counted and kept. */
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
