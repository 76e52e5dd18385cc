// Learns from each answer: its length, whether it is broken, and the score that its client gives it.

import { nameAsker } from "../core/keys/payer.ts";
import type { RequestRecord } from "../core/log/record.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world/world.ts";
import { findProfile } from "../selectors/profiles.ts";
import { estimatePriorQuality } from "../selectors/quality.ts";
import type { LearnedModels } from "./learned.ts";
import { makeLesson, makeLessonBound, measureLength, readKeptKind, readKind } from "./lesson.ts";
import type { EndedAnswer } from "./port.ts";
import { weighSignal } from "./signal.ts";

interface LessonPorts {
  readonly learned: LearnedModels;
  readonly store: Pick<Store, "teach">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

/** Older successes say nothing about the present. */
const SOUND_MAX = 200;

export class AnswerLessons {
  readonly #ports: LessonPorts;
  /** Successes since the last broken answer, by card and format. */
  readonly #sound = new Map<string, number>();

  constructor(ports: LessonPorts) {
    this.#ports = ports;
  }

  learn(answer: EndedAnswer): void {
    const { decision, card, grade, record, answers, isCutByBalance } = answer;
    const tokens = record.usageSource === "provider" && answers === 1 ? record.amounts.completion : null;
    if (tokens !== null && !grade.isCutOff)
      measureLength(this.#ports.learned, decision, card.id, { tokens, payer: nameAsker(record) });
    const signal = grade.signal(tokens);
    const form = `${card.id} ${grade.form}`;
    const sound = this.#sound.get(form) ?? 0;
    const isSound = signal === null || (signal === "cut_off" && isCutByBalance);
    this.#sound.set(form, isSound ? Math.min(SOUND_MAX, sound + 1) : 0);
    if (!isSound) this.#teach(answer, signal, sound);
  }

  /** Returns false if no selector chose the card, or if the answer or too many others were scored before. */
  async score(
    { id, accountId, keyId, decision }: RequestRecord,
    card: ModelCard,
    score: number,
  ): Promise<boolean> {
    const kind = decision === null ? null : readKind(decision);
    if (kind === null) return false;
    const atMs = this.#ports.clock.nowMs();
    const about = { accountId, keyId, id, atMs, source: "score", weight: 1 } as const;
    const lesson = makeLesson(about, kind, [{ card, score }]);
    return (await this.#ports.store.teach(lesson, makeLessonBound(atMs))) > 0;
  }

  #teach(
    { record: { id, accountId, keyId }, decision, card }: EndedAnswer,
    signal: Parameters<typeof weighSignal>[0],
    sound: number,
  ): void {
    const { store, clock, log } = this.#ports;
    const kind = readKeptKind(decision);
    if (kind === null) return;
    const atMs = clock.nowMs();
    const { score, weight } = weighSignal(signal, estimatePriorQuality(findProfile(card), kind), sound);
    const about = { accountId, keyId, id, atMs, source: "signal", weight } as const;
    store.teach(makeLesson(about, kind, [{ card, score }]), makeLessonBound(atMs)).then(
      (added) => log({ event: "signal", level: "info", id, model: card.id, signal, learned: added > 0 }),
      (error: unknown) => log({ event: "signal_lost", level: "warn", id, cause: String(error) }),
    );
  }
}
