// The room in one transaction: how many demands fit, and which of them share it with those of other accounts.
import type { Waiting } from "../engine/waiting.ts";

const BATCH_DEMANDS_MAX = 500;
/** Bounds the stored replies in one statement. */
const BATCH_CHARACTERS_MAX = 8 * 1024 * 1024;

export class Room {
  #demands = 0;
  #characters = 0;

  /** Takes a demand in if it fits. The first one does. */
  readonly take = ({ demand }: Waiting): boolean => {
    this.#characters += demand.kind === "settle" ? (demand.sealedReply?.length ?? 0) : 0;
    const isFull = this.#demands >= BATCH_DEMANDS_MAX || this.#characters > BATCH_CHARACTERS_MAX;
    if (this.#demands > 0 && isFull) return false;
    this.#demands++;
    return true;
  };
}

/** A new budget sums up what was used before, which may take long on a large log. */
export function mayShare({ demand }: Waiting): boolean {
  return (demand.reads.openings ?? []).length === 0;
}
