// Applies the lessons that all nodes draw from answers' scores, read from the store at the start and every few seconds.

import { asNumber, asObject, parseJson } from "../core/json/json.ts";
import { nameAsker } from "../core/keys/payer.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Lesson } from "../core/models/learned/lesson.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world/world.ts";
import { makeFindModel } from "../selectors/expense.ts";
import type { Drifts } from "./drift.ts";
import { LESSON_AGE_MAX_MS } from "./evidence.ts";
import { LearnedModels } from "./learned.ts";
import { measureLength, putLesson } from "./lesson.ts";
import type { Sway } from "./sway.ts";

const DAY_MS = 86_400_000;
/** The most that another node's clock may lag: lessons this old are read again. */
const CLOCKS_APART_MS = 60_000;
/** The number of lessons deleted at once. */
const DELETED_AT_ONCE = 100;

/** The shortest time between two fits when more prompts than `FITTED_AT_ONCE` have labels. */
const FIT_MS = 30_000;
const FITTED_AT_ONCE = 300;
/** The longest time that a request waits for the lessons to be read and fitted, such as after an update. */
const WAIT_MS = 500;
/** The shortest time between two saves of the fit, which takes a hundred kilobytes or more. */
const KEEP_MS = 30_000;

/** The shortest time between two lines about an account that alone decides which model is the best. */
const SWAY_LOGGED_MS = 600_000;

/** The longest time without serving requests. */
const BUSY_MS = 2;

const LOGGED_MAX = 500;
const LOGGED_AT_ONCE = 10;

type LessonStore = Pick<Store, "setting" | "setSetting" | "pruneLessons" | "dropLessons">;

/** The lessons applied so far, and the point up to which the store was read. */
interface State {
  readonly learned: LearnedModels;
  /** The time at which lessons were last forgotten or imported, as stored. */
  readonly changed: string | null;
  fromMs: number;
  latestMs: number;
  /** The start of the day by which lessons were last weighted, the same on all nodes. */
  fittedDayMs: number;
}

export interface LearningParts {
  readonly store: LessonStore;
  /** Reads lessons page by page from a time on, oldest first. Some may come twice. */
  readonly readLessons: (fromMs: number) => AsyncIterable<readonly Lesson[]>;
  readonly learned: LearnedModels;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** With 0, waiting requests are served first. */
  readonly sleep: Sleep;
  /** Returns the cards that are served now: their prices are weighed against the quality that labels show. */
  readonly cards: () => readonly ModelCard[];
  /** Returns those of them that selectors may choose. */
  readonly choosable: () => readonly ModelCard[];
  readonly log: Log;
}

/** Resolves after this many milliseconds. */
type Sleep = (ms: number) => Promise<void>;

export class Learning {
  readonly #parts: LearningParts;
  #state: State | null = null;
  #fittedMs = 0;
  #keptMs = 0;
  #isKept = true;
  /** The changes of models in the saved fit, and the time at which lessons had last been forgotten then. */
  #recalled: { readonly changed: string | null; readonly drifts: Drifts } | null = null;
  #sway: Sway | null = null;
  #swayedMs = Number.NEGATIVE_INFINITY;
  readonly #known = Promise.withResolvers<void>();
  #isKnown = false;

  constructor(parts: LearningParts) {
    this.#parts = parts;
  }

