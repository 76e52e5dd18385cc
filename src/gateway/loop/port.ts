// The ports of a response whose model may call tools that the gateway runs: its questions, its calls, and its conversation.
import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type {
  GatewayToolCall,
  GatewayToolResult,
  ToolLoopEnd,
  ToolLoopTurn,
} from "../../core/tools/gateway-tool-calls.ts";
import type { ToolLoopBounds } from "../../core/tools/rules.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Clock, Random, Vault } from "../../core/world/world.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { ToolForm } from "../../operations/tool/form.ts";
import type { WrittenAnswer } from "../answer/flow.ts";
import type { Call } from "../call.ts";
import type { RequestContext } from "../context.ts";
import type { PartTerms } from "./part-terms.ts";

/** A question to the model, as it is about to be asked. */
export interface Question<F extends Form> {
  readonly call: Call<F>;
  readonly context: RequestContext<F>;
  /** Asks, and returns the whole answer as it is written. */
  ask(): Promise<JsonObject>;
  /** Asks, for the answer as it comes. */
  stream(): WrittenAnswer;
}

/** A call that was made, and the request that it was. Null if there was none. */
export interface MadeCall {
  readonly result: GatewayToolResult;
  readonly context: RequestContext<ToolForm> | null;
  /** The length of the result. */
  readonly bytes: number;
}

/** Returns the terms of a call that may cost this much. */
export type JoinCall = (worstNanoUsd: NanoUsd) => PartTerms;

/** The conversation of the response, in the form of its surface. */
interface LoopConversation<Usage> {
  /** The most calls by the client's own wish. Null if it has none. */
  readonly callsMax: number | null;
  /** Takes the model's whole answer, as it is written. */
  take(answer: JsonObject): ToolLoopTurn;
  /** Takes the result of a call. Returns what a stream shows of it. */
  answer(call: GatewayToolCall, result: GatewayToolResult): string;
  /** Returns the end of a stream. */
  end(end: ToolLoopEnd<Usage>): string;
  /** Returns the end of a stream whose first answer of the model has failed, behind what its writer says of it. */
  fail(fault: Fault): string;
  /** Returns the whole answer, once it has ended. */
  finish(): JsonObject;
}

export interface LoopPorts<F extends Form> {
  readonly vault: Pick<Vault, "digest">;
  readonly random: Random;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly operation: Operation<F>;
  readonly bounds: ToolLoopBounds;
  readonly conversation: LoopConversation<F["usage"]>;
  /** Ends all of it. */
  readonly root: Ending;
  /** When the client's own time limit ends, on the monotonic clock. */
  readonly limitAtMs: number;
  readonly trace: TraceContext | null;
  /**
   * Makes the next question, whose call is handed to `join` before it is planned. Null if nothing is left of the client's
   * limit on the output. Throws the Fault of one that can't be asked.
   */
  makeQuestion(mayCall: boolean, join: (call: Call<F>) => void): Question<F> | null;
  /** Makes a call. Never rejects: the model reads of a failure. */
  makeCall(call: GatewayToolCall, join: JoinCall): Promise<MadeCall>;
  /** Returns what the model reads of a call that isn't made, because there have been as many as there may be. */
  refuseCall(): GatewayToolResult;
  /** Keeps the memory of a result, which goes to the model with each further question. Throws the Faults of a full memory. */
  hold(bytes: number): { release(): void };
  /** Writes down a question behind the first that has failed. `context` is null if it wasn't planned. */
  noteFailure(context: RequestContext<F> | null, thrown: unknown): void;
  /** Returns what the first question fails with, in words that the client understands. */
  explain(fault: Fault): Fault;
}
