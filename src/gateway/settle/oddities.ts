// The log lines about what was odd in an answer: usage that can't be, units without a price, ends in unknown words.
import type { Trace } from "../../core/log/trace.ts";
import type { Log } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { RequestContext } from "../context.ts";
import { describeImplausible } from "./implausible.ts";
import { describeUnknownFinishes } from "./unknown-finishes.ts";
import { describeUnpriced } from "./unpriced.ts";

export function logOddities<F extends Form>(
  log: Log,
  context: RequestContext<F>,
  traced: Trace | undefined,
): void {
  const { usageImplausible, unpriced = [], unknownFinishes = [] } = traced ?? {};
  if (usageImplausible) log(describeImplausible(context, usageImplausible));
  for (const line of describeUnpriced(context, unpriced)) log(line);
  for (const line of describeUnknownFinishes(context, unknownFinishes)) log(line);
}
