// Puts the pieces of an answer's tool calls one call after the other: providers may mix them, most clients can't take that.
import type { ToolCallDelta } from "../operations/chat/form.ts";
import { closeJson } from "./close-json.ts";

export class CallQueue {
  #open: number | null = null;
  #isCustom = false;
  #json = "";
  /** Pieces of calls that began before the one at hand was whole, by the call's index. */
  readonly #waiting = new Map<number, ToolCallDelta[]>();

  /** The pieces that may be written now: those of a call wait until the arguments of the one before it are whole. */
  take(piece: ToolCallDelta): readonly ToolCallDelta[] {
    const isOther = this.#open !== null && piece.index !== this.#open;
    if (isOther && (this.#waiting.size > 0 || !this.#isWhole())) {
      const waiting = this.#waiting.get(piece.index);
      if (waiting) waiting.push(piece);
      else this.#waiting.set(piece.index, [piece]);
      return [];
    }
    this.#add(piece);
    return [piece];
  }

  /** All that still waits, call by call. */
  end(): readonly ToolCallDelta[] {
    const rest = [...this.#waiting].toSorted(([a], [b]) => a - b).flatMap(([, pieces]) => pieces);
    this.#waiting.clear();
    return rest;
  }

  #isWhole(): boolean {
    return this.#isCustom || closeJson(this.#json) === "";
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