  /**
   * Uses the last saved fit until `refresh` has read the lessons themselves. Returns the time of the latest lesson in
   * it. Null if there is none in this format, or lessons were forgotten since.
   */
  async recall(): Promise<number | null> {
    const text = await this.#parts.store.setting("lessons_fitted");
    const changed = await this.#parts.store.setting("lessons_forgotten");
    const kept = asObject(parseJson(text ?? ""));
    if ((kept.changed ?? null) !== changed || !this.#parts.learned.unpack(kept.fitted)) return null;
    this.#recalled = { changed, drifts: this.#parts.learned.drifts };
    this.#setKnown();
    return asNumber(kept.latest_ms) ?? 0;
  }

  /** Applies new lessons. Reads all of them again after some were forgotten or imported. */
  async refresh(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    const changed = await this.#parts.store.setting("lessons_forgotten");
    const isNew = this.#state?.changed !== changed;
    const state = isNew || this.#state === null ? createState(nowMs, changed) : this.#state;
    if (isNew && this.#recalled?.changed === changed) state.learned.recallDrifts(this.#recalled.drifts);
    await this.#read(state, nowMs);
    await this.#fit(state, nowMs);
    if (isNew) this.#parts.learned.become(state.learned);
    this.#state = { ...state, learned: this.#parts.learned };
    this.#setKnown();
    this.#tellSway(nowMs);
    await this.#keep(nowMs);
    await this.#delete(nowMs);
  }

  /**
   * Resolves when the lessons are known, or once a request has waited long enough. Null if there is nothing to wait
   * for.
   */
  whenKnown(): Promise<unknown> | null {
    return this.#isKnown ? null : Promise.race([this.#known.promise, this.#parts.sleep(WAIT_MS)]);
  }

  /**
   * Returns the best overall of the models that selectors may choose. Null until the lessons themselves have been read:
   * by an older fit, it may be another.
   */
  best(): string | null {
    return this.#state === null ? null : this.#parts.learned.findBest(this.#parts.choosable());
  }

  #setKnown(): void {
    this.#isKnown = true;
    this.#known.resolve();
  }

  /** Fits at once if there are few labels. Many take a second to fit, so new ones are batched. */
  async #fit(state: State, nowMs: number): Promise<void> {
    const { learned } = state;
    const dayMs = startOfDay(nowMs);
    const isAged = state.fittedDayMs !== dayMs;
    const isEarly = learned.promptsKnown > FITTED_AT_ONCE && nowMs - this.#fittedMs < FIT_MS;
    if (!isAged && (!learned.isStale || isEarly)) return;
    this.#fittedMs = nowMs;
    state.fittedDayMs = dayMs;
    this.#isKept = false;
    const findModel = makeFindModel(this.#parts.cards(), (model) => this.#parts.learned.lengthOf(model));
    const choosable = this.#parts.choosable();
    await learned.fitSlowly({ asOfMs: dayMs, findModel, choosable }, createPause(this.#parts));
  }

  /** Logs an account that alone decides which model is the best, once for each model and rarely. */
  #tellSway(nowMs: number): void {
    const { sway } = this.#parts.learned;
    const isTold = sway?.accountId === this.#sway?.accountId && sway?.best === this.#sway?.best;
    if (isTold || nowMs - this.#swayedMs < SWAY_LOGGED_MS) return;
    this.#sway = sway;
    if (sway === null) return;
    this.#swayedMs = nowMs;
    const { accountId: account, best, otherwise } = sway;
    this.#parts.log({ event: "account_decides", level: "warn", account, best, otherwise });
  }

  async #read(state: State, nowMs: number): Promise<void> {
    for await (const lessons of this.#parts.readLessons(state.fromMs)) {
      // Requests are served between two pages.
      await this.#parts.sleep(0);
      for (const lesson of lessons) {
        putLesson(state.learned, lesson);
        state.latestMs = Math.max(state.latestMs, lesson.atMs);
      }
    }
    state.fromMs = Math.max(state.fromMs, nowMs - 2 * CLOCKS_APART_MS);
  }

  async #keep(nowMs: number): Promise<void> {
    if (this.#isKept || this.#state === null || nowMs - this.#keptMs < KEEP_MS) return;
    this.#isKept = true;
    this.#keptMs = nowMs;
    const { changed, latestMs } = this.#state;
    const kept = { changed, latest_ms: latestMs, fitted: this.#parts.learned.pack() };
    await this.#parts.store.setSetting("lessons_fitted", JSON.stringify(kept));
  }

  /** Deletes in small steps, because with SQLite other requests wait meanwhile. */
  async #delete(nowMs: number): Promise<void> {
    const dropped = this.#parts.learned.takeDropped();
    for (let at = 0; at < dropped.length; at += DELETED_AT_ONCE) {
      await this.#parts.store.dropLessons(dropped.slice(at, at + DELETED_AT_ONCE));
      await this.#parts.sleep(0);
    }
    while (
      (await this.#parts.store.pruneLessons(nowMs - LESSON_AGE_MAX_MS, DELETED_AT_ONCE)) === DELETED_AT_ONCE
    )
      await this.#parts.sleep(0);
  }
}

/** Measures the lengths of the models' last answers from the log, so that they are known after a restart. */
export async function measureLogged(
  store: Pick<Store, "requests">,
  learned: LearnedModels,
  log: Log,
  sleep: Sleep,
): Promise<void> {
  try {
    const records = await store.requests({ status: 200 }, { limit: LOGGED_MAX, after: null });
    for (const [at, record] of records.toReversed().entries()) {
      const { decision, modelUsed, usageSource, amounts } = record;
      // Without a pause, this would delay the start by 10 ms.
      if (at % LOGGED_AT_ONCE === 0) await sleep(0);
      if (decision === null || modelUsed === null || usageSource !== "provider") continue;
      measureLength(learned, asObject(parseJson(decision)), modelUsed, {
        tokens: amounts.completion,
        payer: nameAsker(record),
      });
    }
  } catch (error) {
    log({ event: "lengths_unknown", level: "warn", cause: String(error) });
  }
}

function createState(nowMs: number, changed: string | null): State {
  return {
    learned: new LearnedModels(),
    changed,
    fromMs: nowMs - LESSON_AGE_MAX_MS,
    latestMs: 0,
    fittedDayMs: 0,
  };
}

/** Yields to waiting requests if none were served for a while. */
function createPause({ clock, sleep }: Pick<LearningParts, "clock" | "sleep">): () => Promise<void> {
  let sinceMs = clock.monotonicMs();
  return async () => {
    if (clock.monotonicMs() - sinceMs < BUSY_MS) return;
    await sleep(0);
    sinceMs = clock.monotonicMs();
  };
}

function startOfDay(nowMs: number): number {
  return nowMs - (nowMs % DAY_MS);
}
