// One call of a tool: hooks → admit and hold → send, once → hooks → settle. The steps, the admission and the settlement are those
// of every request.

import type { AdmissionAnswer, GrantAnswer } from "../../core/demand.ts";
import { Fault, toFault } from "../../core/faults/fault.ts";
import type { CalledTool } from "../../core/log/record.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Credential } from "../../core/settings.ts";
import type { ToolProtocolError, ToolReply } from "../../core/tools/tool-reply.ts";
import type { Ending } from "../../core/world/ending.ts";
import { ONE_CALL } from "../../health/rate.ts";
import type { ToolAnswer, ToolForm } from "../../operations/tool/form.ts";
import { type AnswerParts, WHOLE } from "../attempt/mode.ts";
import type { Call } from "../call.ts";
import { NO_STEPS, RequestContext } from "../context.ts";
import type { GatewayPorts } from "../gateway.ts";
import type { RequestLife } from "../life.ts";
import { makeCeiling } from "../plan/ceiling.ts";
import type { Later } from "../step.ts";
import { beginAround } from "../step-list.ts";
import { makeTicket } from "../ticket.ts";
import { ToolAttempt } from "./tool-attempt.ts";

/** The call as its server is sent it. */
export interface SentTool {
  /** As the hooks have let them pass. */
  readonly arguments: ToolForm["ask"]["arguments"];
  readonly ending: Ending;
  /** The value that carries the trace on. Null if it isn't carried on. */
  readonly traceparent: string | null;
  /** Call it when the arguments are about to leave. */
  readonly onSend: () => void;
}

/** Sends the call, once. Throws the Fault of a call that failed. */
type SendTool = (sent: SentTool) => Promise<ToolReply>;

/** The result for the client, or the server's own error. */
export type ToolOutcome =
  | { readonly kind: "result"; readonly result: ToolAnswer["result"] }
  | { readonly kind: "error"; readonly error: ToolProtocolError };

type ToolContext = RequestContext<ToolForm>;

/** The row's part about the tool, which the call fills in. */
export type ToolRecord = { -readonly [Name in keyof CalledTool]: CalledTool[Name] };

type RunPorts = Pick<GatewayPorts, "clock" | "deadlines" | "ledger" | "log" | "prompts" | "steps">;

export class ToolRuns {
  readonly #ports: RunPorts;
  readonly #life: RequestLife;

  constructor(ports: RunPorts, life: RequestLife) {
    this.#ports = ports;
    this.#life = life;
  }

  /** Throws the Fault of a call that may cost more than its client allows. */
  begin(call: Call<ToolForm>, card: ModelCard): ToolContext {
    const { clock, deadlines } = this.#ports;
    const ceiling = makeCeiling(call);
    if (ceiling?.covers(card) === false)
      throw (
        ceiling.findFault() ?? new Fault("unsupported_capability", "The call may cost more than is allowed.")
      );
    const attempts = [{ card, credential: NO_CREDENTIAL }];
    const plan = { attempts, spares: [], load: ONE_CALL, decision: null };
    const ticket = makeTicket(this.#ports, call, plan);
    return new RequestContext(call, plan, ticket, this.#life.contents, clock.nowMs(), deadlines.nowMs());
  }

  /** Throws the Fault to show to the client. */
  async run(context: ToolContext, tool: ToolRecord, send: SendTool): Promise<ToolOutcome> {
    const { underWay, closing, entrance } = this.#life;
    underWay.enter(context.ending, context.call.id, context.call);
    try {
      const early = this.#listSteps(context) ? await entrance.passBefore(context, false) : null;
      if (early !== null) return showEarlier(early);
      const first = await this.#admit(context);
      const admitted = first.kind === "granted" ? first : await entrance.admitLater(context, first);
      if (admitted.kind === "replayed") return showEarlier(await entrance.replay(context, admitted));
      const durable = this.#recordAdmission(context, admitted);
      const attempt = this.#begin(context);
      let reply: ToolReply;
      try {
        reply = await this.#send(context, attempt, send);
      } catch (thrown) {
        this.#noteFailure(attempt, thrown);
        throw thrown;
      }
      this.#noteReply(attempt, tool, reply);
      if (durable) await durable;
      const handed = handReply(context, attempt, reply);
      const outcome = handed instanceof Promise ? await handed : handed;
      context.settled = await closing.settle(context);
      context.chargeUsage();
      return outcome;
    } catch (thrown) {
      tool.error ??= toFault(thrown).code;
      closing.fail(context, thrown);
      throw thrown;
    } finally {
      const closed = closing.close(context);
      if (closed) await closed;
      if (context.costs === null && context.granted !== null) await noteCosts(context);
      if (context.replayed === null) this.#tell(context, tool);
    }
  }

  #tell({ startedMs }: ToolContext, { server, error }: ToolRecord): void {
    const ms = Math.round(this.#ports.deadlines.nowMs() - startedMs);
    this.#ports.log({ event: "tool.called", level: "debug", server, outcome: error ?? "ok", ms });
  }

  /** Returns true if there are any. */
  #listSteps(context: ToolContext): boolean {
    context.steps = this.#ports.steps?.(context.call) ?? NO_STEPS;
    return context.steps.length > 0;
  }

  #admit({ call, ticket }: ToolContext): Promise<AdmissionAnswer> {
    const recording = call.trace?.recording;
    if (recording) recording.admittingMs = this.#ports.deadlines.nowMs();
    return this.#life.admissions.admit(ticket);
  }

