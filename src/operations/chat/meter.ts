// Counts what a chat answer produces as its parts pass.
import type { Meter } from "../operation.ts";
import { isAnswer } from "./answer/normalise.ts";
import { type Part, Run, Verbatim } from "./answer/run.ts";
import type { ChatForm } from "./decoder.ts";
import type { ChatChunk, ChatReply, Delta } from "./form.ts";

export class ChatMeter implements Meter<ChatForm> {
  hasAnswer = false;
  bytes = 0;
  readonly finishes: string[] = [];
  /** Indexes of choices that have begun or finished. */
  readonly #begun = new Set<number>();

  get begun(): number {
    return this.#begun.size;
  }

  add(parts: readonly Part[]): void {
    for (const part of parts) {
      // A run continues a choice begun by a chunk.
      if (part instanceof Run) this.bytes += part.bytes;
      else if (part instanceof Verbatim) for (const chunk of part.meaning) this.#takeChunk(chunk);
      else this.#takeChunk(part);
    }
  }

  takeWhole({ choices }: ChatReply): void {
    for (const { index, finish_reason } of choices) {
      this.#begun.add(index);
      this.#takeFinish(finish_reason);
    }
  }

  #takeFinish(reason: string | null): void {
    if (reason !== null && !this.finishes.includes(reason)) this.finishes.push(reason);
  }

  #takeChunk(chunk: ChatChunk): void {
    const hasAnswer = isAnswer(chunk);
    this.hasAnswer ||= hasAnswer;
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (hasAnswer || finish_reason !== null) this.#begun.add(index);
      this.#takeFinish(finish_reason);
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
