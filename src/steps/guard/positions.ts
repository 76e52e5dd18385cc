// The positions in an answer whose texts the guard changes: they leave once it is known where they stand then.
import { type MovePosition, TextMoves, type TextPosition } from "../../core/text/moves.ts";
import type { NativeTexts } from "../../core/text/texts.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";

/** Takes what a step would show of one answer, and returns it with its positions moved. */
export class MovedAnswer<F extends Form> {
  /** Watches the filters of the answer's texts. */
  readonly moves: TextMoves;
  readonly #operation: Operation<F>;
  readonly #native: NativeTexts | null;
  /** In order: the first has a position that is undecided. */
  #waiting: F["piece"][] = [];

  constructor(operation: Operation<F>, native: NativeTexts | null) {
    this.moves = new TextMoves(native?.quotesTexts);
    this.#operation = operation;
    this.#native = native;
  }

  whole(reply: F["reply"]): F["reply"] {
    const { positions } = this.#operation.streamed ?? {};
    if (positions === undefined || !this.moves.isChanged) return reply;
    const { moves } = this;
    const move: MovePosition = Object.assign((position: TextPosition) => moves.move(position), {
      quote: (text: string, start: TextPosition, end: TextPosition) => moves.quote(text, start, end),
    });
    return positions.moveInReply(reply, move, this.#native);
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
    const { moves } = this;
    const moveOne = (position: TextPosition) => {
      isUndecided ||= !isEnd && !moves.isDecided(position);
      return moves.move(position);
    };
    const move: MovePosition = Object.assign(moveOne, {
      quote: (text: string, start: TextPosition, end: TextPosition) =>
        isUndecided ? text : moves.quote(text, start, end),
    });
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
