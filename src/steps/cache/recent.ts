// Remembers opened answers for a moment, so that one that many ask for isn't read, decrypted and parsed for each.

import { parseWithTools } from "../../core/json/exact.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { CachedAnswer } from "../../core/models/cached-answer.ts";

export interface OpenedAnswer extends Pick<CachedAnswer, "id" | "atMs" | "untilMs"> {
  /** Returns the answer, which is parsed once for all that ask for it. */
  readonly read: () => Readonly<JsonObject>;
  /** The length of its text. */
  readonly characters: number;
}

export function parseOnce(text: string): OpenedAnswer["read"] {
  let content: JsonObject | null = null;
  return () => {
    content ??= asObject(parseWithTools(text));
    return content;
  };
}

/** Another node may have kept another answer, or deleted this one: for this long, in milliseconds, that isn't seen. */
const REMEMBERED_MS = 1000;
const CHARACTERS_MAX = 8 * 1024 * 1024;

interface RecentAnswer {
  readonly answer: OpenedAnswer;
  readonly untilMs: number;
}

export class RecentAnswers {
  /** By id, the oldest first. */
  readonly #all = new Map<string, RecentAnswer>();
  #characters = 0;

  /** `nowMs` is on the same clock as that of `put`. */
  find(id: string, nowMs: number): OpenedAnswer | null {
    const found = this.#all.get(id);
    if (found === undefined) return null;
    if (nowMs < found.untilMs) return found.answer;
    this.#forgetBefore(nowMs);
    return null;
  }

  put(answer: OpenedAnswer, nowMs: number): void {
    this.#forget(answer.id);
    this.#forgetBefore(nowMs);
    this.#all.set(answer.id, { answer, untilMs: nowMs + REMEMBERED_MS });
    this.#characters += answer.characters;
    for (const id of this.#all.keys()) {
      if (this.#characters <= CHARACTERS_MAX) break;
      this.#forget(id);
    }
  }

  #forgetBefore(nowMs: number): void {
    for (const [id, { untilMs }] of this.#all) {
      if (nowMs < untilMs) break;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    this.#characters -= this.#all.get(id)?.answer.characters ?? 0;
    this.#all.delete(id);
  }
}
