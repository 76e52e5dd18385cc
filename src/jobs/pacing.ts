// Pacing: lines start as there is room at the models and credentials that they go to. The gateway says where that is, for the
// first line that asks for a model, and for each one after it. A model that takes none is tried by one line at a time.
import type { LinePace, LinePlacing } from "../core/batches/line-pace.ts";
import { computeWait } from "./trying.ts";

/** Beyond this many models, those that no line asks for are forgotten: their next line says again where it goes. */
const MODELS_MAX = 1000;
/** A shut model isn't tried more often. */
const TRY_MS = 250;

/** While nothing that lines of a model may go to takes any. */
interface Shut {
  /** No line tries it before. */
  untilMs: number;
  /** The times in a row that it was shut. */
  waits: number;
}

interface AskedModel {
  /** The lines that were started, and haven't gone anywhere yet. */
  unplaced: number;
  /** Null until the first line has been planned. */
  paces: readonly LinePace[] | null;
  /** Null while lines start as there is room. */
  shut: Shut | null;
  /** The lines under way that were started although it was shut. */
  trials: number;
  /** When a line of its own last began, and was last answered. */
  begunMs: number;
  answeredMs: number;
}

/** A line's place, from its start to its end. */
class LineRun implements LinePlacing {
  readonly #asked: AskedModel;
  readonly #advance: () => void;
  readonly #leave: () => void;
  readonly #isTrial: boolean;
  #isPlaced = false;

  /** `leave` is called once the line has gone somewhere, or has ended. */
  constructor(asked: AskedModel, advance: () => void, leave: () => void) {
    this.#asked = asked;
    this.#advance = advance;
    this.#leave = leave;
    this.#isTrial = asked.shut !== null;
    if (this.#isTrial) asked.trials++;
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

  /** Called in any case, once. */
  end(): void {
    this.place();
    if (this.#isTrial) this.#asked.trials--;
  }
}

/** Models at a time, by their names in their batches. */
export interface ModelLook {
  /** True if a line may start. */
  may(model: string): boolean;
  /** True if nothing takes the model's lines, so that the next one that starts is a trial. */
  isShut(model: string): boolean;
  /** The same, or true if the providers asked for a rest. */
  isAway(model: string): boolean;
}

class PacingLook implements ModelLook {
  readonly #pacing: Pacing;
  readonly #nowMs: number;

  constructor(pacing: Pacing, nowMs: number) {
    this.#pacing = pacing;
    this.#nowMs = nowMs;
  }

  may(model: string): boolean {
    return this.#pacing.may(model, this.#nowMs);
  }

  isShut(model: string): boolean {
    return this.#pacing.isShut(model);
  }

  isAway(model: string): boolean {
    const nowMs = this.#nowMs;
    return this.isShut(model) || (this.#pacing.describe(model)?.restsUntilMs ?? nowMs) > nowMs;
  }
}

/** A model that lines ask for, as they have found it. Times are on the monotonic clock. */
export interface ModelState {
  readonly isShut: boolean;
  readonly trials: number;
  /** The time until which each of its places rests. */
  readonly restsUntilMs: number;
  readonly begunMs: number;
  /** The last answer to anybody, a 429 too. */
  readonly answeredMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Models go by their names in their batches. Times are on the monotonic clock. */
export class Pacing {
  readonly #models = new Map<string, AskedModel>();
  /** Lines that were started for a place, and haven't gone anywhere yet. */
  readonly #expected = new Map<LinePace, number>();

  /** True if a line that asks for the model may start. */
  may(model: string, nowMs: number): boolean {
    const asked = this.#models.get(model);
    if (asked === undefined) return true;
    if (asked.shut !== null) return asked.trials === 0 && nowMs >= asked.shut.untilMs;
    // One line at a time asks where lines of the model go.
    if (asked.paces === null) return asked.unplaced === 0;
    return asked.paces.length === 0 || this.#findRoomiest(asked.paces, nowMs).room >= 1;
  }

  /** True if nothing takes lines of the model, so that the next one that starts is a trial. */
  isShut(model: string): boolean {
    return (this.#models.get(model)?.shut ?? null) !== null;
  }

  /** Models as they are at a time. */
  look(nowMs: number): ModelLook {
    return new PacingLook(this, nowMs);
  }

  /** Counts a line. */
  begin(model: string, nowMs: number, advance: () => void): LineRun {
    const asked = this.#ask(model);
    const pace =
      asked.paces === null || asked.shut !== null ? null : this.#findRoomiest(asked.paces, nowMs).pace;
    asked.unplaced++;
    asked.begunMs = nowMs;
    this.#expect(pace, 1);
    return new LineRun(asked, advance, () => this.#expect(pace, -1));
  }

  /** True if the gateway has said that lines of the model go to certain places, each with a pace of its own. */
  isPaced(model: string): boolean {
    return (this.#models.get(model)?.paces?.length ?? 0) > 0;
  }

  /** Nothing takes lines of the model. Returns when the next one may try; `afterMs` is null if nobody knows. */
  shut(model: string, nowMs: number, afterMs: number | null): number {
    const asked = this.#ask(model);
    const { shut } = asked;
    // Lines that were on their way together have met the same.
    if (shut !== null && nowMs < shut.untilMs) return shut.untilMs;
    const waits = shut === null ? 0 : shut.waits + 1;
    asked.shut = { waits, untilMs: nowMs + Math.max(TRY_MS, afterMs ?? computeWait(waits)) };
    return asked.shut.untilMs;
  }

  /** A line of the model was answered. */
  open(model: string, nowMs: number): void {
    const asked = this.#models.get(model);
    if (asked === undefined) return;
    asked.shut = null;
    asked.answeredMs = nowMs;
  }

  /** Null for a model that no line has asked for. */
  describe(model: string): ModelState | null {
    const asked = this.#models.get(model);
    if (asked === undefined) return null;
    const { shut, trials, begunMs, paces } = asked;
    const answers = (paces ?? []).map(({ answeredMs }) => answeredMs);
    const rests = (paces ?? []).map(({ restsUntilMs }) => restsUntilMs);
    return {
      isShut: shut !== null,
      trials,
      restsUntilMs: rests.length === 0 ? NEVER : Math.min(...rests),
      begunMs,
      answeredMs: Math.max(asked.answeredMs, ...answers),
    };
  }

  #ask(model: string): AskedModel {
    if (this.#models.size >= MODELS_MAX) this.#forget();
    return this.#models.getOrInsertComputed(model, () => ({
      unplaced: 0,
      paces: null,
      shut: null,
      trials: 0,
      begunMs: NEVER,
      answeredMs: NEVER,
    }));
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
    for (const [model, { unplaced, trials }] of this.#models)
      if (unplaced === 0 && trials === 0) this.#models.delete(model);
  }
}
