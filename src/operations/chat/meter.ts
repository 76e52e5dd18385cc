// Counts what a chat answer produces as its parts pass.
import type { RemovedReasoning } from "../../core/models/thinking/removed-reasoning.ts";
import type { Meter } from "../operation.ts";
import { isAnswer } from "./answer/normalise.ts";
import { type Part, Run, Verbatim } from "./answer/run.ts";
import type { ChatForm } from "./decoder.ts";
import { type ChatChunk, type ChatReply, type Delta, type Finish, REMOVED, UNKNOWN_WORD } from "./form.ts";

/** The most of an unknown word that is kept, and the most of them. */
const WORD_CHARACTERS_MAX = 64;
const WORDS_MAX = 8;

export class ChatMeter implements Meter<ChatForm> {
  hasAnswer = false;
  bytes = 0;
  readonly finishes: string[] = [];
  unknownFinishes: string[] | undefined;
  removed: readonly RemovedReasoning[] | undefined;
  /** Indexes of choices that have begun or finished. */
  #others: Set<number> | null = null;
  /** The first of them, which most answers have alone. -1 for none. */
  #first = -1;

  get begun(): number {
    return (this.#first < 0 ? 0 : 1) + (this.#others?.size ?? 0);
  }

  #begin(index: number): void {
    if (this.#first < 0) this.#first = index;
    if (index !== this.#first) this.#addOther(index);
  }

  #addOther(index: number): void {
    this.#others ??= new Set();
    this.#others.add(index);
  }

  add(parts: readonly Part[]): void {
    for (const part of parts) {
      // A run continues a choice begun by a chunk.
      if (part instanceof Run) this.bytes += part.bytes;
      else if (part instanceof Verbatim) for (const chunk of part.meaning) this.#takeChunk(chunk);
      else this.#takeChunk(part);
    }
  }

  takeWhole({ choices, [REMOVED]: removed = this.removed }: ChatReply): void {
    this.removed = removed;
    for (const choice of choices) {
      this.#begin(choice.index);
      this.#takeFinish(choice.finish_reason, choice[UNKNOWN_WORD]);
    }
  }

  #takeFinish(reason: string | null, unknown: Finish[typeof UNKNOWN_WORD]): void {
    if (unknown !== undefined) this.#takeUnknown(unknown.slice(0, WORD_CHARACTERS_MAX));
    if (reason !== null && !this.finishes.includes(reason)) this.finishes.push(reason);
  }

  #takeUnknown(word: string): void {
    this.unknownFinishes ??= [];
    const isNew = this.unknownFinishes.length < WORDS_MAX && !this.unknownFinishes.includes(word);
    if (isNew) this.unknownFinishes.push(word);
  }

  #takeChunk(chunk: ChatChunk): void {
    const hasAnswer = isAnswer(chunk);
    this.hasAnswer ||= hasAnswer;
    // A later report of the same call has all of an earlier one.
    if (chunk[REMOVED] !== undefined) this.removed = chunk[REMOVED];
    for (const choice of chunk.choices) {
      const { index, delta, finish_reason } = choice;
      if (hasAnswer || finish_reason !== null) this.#begin(index);
      this.#takeFinish(finish_reason, choice[UNKNOWN_WORD]);
      this.bytes += measureBytes(delta);
    }
  }
}

function measureBytes(delta: Delta): number {
  let bytes = Buffer.byteLength(delta.content ?? "");
  if (delta.reasoning_content) bytes += Buffer.byteLength(delta.reasoning_content);
  if (delta.refusal) bytes += Buffer.byteLength(delta.refusal);
  for (const call of delta.tool_calls ?? []) {
    bytes += Buffer.byteLength(call.function?.arguments ?? call.custom?.input ?? "");
    bytes += (call.function?.name ?? call.custom?.name ?? "").length;
  }
  return bytes;
}
