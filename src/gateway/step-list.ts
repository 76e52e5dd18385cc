// The steps of a gateway: what stands before a request's admission, and around its answer.
import type { ModelCard } from "../core/models/card.ts";
import type { Family } from "../core/models/dialect.ts";
import { withoutUsage } from "../operations/folding.ts";
import type { Form } from "../operations/form.ts";
import { withoutStoring } from "../operations/leave-out.ts";
import { Arounds } from "./around.ts";
import type { Call } from "./call.ts";
import type { RequestContext } from "./context.ts";
import type { AnsweredCall, Around, ChangedCall, Enter, OwnAnswer, Step } from "./step.ts";
import { untilEnded } from "./until-ended.ts";

/**
 * Asks each step in turn. Returns the first answer that one of them gives, as those before it show it. Throws the Fault of
 * one that refuses.
 */
export async function passBefore<F extends Form>(
  context: RequestContext<F>,
  enter: Enter,
  isStreamed: boolean,
): Promise<OwnAnswer<F> | null> {
  const { call, ending, plan, steps } = context;
  const cards = [...plan.attempts, ...plan.spares].map(({ card }) => card);
  for (const step of steps) {
    const verdict = await untilEnded(step.before(call, ending, enter, cards), ending);
    if (verdict?.kind === "answer") {
      const outer = steps.slice(0, steps.indexOf(step)).filter(({ isAroundKept }) => isAroundKept);
      return outer.length === 0 ? verdict : showThrough(context, outer, verdict, isStreamed);
    }
    if (verdict?.kind !== "changed") continue;
    context.change(storeNowhere(verdict, call));
    if (verdict.refusal) throw verdict.refusal;
  }
  return null;
}

/** Returns a change by which no provider stores the request, if it says so and its client has asked for it. */
function storeNowhere<F extends Form>(changed: ChangedCall<F>, call: Call<F>): ChangedCall<F> {
  const { ask, raw, keepsUpstream, dropped = call.dropped } = changed;
  if (keepsUpstream !== false || call.isToBeStored !== true) return changed;
  return {
    ...changed,
    ask: withoutStoring(ask),
    raw: raw && { ...raw, body: withoutStoring(raw.body) },
    dropped: [...new Set([...dropped, "store"])],
  };
}

/** Returns a step's own answer as other steps let it pass. */
async function showThrough<F extends Form>(
  context: RequestContext<F>,
  outer: readonly Step[],
  own: OwnAnswer<F>,
  isStreamed: boolean,
): Promise<OwnAnswer<F>> {
  const { call, ending } = context;
  const { operation } = call;
  const around = makeAround(context, outer, call.raw?.family ?? null);
  if (around === null) return own;
  context.around = around;
  const { kind, model, from, reply } = own;
  const about = from === undefined ? { kind, model } : { kind, model, from };
  if (!isStreamed) return { ...about, reply: await untilEnded(around.whole(reply), ending) };
  const { pieces = operation.unfold(withoutUsage(reply)) } = own;
  const passed = await untilEnded(around.pass(pieces), ending);
  const rest = await untilEnded(around.end(), ending);
  // It is logged as it was kept: a provider's own events alone can't be written as a reply.
  return { ...about, reply, pieces: [...passed, ...rest] };
}

/** Returns what the steps do with an answer that has begun, before any of it is shown. Null if none does anything. */
export function beginAround<F extends Form>(context: RequestContext<F>): Around<F> | null {
  const { attempt, steps, tracing } = context;
  if (attempt === null) return null;
  const around = makeAround(context, steps, findFamily(context, attempt.card));
  if (around !== null) tracing.content?.separate();
  return around;
}

function makeAround<F extends Form>(
  context: RequestContext<F>,
  steps: readonly Step[],
  family: Family | null,
): Around<F> | null {
  const { call } = context;
  const arounds: Around<F>[] = [];
  let answer: AnsweredCall<F> = {
    call,
    family,
    get shown() {
      return context.shown;
    },
  };
  for (const step of steps) {
    const around = step.around(answer);
    if (around === null) continue;
    arounds.push(around);
    if (step.isAroundKept) answer = { call, family, shown: null };
  }
  return arounds.length === 0 ? null : new Arounds(arounds.reverse());
}

function findFamily<F extends Form>({ call, ask, raw }: RequestContext<F>, card: ModelCard) {
  const route = call.routes.find(card, ask, raw);
  return (route?.lane && raw?.family) ?? null;
}
