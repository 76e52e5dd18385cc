// Hands an answer that has ended to those who learn from it: the model's use of its cache, and the selectors.
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { Clock, Deadlines } from "../../core/world/world.ts";
import type { Caches } from "../../health/caches.ts";
import type { KnownPrompts } from "../../health/prompts.ts";
import type { GradedAnswer, LearningPort } from "../../learning/port.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";

export interface LearnPorts {
  readonly learning: Pick<LearningPort, "learn">;
  readonly caches: Caches;
  readonly prompts: KnownPrompts;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
}

/** Deferred so that no answer waits for it. */
export function learnLater<F extends Form>(
  ports: LearnPorts,
  context: RequestContext<F>,
  record: UnsettledRecord,
): void {
  const { amounts, modelUsed } = record;
  const card = context.attempt?.card;
  if (card?.id === modelUsed && card && record.usageSource === "provider") {
    const { prompt } = context.call;
    // Nobody has asked what is cached of most prompts.
    if (prompt.digests !== null) {
      const cachedTokens = amounts.cached + amounts.cacheWrite;
      const report = { card, promptTokens: amounts.prompt, cachedTokens };
      ports.prompts.note(prompt, report, ports.deadlines.nowMs());
    }
  }
  if (card && record.cacheMarked !== null && record.usageSource === "provider")
    ports.caches.savings.record(context.call.key.id, card, amounts, ports.deadlines.nowMs());
  const answer = context.grader === null ? null : findGradedAnswer(context);
  if (answer !== null && record.ended === "done") learn(ports, context, record, answer);
}

function learn<F extends Form>(
  { learning, caches, clock }: LearnPorts,
  context: RequestContext<F>,
  record: UnsettledRecord,
  answer: GradedAnswer,
): void {
  const { conversation } = context.call;
  const { amounts } = record;
  const { granted, ticket } = context;
  const { payer } = context.refusals;
  const { id } = answer.card;
  const isCutByBalance = granted?.outputTokens?.[id] !== undefined;
  clock.after(0, () => {
    if (record.usageSource === "provider")
      caches.fold(id, payer, conversation.countTokensHeldBy(id), amounts.cached);
    learning.learn({ ...answer, record, answers: ticket.ask.answers, isCutByBalance });
  });
}

/** Returns what the selectors can learn from. Null if no selector chose, or if no provider answered. */
function findGradedAnswer<F extends Form>({
  attempt,
  plan,
  grader: grade,
}: RequestContext<F>): GradedAnswer | null {
  const card = attempt?.card;
  const decision = plan.decision;
  return card && decision && grade ? { card, decision, grade } : null;
}
