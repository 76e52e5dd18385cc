// The lessons of all nodes from answers' scores: read from the store at the start, and again every few seconds.
import { objectOf, parseJson } from "../core/json.ts";
import type { Lesson } from "../core/rows.ts";
import type { LessonsKept, Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";
import { Learned } from "../selectors/learning/learned.ts";
import { foldLesson, measureLength } from "../selectors/learning/lesson.ts";

const DAY_MS = 86_400_000;
/** Older lessons are no longer read: they would weigh an eighth. */
const AGE_MAX_MS = 90 * DAY_MS;
/** More tell little that the newer ones don't. */
const PER_MODEL_MAX = 2000;
/** One key fills a tenth of a model's places at most. */
const PER_KEY_AND_MODEL_MAX = 200;
/** After so many new ones it is looked whether there are too many. */
const PRUNE_AFTER = 1000;
/** Another node's clock may be so far behind: what it wrote since is looked for again. */
const CLOCKS_APART_MS = 60_000;
/** Small enough that nobody waits long behind the folding of a page: about 60 µs each. */
const LESSONS_AT_ONCE = 200;
/** The time after which a judgment takes the place of the signal that was folded in, beside counting itself. */
const REBUILD_MS = 600_000;

const LOGGED_MAX = 500;
const LOGGED_AT_ONCE = 10;

type LessonStore = Pick<Store, "lessons" | "setting" | "pruneLessons">;

/** The lessons that are folded in, and the point up to which the store was read. */
interface State {
  readonly learned: Learned;
  /** The start of the day as of which lessons are weighed: the same on all nodes. */
  readonly dayMs: number;
  readonly builtMs: number;
  /** The store's word on when all was changed. */
  readonly changed: string | null;
  /** The lessons folded in since the moment from which is looked, with their sources. */
  seen: Map<string, Pick<Lesson, "atMs" | "source">>;
  /** Signals that were folded in: a judgment may have come in the place of one since. */
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

  constructor(store: LessonStore, learned: Learned, clock: Pick<Clock, "nowMs">) {
    this.#store = store;
    this.#learned = learned;
    this.#clock = clock;
  }

  /**
   * Folds in what is new. Anew from the start once a day, when what is older counts less, after lessons were forgotten or
   * brought in, and when a judgment took the place of a signal.
   */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const changed = await this.#store.setting("lessons_forgotten");
    const state = this.#state;
    const isDone = state !== null && state.changed === changed && state.dayMs === startOfDay(nowMs);
    if (isDone && !(state.isStale && nowMs - state.builtMs >= REBUILD_MS)) {
      await this.#read(state, nowMs);
      return;
    }
    await this.#store.pruneLessons(chooseKept(nowMs));
    const next = createState(nowMs, changed);
    await this.#read(next, nowMs);
    this.#learned.become(next.learned);
    this.#state = { ...next, learned: this.#learned };
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

/** The lengths of the models' last answers, as the log has them: a gateway that starts knows those of the one before it. */
export async function measureLogged(
  store: Pick<Store, "requests">,
  learned: Learned,
  log: Log,
): Promise<void> {
  try {
    const records = await store.requests({ status: 200 }, { limit: LOGGED_MAX, after: null });
    for (const [at, { decision, modelUsed, usageSource, tokens }] of records.toReversed().entries()) {
      // All at once would keep a gateway that starts from listening for 10 ms.
      if (at % LOGGED_AT_ONCE === 0) await Bun.sleep(0);
      if (decision === null || modelUsed === null || usageSource !== "provider") continue;
      measureLength(learned, objectOf(parseJson(decision)), modelUsed, tokens.completion);
    }
  } catch (error) {
    log({ event: "lengths_unknown", level: "warn", cause: String(error) });
  }
}

/** Page by page from a moment on, oldest first. Where one page ends and the next begins, some come twice. */
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
    // The next page begins with the moment that this one ends with: where it holds no other, it has to be longer.
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
