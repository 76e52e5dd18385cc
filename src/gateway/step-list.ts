// The steps of a gateway: what stands before a request's admission, and around its answer.
import type { ModelCard } from "../core/models/card.ts";
import type { Form } from "../operations/form.ts";
import { Arounds } from "./around.ts";
import type { RequestContext } from "./context.ts";
import type { AnsweredCall, Around, Enter, OwnAnswer } from "./step.ts";
import { untilEnded } from "./until-ended.ts";

/** Asks each step in turn. Returns the first answer that one of them gives. Throws the Fault of one that refuses. */
export async function passBefore<F extends Form>(
  context: RequestContext<F>,
  enter: Enter,
): Promise<OwnAnswer<F> | null> {
  const { call, ending, plan, steps } = context;
  const cards = [...plan.attempts, ...plan.spares].map(({ card }) => card);
  for (const step of steps) {
    const verdict = await untilEnded(step.before(call, ending, enter, cards), ending);
    if (verdict?.kind === "answer") return verdict;
    if (verdict?.kind === "changed") context.change(verdict);
  }
  return null;
}

/** Returns what the steps do with an answer that has begun, before any of it is shown. Null if none does anything. */
export function beginAround<F extends Form>(context: RequestContext<F>): Around<F> | null {
  const { call, attempt, steps } = context;
  if (attempt === null) return null;
  const { card } = attempt;
  const answer: AnsweredCall<F> = {
    call,
    card,
    family: findFamily(context, card),
    get shown() {
      return context.shown;
    },
  };
  const arounds = steps.toReversed().flatMap((step) => step.around(answer) ?? []);
  if (arounds.length === 0) return null;
  context.tracing.content?.separate();
  return new Arounds(arounds);
}

function findFamily<F extends Form>({ call, ask, raw }: RequestContext<F>, card: ModelCard) {
  const route = call.routes.find(card, ask, raw);
  return (route?.lane && raw?.family) ?? null;
}
