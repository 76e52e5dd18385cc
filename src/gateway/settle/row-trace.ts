// The trace of a request as its row has it.
import type { Fault } from "../../core/faults/fault.ts";
import type { Trace } from "../../core/log/trace.ts";
import type { Form } from "../../operations/form.ts";
import type { AnswerCount } from "../answer/answer-count.ts";
import type { Call } from "../call.ts";
import type { UsageCount } from "./counted.ts";
import { listHooks, type Tracing } from "./tracing.ts";

/** The state of a request that its trace tells of. Times are on the monotonic clock. */
interface TracedRequest<F extends Form> {
  readonly call: Pick<Call<F>, "markup" | "hooks">;
  readonly tracing: Tracing<F>;
  readonly startedMs: number;
  /** 0 if it was never admitted. */
  readonly admittedMs: number;
  readonly fault: Fault | null;
}

/** `firstTokenMs` is after the start, null if nothing came. */
export function makeTrace<F extends Form>(
  { call, tracing, startedMs, admittedMs, fault }: TracedRequest<F>,
  { bill, source }: UsageCount<F["usage"]>,
  count: Pick<AnswerCount<F>, "claimed" | "implausible" | "meter">,
  firstTokenMs: number | null,
  isWhole: boolean,
  nowMs: number,
): Trace {
  return {
    admittedMs: admittedMs === 0 ? null : Math.round(admittedMs - startedMs),
    attempts: tracing.list(nowMs, firstTokenMs, isWhole, fault, count.claimed),
    bill: bill.lines,
    markup: call.markup,
    usageImplausible: count.implausible,
    unpriced: bill.unpriced,
    served: bill.served,
    unknownFinishes: count.meter.unknownFinishes,
    // Mistakes of the client's need no message.
    message: fault && fault.row.blame !== "client" ? fault.message : null,
    counted: source === "none" ? undefined : tracing.countedAt,
    hooks: listHooks(call, startedMs),
  };
}
