// The port of learning: from answers and their scores to what selectors read.

import type { RequestRecord, UnsettledRecord } from "../core/log/record.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Grade } from "../operations/operation.ts";
import type { KeptDecision } from "../selectors/decision.ts";
import type { Knowledge } from "../selectors/knowledge.ts";

/** An answer to a request that a selector routed. */
export interface GradedAnswer {
  readonly decision: KeptDecision;
  /** The card that answered. */
  readonly card: ModelCard;
  readonly grade: Grade;
}

export interface EndedAnswer extends GradedAnswer {
  readonly record: UnsettledRecord;
  /** The number of answers requested. */
  readonly answers: number;
  /** True if the balance limited the answer's length: the model is not to blame for its end. */
  readonly isCutByBalance: boolean;
}

export interface LearningPort {
  readonly known: Knowledge;
  /** Learns an answer's length, and its signal if it is broken. */
  learn(answer: EndedAnswer): void;
  /** Learns a client's score, 0…1, of this card's answer. False if nothing is learned from it. */
  score(record: RequestRecord, card: ModelCard, score: number): Promise<boolean>;
  /** Resolves when what was learned before the start is known. Null if there is nothing to wait for. */
  whenKnown(): Promise<unknown> | null;
}
