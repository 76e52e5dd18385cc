// Folds in the lessons that all nodes drew from the scores of answers: read from the store at the start and every few seconds.
import { asObject, parseJson } from "../core/json.ts";
import type { Lesson } from "../core/rows.ts";
import type { LessonsKept, Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";
import { Learned } from "../selectors/learning/learned.ts";
import { foldLesson, measureLength } from "../selectors/learning/lesson.ts";

const DAY_MS = 86_400_000;
/** Older lessons are no longer read, because they would weigh an eighth at most. */
const AGE_MAX_MS = 90 * DAY_MS;
/** The most lessons kept of a model: as many as there are prompts to learn from. With 2,000 a pool of 2,500 lost half its gain. */
const PER_MODEL_MAX = 4000;
/** A twentieth of a model's lessons, so that no single key decides what is learned. */
const PER_KEY_AND_MODEL_MAX = 200;
/** The number of new lessons after which surplus ones are deleted. */
const PRUNE_AFTER = 1000;
/** The most by which another node's clock may be behind: lessons of that long ago are read again. */
const CLOCKS_APART_MS = 60_000;
/** The size of a page. Reading a lesson takes about 30 µs, during which no request is served. */
const LESSONS_AT_ONCE = 200;
/** The shortest time between rebuilds that replace a signal by the judgment that came after it. */
const REBUILD_MS = 600_000;

/** The time between two fits of more labelled prompts than this. */
const FIT_MS = 30_000;
const FITTED_AT_ONCE = 300;

const LOGGED_MAX = 500;
const LOGGED_AT_ONCE = 10;

type LessonStore = Pick<Store, "lessons" | "setting" | "pruneLessons">;

/** The lessons that were folded in, and the point up to which the store was read. */
interface State {
  readonly learned: Learned;
  /** The start of the day as of which lessons are weighed, the same on all nodes. */
  readonly dayMs: number;
  readonly builtMs: number;
  /** The time at which lessons were last forgotten or imported, as the store has it. */
  readonly changed: string | null;
  /** The lessons from `fromMs` on that were folded in, with their sources. */
  seen: Map<string, Pick<Lesson, "atMs" | "source">>;
  /** The signals that were folded in. A judgment may replace one later. */
  readonly signals: Set<string>;
  fromMs: number;
  folded: number;
  isStale: boolean;
}

export class Learning {
  readonly #store: LessonStore;
  readonly #learned: Learned;
  readonly #clock: Pick<Clock, "nowMs">;
  #state: State | null = null;
  #fittedMs = 0;

  constructor(store: LessonStore, learned: Learned, clock: Pick<Clock, "nowMs">) {
    this.#store = store;
    this.#learned = learned;
    this.#clock = clock;
  }

  /**
   * Folds in new lessons. Starts over once a day, because older lessons then count less, after lessons were forgotten or
   * imported, and after a judgment replaced a signal.
   */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const changed = await this.#store.setting("lessons_forgotten");
    const state = this.#state;
    const isDone = state !== null && state.changed === changed && state.dayMs === startOfDay(nowMs);
    if (isDone && !(state.isStale && nowMs - state.builtMs >= REBUILD_MS)) {
      await this.#read(state, nowMs);
      await this.#fit(nowMs);
      return;
    }
    await this.#store.pruneLessons(chooseKept(nowMs));
    const next = createState(nowMs, changed);
    await this.#read(next, nowMs);
    await next.learned.fitSlowly(() => Bun.sleep(0));
    this.#learned.become(next.learned);
    this.#state = { ...next, learned: this.#learned };
  }

  /** Many labels take a second to fit, so that new ones wait for each other; few are fitted at once. */
  async #fit(nowMs: number): Promise<void> {
    if (this.#learned.promptsKnown > FITTED_AT_ONCE && nowMs - this.#fittedMs < FIT_MS) return;
    this.#fittedMs = nowMs;
    await this.#learned.fitSlowly(() => Bun.sleep(0));
  }

  async #read(state: State, nowMs: number): Promise<void> {
    let { fromMs } = state;
    for await (const lessons of readLessons(this.#store, fromMs)) {
      for (const lesson of lessons) foldOnce(state, lesson);
      fromMs = lessons.at(-1)?.atMs ?? fromMs;
    }
    state.fromMs = Math.max(fromMs, nowMs - CLOCKS_APART_MS) - CLOCKS_APART_MS;
    for (const [id, { atMs }] of state.seen) if (atMs < state.fromMs) state.seen.delete(id);
    if (state.folded < PRUNE_AFTER) return;
    await this.#store.pruneLessons(chooseKept(nowMs));
    state.folded = 0;
  }
}

/** Measures the lengths of the models' last answers from the log, so that a gateway knows them after a restart. */
export async function measureLogged(
  store: Pick<Store, "requests">,
  learned: Learned,
  log: Log,
): Promise<void> {
  try {
    const records = await store.requests({ status: 200 }, { limit: LOGGED_MAX, after: null });
    for (const [at, { decision, modelUsed, usageSource, amounts }] of records.toReversed().entries()) {
      // Without a pause, this would delay the start by 10 ms.
      if (at % LOGGED_AT_ONCE === 0) await Bun.sleep(0);
      if (decision === null || modelUsed === null || usageSource !== "provider") continue;
      measureLength(learned, asObject(parseJson(decision)), modelUsed, amounts.completion);
    }
  } catch (error) {
    log({ event: "lengths_unknown", level: "warn", cause: String(error) });
  }
}

/** Reads lessons page by page from a time on, oldest first. Some at the border of two pages come twice. */
export async function* readLessons(
  store: Pick<Store, "lessons">,
  fromMs: number,
): AsyncGenerator<readonly Lesson[]> {
  let beginMs = fromMs;
  let most = LESSONS_AT_ONCE;
  for (;;) {
    const lessons = await store.lessons(beginMs, most);
    yield lessons;
    if (lessons.length < most) return;
    const lastMs = lessons.at(-1)?.atMs ?? beginMs;
    // The next page begins at the time at which this one ends. If all lessons of a page have the same time, it must be longer.
    if (lastMs === beginMs) most *= 2;
    beginMs = lastMs;
    await Bun.sleep(0);
  }
}

function createState(nowMs: number, changed: string | null): State {
  return {
    learned: new Learned(),
    dayMs: startOfDay(nowMs),
    builtMs: nowMs,
    changed,
    seen: new Map(),
    signals: new Set(),
    fromMs: nowMs - AGE_MAX_MS,
    folded: 0,
    isStale: false,
  };
}

function foldOnce(state: State, lesson: Lesson): void {
  const { accountId, atMs, source } = lesson;
  const id = `${accountId} ${lesson.id}`;
  if (state.seen.get(id)?.source === source) return;
  state.seen.set(id, { atMs, source });
  if (source === "signal") state.signals.add(id);
  else if (state.signals.delete(id)) state.isStale = true;
  foldLesson(state.learned, lesson, state.dayMs);
  state.folded++;
}

function startOfDay(nowMs: number): number {
  return nowMs - (nowMs % DAY_MS);
}

function chooseKept(nowMs: number): LessonsKept {
  return {
    sinceMs: nowMs - AGE_MAX_MS,
    perModel: PER_MODEL_MAX,
    perKeyAndModel: PER_KEY_AND_MODEL_MAX,
  };
}

/** The ratio of a model's answers' length to the predicted one, to three decimals. */
export function roundLength(learned: Learned, model: string): number {
  return Math.round(learned.lengthOf(model) * 1000) / 1000;
}
