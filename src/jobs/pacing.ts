// Pacing: lines start as there is room at the models and credentials that they go to. The gateway says where that is, for the
// first line that asks for a model, and for each one after it.
import type { LinePace, LinePlacing } from "../core/batches/line-pace.ts";

/** Beyond this many models, those that no line asks for are forgotten: their next line says again where it goes. */
const MODELS_MAX = 1000;

interface AskedModel {
  /** The lines that were started, and haven't gone anywhere yet. */
  unplaced: number;
  /** Null until the first line has been planned. */
  paces: readonly LinePace[] | null;
}

/** A line's place, from its start to its end. */
class LineRun implements LinePlacing {
  readonly #asked: AskedModel;
  readonly #advance: () => void;
  readonly #leave: () => void;
  #isPlaced = false;

  /** `leave` is called once the line has gone somewhere, or has ended. */
  constructor(asked: AskedModel, advance: () => void, leave: () => void) {
    this.#asked = asked;
    this.#advance = advance;
    this.#leave = leave;
  }

  plan(paces: readonly LinePace[]): void {
    const isFirst = this.#asked.paces === null;
    this.#asked.paces = paces;
    if (isFirst) this.#advance();
  }

  place(): void {
    if (this.#isPlaced) return;
    this.#isPlaced = true;
    this.#asked.unplaced--;
    this.#leave();
  }

  /** Called in any case. */
  end(): void {
    this.place();
  }
}

/** Times are on the monotonic clock. */
export class Pacing {
  readonly #models = new Map<string, AskedModel>();
  /** Lines that were started for a place, and haven't gone anywhere yet. */
  readonly #expected = new Map<LinePace, number>();

  /** True if a line that asks for the model may start. `model` is its name in its batch. */
  may(model: string, nowMs: number): boolean {
    const asked = this.#models.get(model);
    if (asked === undefined) return true;
    // One line at a time asks where lines of the model go.
    if (asked.paces === null) return asked.unplaced === 0;
    return asked.paces.length === 0 || this.#findRoomiest(asked.paces, nowMs).room >= 1;
  }

  /** Counts a line. */
  begin(model: string, nowMs: number, advance: () => void): LineRun {
    if (this.#models.size >= MODELS_MAX) this.#forget();
    const asked = this.#models.getOrInsertComputed(model, () => ({ unplaced: 0, paces: null }));
    const pace = asked.paces === null ? null : this.#findRoomiest(asked.paces, nowMs).pace;
    asked.unplaced++;
    this.#expect(pace, 1);
    return new LineRun(asked, advance, () => this.#expect(pace, -1));
  }

  #findRoomiest(paces: readonly LinePace[], nowMs: number) {
    let room = Number.NEGATIVE_INFINITY;
    let pace: LinePace | null = null;
    for (const one of paces) {
      const own = one.countRoom(nowMs) - (this.#expected.get(one) ?? 0);
      if (own <= room) continue;
      room = own;
      pace = one;
    }
    return { pace, room };
  }

  #expect(pace: LinePace | null, more: number): void {
    if (pace === null) return;
    const expected = (this.#expected.get(pace) ?? 0) + more;
    if (expected === 0) this.#expected.delete(pace);
    else this.#expected.set(pace, expected);
  }

  #forget(): void {
    for (const [model, { unplaced }] of this.#models) if (unplaced === 0) this.#models.delete(model);
  }
}
