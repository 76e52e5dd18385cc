// What all nodes have learned of answers' scores: read from the store at the start, and again every few seconds.
import type { Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import type { Learned } from "../router/learned.ts";
import { foldLesson } from "../router/lesson.ts";
import { rowWidth } from "../router/predictor.ts";

/** Older lessons are no longer read: models and prompts change. */
const AGE_MAX_MS = 90 * 86_400_000;
/** Another node's clock may be so far behind: what it wrote since is looked for again. */
const CLOCKS_APART_MS = 60_000;
const LESSONS_AT_ONCE = 1000;

export class Learning {
  readonly #store: Pick<Store, "lessons" | "setting">;
  readonly #learned: Learned;
  readonly #clock: Pick<Clock, "nowMs">;
  /** What was folded in since the moment from which is looked. */
  #seen = new Map<string, number>();
  #fromMs: number | null = null;
  #forgotten: string | null = null;

  constructor(store: Pick<Store, "lessons" | "setting">, learned: Learned, clock: Pick<Clock, "nowMs">) {
    this.#store = store;
    this.#learned = learned;
    this.#clock = clock;
  }

  /** Folds in what is new; starts anew when lessons were forgotten. */
  async refresh(): Promise<void> {
    const forgotten = await this.#store.setting("lessons_forgotten");
    if (forgotten !== this.#forgotten) {
      this.#learned.reset();
      this.#seen.clear();
      this.#fromMs = null;
    }
    this.#forgotten = forgotten;
    let fromMs = this.#fromMs ?? this.#clock.nowMs() - AGE_MAX_MS;
    let most = LESSONS_AT_ONCE;
    for (;;) {
      const lessons = await this.#store.lessons(fromMs, most);
      for (const lesson of lessons) {
        const id = `${lesson.accountId} ${lesson.id}`;
        if (this.#seen.has(id)) continue;
        this.#seen.set(id, lesson.atMs);
        foldLesson(this.#learned, lesson, rowWidth());
      }
      const lastMs = lessons.at(-1)?.atMs ?? fromMs;
      if (lessons.length < most) break;
      // The next page begins with the moment that this one ends with: where it holds no other, it has to be longer.
      if (lastMs === fromMs) most *= 2;
      fromMs = lastMs;
    }
    this.#fromMs = Math.max(fromMs, this.#clock.nowMs() - CLOCKS_APART_MS) - CLOCKS_APART_MS;
    for (const [id, atMs] of this.#seen) if (atMs < this.#fromMs) this.#seen.delete(id);
  }
}
