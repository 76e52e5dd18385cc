// Hands an answer that has ended to those who learn from it: the model's use of its cache, and the selectors.
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { Clock, Deadlines } from "../../core/world/world.ts";
import type { Caches } from "../../health/caches.ts";
import type { KnownPrompts, Prompt } from "../../health/prompts.ts";
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
  const { askedPrompt } = context.call;
  if (askedPrompt) notePrompt(ports, context, record, askedPrompt);
  if (record.cacheMarked !== null) noteSavings(ports, context, record);
  const answer = context.grader === null ? null : findGradedAnswer(context);
  if (answer !== null && record.ended === "done") learn(ports, context, record, answer);
}

/** Keeps what the provider reported to have cached of a prompt. */
function notePrompt<F extends Form>(
  { prompts, deadlines }: LearnPorts,
  { attempt }: RequestContext<F>,
  { amounts, modelUsed, usageSource }: UnsettledRecord,
  prompt: Prompt,
): void {
  if (attempt === null || attempt.card.id !== modelUsed || usageSource !== "provider") return;
  const cachedTokens = amounts.cached + amounts.cacheWrite;
  const report = { card: attempt.card, promptTokens: amounts.prompt, cachedTokens };
  prompts.note(prompt, report, deadlines.nowMs());
}

/** Keeps what the marks that the gateway set for the provider's cache have saved or cost. */
function noteSavings<F extends Form>(
  { caches, deadlines }: LearnPorts,
  { attempt, call }: RequestContext<F>,
  { amounts, usageSource }: UnsettledRecord,
): void {
  if (attempt !== null && usageSource === "provider")
    caches.savings.record(call.key.id, attempt.card, amounts, deadlines.nowMs());
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