  /** Returns what the answer waits for: no part of one that is paid may leave before its hold is durable. */
  #recordAdmission(context: ToolContext, admitted: GrantAnswer): Promise<void> | null {
    const { ledger, deadlines } = this.#ports;
    context.recordAdmission(admitted, deadlines.nowMs());
    return admitted.place.kind === "balance" ? ledger.durable() : null;
  }

  #begin(context: ToolContext): ToolAttempt {
    const [planned] = context.plan.attempts;
    if (planned === undefined) throw new Error("The call of a tool has no attempt.");
    const attempt = new ToolAttempt(context, planned, this.#ports.deadlines.nowMs());
    context.attempts++;
    context.model = planned.card.id;
    context.tracing.begin(attempt);
    return attempt;
  }

  #send(context: ToolContext, attempt: ToolAttempt, send: SendTool): Promise<ToolReply> {
    const { deadlines } = this.#ports;
    const { ending, ask } = context;
    if (ending.reason !== null) throw ending.reason;
    return send({
      arguments: ask.arguments,
      ending,
      traceparent: attempt.traceparent,
      onSend: () => attempt.recordSent(deadlines.nowMs()),
    });
  }

  #noteReply(attempt: ToolAttempt, tool: ToolRecord, reply: ToolReply): void {
    attempt.win(this.#ports.deadlines.nowMs(), reply.kind === "error");
    if (reply.kind === "error") tool.error = String(reply.error.code);
    else {
      tool.error = reply.result.isError === true ? "is_error" : null;
      tool.resultBytes = reply.bytes;
    }
  }

  #noteFailure(attempt: ToolAttempt, thrown: unknown): void {
    const { deadlines } = this.#ports;
    const fault = toFault(thrown);
    // The tool did its work.
    if (fault.code === "tool_result_too_large") attempt.winUnread(deadlines.nowMs());
    attempt.end("failed", deadlines.nowMs(), fault);
  }
}

/** A call that failed may have been charged, since it was sent: its answer says so as well. */
async function noteCosts(context: ToolContext): Promise<void> {
  const settled = await context.settlement;
  if (!settled) return;
  context.costs = { cost: context.record?.costNanoUsd ?? 0, charged: settled.chargedNanoUsd };
}

const NO_CREDENTIAL: Credential = { secret: null, weight: 1 };

function showEarlier({ reply: { result, error } }: AnswerParts<ToolForm>): ToolOutcome {
  return error === undefined ? { kind: "result", result } : { kind: "error", error };
}

/** A server's own error costs nothing. It is an answer, so that a repeat gets it too. */
function finishRefused(context: ToolContext, attempt: ToolAttempt, error: ToolProtocolError): ToolOutcome {
  const answer = attempt.makeAnswer({});
  const usage = context.finish(answer.usage);
  context.reply = { ...answer, error, usage };
  return { kind: "error", error };
}

/** Without a promise if there are no steps. */
function handReply(context: ToolContext, attempt: ToolAttempt, reply: ToolReply): Later<ToolOutcome> {
  if (reply.kind === "error") return finishRefused(context, attempt, reply.error);
  if (context.steps.length > 0) context.around = beginAround(context);
  const handed = WHOLE.hand<ToolForm>(context, attempt.makeAnswer(reply.result));
  return handed instanceof Promise ? handed.then(showResult) : showResult(handed);
}

function showResult({ result }: ToolAnswer): ToolOutcome {
  return { kind: "result", result };
}
