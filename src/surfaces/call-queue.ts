// Puts the pieces of an answer's tool calls in order: providers may interleave calls, but most clients can't cope.
import { JsonBudget } from "../core/json-bounds.ts";
import type { ToolCallDelta } from "../operations/chat/form.ts";
import { closeJson } from "./close-json.ts";

export class CallQueue {
  readonly #budget = new JsonBudget();
  #open: number | null = null;
  #isCustom = false;
  #json = "";
  /** Pieces that arrived before the current call was complete, by their call's index. */
  readonly #waiting = new Map<number, ToolCallDelta[]>();

  /** Returns the pieces to write now. A call waits until the arguments of the one before it are complete. */
  push(piece: ToolCallDelta): readonly ToolCallDelta[] {
    const isOther = this.#open !== null && piece.index !== this.#open;
    if (isOther && (this.#waiting.size > 0 || !this.#isWhole())) {
      this.#waiting.getOrInsert(piece.index, []).push(piece);
      return [];
    }
    this.#add(piece);
    return [piece];
  }

  /** Returns all waiting pieces, call by call. */
  end(): readonly ToolCallDelta[] {
    const rest = [...this.#waiting].toSorted(([a], [b]) => a - b).flatMap(([, pieces]) => pieces);
    this.#waiting.clear();
    return rest;
  }

  #isWhole(): boolean {
    return this.#isCustom || closeJson(this.#json, this.#budget) === "";
  }

  #add(piece: ToolCallDelta): void {
    if (piece.index !== this.#open) {
      this.#open = piece.index;
      this.#isCustom = piece.custom !== undefined;
      this.#json = "";
    }
    this.#json += piece.function?.arguments ?? "";
  }
}
