// Hands an answer that has ended to those who learn from it: the model's use of its cache, and the selectors.
import type { UnsettledRecord } from "../core/record.ts";
import type { Clock } from "../core/world.ts";
import type { Caches } from "../health/caches.ts";
import type { LearningPort } from "../learning/port.ts";
import type { Form } from "../operations/form.ts";
import type { RequestContext } from "./context.ts";

export interface LearnPorts {
  readonly learning: Pick<LearningPort, "learn">;
  readonly caches: Caches;
  readonly clock: Clock;
}

/** Deferred so that no answer waits for it. */
export function learnLater<F extends Form>(
  { learning, caches, clock }: LearnPorts,
  context: RequestContext<F>,
  record: UnsettledRecord,
): void {
  const answer = context.findGradedAnswer();
  if (answer === null || record.ended !== "done") return;
  const { call, granted, ticket } = context;
  const { id } = answer.card;
  const isCutByBalance = granted?.outputTokens?.[id] !== undefined;
  clock.after(0, () => {
    if (record.usageSource === "provider")
      caches.fold(id, call.conversation.countTokensHeldBy(id), record.amounts.cached);
    learning.learn({ ...answer, record, answers: ticket.ask.answers, isCutByBalance });
  });
}
