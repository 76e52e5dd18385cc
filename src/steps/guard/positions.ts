// The positions in an answer whose texts the guard changes: they leave once it is known where they stand then.
import { type MovePosition, TextMoves } from "../../core/text/moves.ts";
import type { NativeTexts } from "../../core/text/texts.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";

/** Takes what a step would show of one answer, and returns it with its positions moved. */
export class MovedAnswer<F extends Form> {
  /** Watches the filters of the answer's texts. */
  readonly moves = new TextMoves();
  readonly #operation: Operation<F>;
  readonly #native: NativeTexts | null;
  /** In order: the first has a position that is undecided. */
  #waiting: F["piece"][] = [];

  constructor(operation: Operation<F>, native: NativeTexts | null) {
    this.#operation = operation;
    this.#native = native;
  }

  whole(reply: F["reply"]): F["reply"] {
    const { positions } = this.#operation.streamed ?? {};
    if (positions === undefined || !this.moves.isChanged) return reply;
    return positions.moveInReply(reply, (position) => this.moves.move(position), this.#native);
  }

  /** Call it once the texts of the pieces have passed their filters. Returns the pieces to show now. */
  pass(pieces: readonly F["piece"][]): readonly F["piece"][] {
    const { moves } = this;
    if (this.#waiting.length === 0 && !moves.isChanged && !moves.isOpen) return pieces;
    return this.#take([...this.#waiting, ...pieces], false);
  }

  /** Returns the rest, once all filters have ended. */
  end(): readonly F["piece"][] {
    return this.#take(this.#waiting, true);
  }

  #take(pieces: readonly F["piece"][], isEnd: boolean): readonly F["piece"][] {
    const { positions } = this.#operation.streamed ?? {};
    if (positions === undefined) return pieces;
    let isUndecided = false;
    const move: MovePosition = (position) => {
      isUndecided ||= !isEnd && !this.moves.isDecided(position);
      return this.moves.move(position);
    };
    const moved: F["piece"][] = [];
    for (const piece of pieces) {
      const now = positions.moveInPiece(piece, move, this.#native);
      if (isUndecided) break;
      moved.push(now);
    }
    this.#waiting = pieces.slice(moved.length);
    return moved;
  }
}
