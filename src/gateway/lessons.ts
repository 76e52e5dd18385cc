// Lessons that the gateway learns from each answer: its length, the share of cached input, whether it is broken.
import type { ModelCard } from "../core/card.ts";
import type { Granted } from "../core/demand.ts";
import type { UnsettledRecord } from "../core/record.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Log } from "../core/world.ts";
import type { Caches } from "../health/caches.ts";
import type { Form } from "../operations/form.ts";
import type { KeptDecision } from "../selectors/decision.ts";
import type { Learned } from "../selectors/learning/learned.ts";
import { makeLesson, makeLessonBound, measureLength, readKeptKind } from "../selectors/learning/lesson.ts";
import { Grader, weighSignal } from "../selectors/learning/signal.ts";
import { findProfile } from "../selectors/profiles.ts";
import { estimatePriorQuality } from "../selectors/quality.ts";
import type { Call } from "./call.ts";
import type { Plan } from "./plan.ts";

export interface LessonPorts {
  readonly learned: Learned;
  readonly caches: Caches;
  readonly store: Pick<Store, "teach">;
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer to a request that a selector routed. */
export interface GradedAnswer {
  readonly decision: KeptDecision;
  readonly card: ModelCard;
  readonly grader: Grader;
}

interface EndedRequest {
  readonly call: Pick<Call<Form>, "conversation">;
  readonly answers: number;
  readonly record: UnsettledRecord;
  readonly granted: Granted;
}

/** Older successes say nothing about the present. */
const SOUND_MAX = 200;

export class Lessons {
  readonly #ports: LessonPorts;
  /** Successes since the last broken answer, by card and format. */
  readonly #sound = new Map<string, number>();

  constructor(ports: LessonPorts) {
    this.#ports = ports;
  }

  /** Deferred so that no answer waits for it. */
  learn(answer: GradedAnswer | null, request: EndedRequest): void {
    if (answer !== null && request.record.ended === "done")
      this.#ports.clock.after(0, () => this.#learnNow(answer, request));
  }

  #learnNow(
    { decision, card, grader }: GradedAnswer,
    { call, answers, record, granted }: EndedRequest,
  ): void {
    const { learned, caches } = this.#ports;
    const { amounts } = record;
    const isCounted = record.usageSource === "provider";
    const isOne = answers === 1;
    if (isCounted) caches.fold(card.id, call.conversation.countTokensHeldBy(card.id), amounts.cached);
    if (isCounted && isOne && !grader.isCutOff) measureLength(learned, decision, card.id, amounts.completion);
    const signal = grader.signal(isCounted && isOne ? amounts.completion : null);
    const place = `${card.id} ${grader.form}`;
    const sound = this.#sound.get(place) ?? 0;
    // If the balance limited the answer's length, the model is not to blame.
    const isOurs = signal === "cut_off" && granted.outputTokens?.[card.id] !== undefined;
    this.#sound.set(place, signal === null || isOurs ? Math.min(SOUND_MAX, sound + 1) : 0);
    if (signal !== null && !isOurs) this.#teach(record, decision, card, signal, sound);
  }

  #teach(
    { id, accountId, keyId }: UnsettledRecord,
    decision: KeptDecision,
    card: ModelCard,
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

/** Returns null if the client named the model. */
export function makeGrader<F extends Form>({ operation, ask }: Call<F>, { decision }: Plan): Grader | null {
  const described = decision && operation.choosing?.describe(ask);
  return described ? new Grader(described.request) : null;
}
