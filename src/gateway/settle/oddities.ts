// The log lines about what was odd in an answer: usage that can't be, units without a price, ends in unknown words, thinking
// that the model wasn't shown, marks for the provider's cache, turns served elsewhere.
import type { UnsettledRecord } from "../../core/log/record.ts";
import type { Log } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";
import { describeImplausible } from "./implausible.ts";
import { describeMarks } from "./mark-lines.ts";
import { listMoveLines } from "./move-lines.ts";
import { listRemovedLines } from "./removed-lines.ts";
import { describeUnknownFinishes } from "./unknown-finishes.ts";
import { describeUnpriced } from "./unpriced.ts";

export function logOddities<F extends Form>(
  log: Log,
  context: RequestContext<F>,
  { traced, reasoningRemoved }: Pick<UnsettledRecord, "traced" | "reasoningRemoved">,
): void {
  const { usageImplausible, unpriced = [], unknownFinishes = [] } = traced ?? {};
  if (usageImplausible) log(describeImplausible(context, usageImplausible));
  for (const line of describeUnpriced(context, unpriced)) log(line);
  for (const line of describeUnknownFinishes(context, unknownFinishes)) log(line);
  const { cacheMarks } = context.tracing.winner ?? {};
  if (cacheMarks) log(describeMarks(context, cacheMarks));
  for (const line of listMoveLines(context)) log(line);
  if (reasoningRemoved !== null) for (const line of listRemovedLines(context, reasoningRemoved)) log(line);
}
