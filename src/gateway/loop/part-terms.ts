// The requests of which a response with tools consists: questions to the model, and calls of tools.
import type { Claim } from "../../core/demand.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { Steering } from "../../core/models/steering.ts";
import { NANO_PER_USD, type NanoUsd } from "../../core/money/money.ts";
import { Ending } from "../../core/world/ending.ts";
import type { Clock, Random } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { ToolForm } from "../../operations/tool/form.ts";
import type { Call } from "../call.ts";
import type { Selection } from "../plan/plan.ts";

/** The terms that a request has from the response of which it is a part. */
export interface PartTerms {
  /** Ends all of the response. */
  readonly root: Ending;
  /** Null for the first question, which gives the response its id. */
  readonly responseId: string | null;
  /** When the client's own time limit ends, on the monotonic clock. */
  readonly limitAtMs: number;
  /** The costs of the response's earlier requests. */
  readonly spentNanoUsd: NanoUsd;
  readonly claim: Claim | null;
  readonly trace: TraceContext | null;
}

/** The body's memory is held to the end of the response. */
const HELD_BY_RESPONSE: Call<Form>["held"] = { bytes: 0, shrinkTo: () => {}, release: () => {} };

/** Makes a request a part of a response. */
function join(call: Pick<Call<Form>, "id" | "origin" | "steering">, terms: PartTerms): void {
  const { id, origin, steering } = call;
  Object.assign(call, {
    origin: { ...origin, responseId: terms.responseId ?? id },
    steering: lessen(steering, terms.spentNanoUsd),
    limitAtMs: terms.limitAtMs,
    idempotency: terms.claim,
    caching: null,
    held: HELD_BY_RESPONSE,
    trace: terms.trace,
    ending: new Ending(terms.root),
  });
}

const SPAN_BYTES = 8;

interface TracePorts {
  readonly random: Random;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
}

/** Returns the place of a further request of the response: below its first one, in the same trace. */
export function followTrace(first: TraceContext | null, { random, clock }: TracePorts): TraceContext | null {
  if (first === null || first.recording === null) return first;
  const { traceId, spanId, isSampled, recording } = first;
  const { route, path, takesContent } = recording;
  const times = { plannedMs: null, admittingMs: null, atMs: clock.nowMs(), startedMs: clock.monotonicMs() };
  return {
    ...first,
    spanId: random.bytes(SPAN_BYTES).toHex(),
    parent: { traceId, spanId, isSampled },
    recording: { route, path, takesContent, ...times },
  };
}

/** Returns demands that leave for the request what earlier ones haven't spent. */
function lessen(steering: Steering, spentNanoUsd: NanoUsd): Steering {
  if (steering.maxCostUsd === null || spentNanoUsd === 0) return steering;
  return { ...steering, maxCostUsd: Math.max(0, steering.maxCostUsd - spentNanoUsd / NANO_PER_USD) };
}

/** Makes a question to the model a part of a response. `chosen` is the model that has answered before. */
export function joinQuestion<F extends Form>(
  call: Call<F>,
  terms: PartTerms,
  chosen: Selection | null,
): void {
  join(call, terms);
  if (chosen !== null) Object.assign(call, { selection: chosen });
}

/** Makes a call of a tool a part of a response: it comes by the response's surface, and is none of the requests in parallel. */
export function joinToolCall(call: Call<ToolForm>, terms: PartTerms, surface: string): void {
  join(call, terms);
  Object.assign(call, { surface, isWithin: true });
}
