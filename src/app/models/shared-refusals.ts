// Shares lessons on refusals with the other processes: writes them, reads them again once they change, tries and ends them.
import type { ModelCard } from "../../core/models/card.ts";
import {
  listBeyond,
  type RefusalLesson,
  TRIAL_MS,
  UNSEEN_MS,
} from "../../core/models/learned/refusal-lesson.ts";
import { parseRefusal } from "../../core/models/refusals.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Deadlines, Log } from "../../core/world/world.ts";
import type { LearnedRefusals } from "../../health/refusals.ts";

/**
 * A lesson ends if the server took it after all, nobody met it for 30 days, the model's card has a word of its own about it,
 * or there were too many.
 */
type EndReason = "answered" | "unseen" | "card" | "bound";

interface SharedRefusalsParts {
  readonly store: Pick<Store, "refusalLessons">;
  readonly refusals: LearnedRefusals;
  readonly cards: () => readonly ModelCard[];
  readonly clock: Pick<Clock, "nowMs">;
  readonly deadlines: Pick<Deadlines, "nowMs">;
  readonly log: Log;
}

export class SharedRefusals {
  readonly #parts: SharedRefusalsParts;
  /** The version of the store's that was read last. Undefined if none was. */
  #version: string | null | undefined = undefined;
  #stored: readonly RefusalLesson[] = [];

  constructor(parts: SharedRefusalsParts) {
    this.#parts = parts;
  }

  /** Writes what this process has learned, and reads the lessons of others. After a failure, the next call does the rest. */
  async refresh(): Promise<void> {
    const { clock, deadlines, refusals } = this.#parts;
    refusals.aheadMs = clock.nowMs() - deadlines.nowMs();
    await this.write();
    await this.#takeTrials();
    await this.#read();
    await this.#endOld();
  }

  /** Writes what this process has learned. */
  async write(): Promise<void> {
    const { store, refusals } = this.#parts;
    for (const lesson of refusals.listEnded()) {
      await this.#end(lesson, "answered");
      refusals.markWritten(lesson);
    }
    for (const lesson of refusals.listUnwritten()) {
      await store.refusalLessons.add(lesson);
      refusals.markWritten(lesson);
    }
  }

  async #takeTrials(): Promise<void> {
    const { store, refusals, clock } = this.#parts;
    const nowMs = clock.nowMs();
    for (const lesson of refusals.listWanted()) {
      const isGranted = await store.refusalLessons.takeTrial(lesson, nowMs - TRIAL_MS, nowMs);
      refusals.answerWanted(lesson, isGranted, nowMs);
    }
  }

  async #read(): Promise<void> {
    const { store, refusals } = this.#parts;
    // Before the rows: a change in between is read the next time.
    const version = await store.refusalLessons.version();
    if (version === this.#version) return;
    this.#stored = version === null ? [] : await store.refusalLessons.list();
    this.#version = version;
    refusals.put(this.#stored);
  }

  async #endOld(): Promise<void> {
    if (this.#stored.length === 0) return;
    const nowMs = this.#parts.clock.nowMs();
    const beyond = new Set(listBeyond(this.#stored));
    const cards = new Map(this.#parts.cards().map((card) => [card.id, card]));
    for (const lesson of this.#stored) {
      const reason = beyond.has(lesson) ? "bound" : findEnd(lesson, cards.get(lesson.model), nowMs);
      if (reason !== null) await this.#end(lesson, reason);
    }
  }

  async #end(lesson: RefusalLesson, reason: EndReason): Promise<void> {
    const { store, log } = this.#parts;
    const { model, host, word } = lesson;
    if (await store.refusalLessons.end(lesson))
      log({ event: "refusal_ended", level: "info", model, host, refuses: [word], reason });
  }
}

function findEnd(
  { word, seenAtMs }: RefusalLesson,
  card: ModelCard | undefined,
  nowMs: number,
): EndReason | null {
  if (nowMs - seenAtMs >= UNSEEN_MS) return "unseen";
  const parsed = parseRefusal(word);
  if (card === undefined || parsed === null) return null;
  return card.refuses?.has(parsed.word) || card.accepts?.has(parsed.word) ? "card" : null;
}
