// A request as the gateway receives it, and the facts reported beside its answer.

import type { Attempt } from "../core/attempt.ts";
import type { LinePlacing } from "../core/batches/line-pace.ts";
import type { Claim, GrantAnswer, LineTerms } from "../core/demand.ts";
import type { Fault } from "../core/faults/fault.ts";
import type { Caller, GatewayKey } from "../core/keys/key.ts";
import type { NamedGuardrail } from "../core/log/constraint.ts";
import type { KeptRequest } from "../core/log/kept.ts";
import type { RequestOrigin } from "../core/log/record.ts";
import type { TracedHook } from "../core/log/trace.ts";
import type { TraceContext } from "../core/log/trace-context.ts";
import type { Caching } from "../core/models/caching.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Mending, RawRequest } from "../core/models/dialect.ts";
import type { GuardFinding } from "../core/models/guard.ts";
import type { Steering } from "../core/models/steering.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { RouterRules } from "../core/settings.ts";
import { hideSecret } from "../core/text/secret-form.ts";
import type { ToolRight } from "../core/tools/tool-right.ts";
import type { Ending } from "../core/world/ending.ts";
import type { Prompt } from "../health/prompts.ts";
import type { Conversation } from "../health/stickiness.ts";
import type { Form } from "../operations/form.ts";
import type { Asking, Operation } from "../operations/operation.ts";
import type { Pin } from "./plan/pin.ts";
import type { Selection } from "./plan/plan.ts";
import type { Routes } from "./plan/routes.ts";

/** Memory that counts as in use until the gateway lets go of it: when the request can't be sent again. */
interface HeldMemory {
  readonly bytes: number;
  /** Keeps this much to the end. */
  shrinkTo(bytes: number): void;
  /** Releases all of it. May be called more than once. */
  release(): void;
}

/** Marks a request as a line of a batch. */
export interface LineMark {
  readonly terms: LineTerms;
  /** Its number in the batch, from 1. */
  readonly line: number;
  readonly customId: string;
  readonly placing: LinePlacing;
  /** True for refusals that let it wait: they are none of a request. */
  waitsFor(fault: Fault): boolean;
  /** Ends it early. */
  readonly ending: Ending;
}

/**
 * A validated request with a known key, and the operator's settings that apply to it. The steps before the answer may
 * change what it asks for: later readers see the same object, and so only the change.
 */
export interface Call<F extends Form> extends Asking<F>, Caller {
  /** Another object if the key turns out to have been moved to another account. */
  key: GatewayKey;
  ask: F["ask"];
  raw: RawRequest | null;
  dropped: readonly string[];
  /** The calls to hooks, with times on the monotonic clock. Missing if there were none. */
  hooks?: TracedHook[];
  /** The findings of the guard in the request, then those in its answer. Missing if there are none. */
  guard?: GuardFinding[];
  /** The milliseconds that the guard searched, by place. Missing if no rule applied. */
  guardMs?: { request: number; answer: number };
  /** The request as it is stored with the answer, so that its prompt is needed to the end. Null if it isn't stored. */
  kept: KeptRequest | null;
  readonly operation: Operation<F>;
  /** The name of the surface it arrived on. */
  readonly surface: string;
  /** The answer's id. Generated here and unique. */
  readonly id: string;
  /** In Unix seconds, as shown in the answer. */
  readonly created: number;
  readonly requestId: string;
  /** Stored in its row. */
  origin: RequestOrigin;
  /** The conversation it belongs to. */
  readonly conversation: Conversation;
  /** The prompt, as it is known by its bytes. */
  readonly prompt: Prompt;
  /** The same. Missing or null as long as nobody has asked for it. */
  readonly askedPrompt?: Prompt | null;
  readonly selection: Selection;
  /** The only credential that can serve it. Null if any can. */
  readonly pin: Pin | null;
  readonly routes: Routes<F>;
  /** The models this key may use, for error messages. */
  usable(): readonly ModelCard[];
  readonly rules: RouterRules;
  readonly markup: number;
  /** The fields that the native lane may leave out for a model that the client named. Missing for none. */
  readonly mendsNamed?: Mending | undefined;
  /** When the client's own time limit ends, on the monotonic clock. Infinity if there is none. */
  readonly limitAtMs: number;
  /** The demands on the choice of a model, by the alias that it names and by its own headers. */
  readonly steering: Steering;
  /** Digests of what the client sent. Null without an Idempotency-Key. */
  readonly idempotency: Claim | null;
  /** Missing or null unless it is a line of a batch. */
  readonly line?: LineMark | null;
  /** True for a call of a tool within a response: it is none of the requests in parallel. */
  readonly isWithin?: boolean;
  /** The right that a call of a tool needs. Missing for any other request. */
  readonly toolRight?: ToolRight;
  /** Its demands on the cache. Null for none. */
  caching: Caching | null;
  /** True if only the plan's first model is asked, with all its credentials. */
  isFirstOnly?: boolean;
  /** The guardrails that it names: hooks, which have to apply to it. */
  guardrails?: readonly NamedGuardrail[];
  /**
   * Has a model write the summary that its provider would make and encrypt for itself. A step calls it first, reads the
   * request then, and returns it as changed. Missing unless the provider would.
   */
  compactHere?: () => void;
  /** The memory of its body. */
  readonly held: HeldMemory;
  /** Does work on the request, and counts its time as the account's. */
  time<Given, Result>(work: (given: Given) => Result, given: Given): Result;
  /** Does long work in steps, in turns with the requests of other accounts. */
  takeSteps<Result>(steps: Generator<undefined, Result>): Promise<Result>;
  /** Its place in a distributed trace. Null if it has none. */
  readonly trace: TraceContext | null;
  /** Ends when nobody is waiting for the answer. */
  readonly ending: Ending;
}

/** The rest of an admitted request's limits. */
export type GrantedLimits = Pick<GrantAnswer, "limits" | "tokenLimits">;

/** Facts reported to the client beside the answer. */
export interface Facts {
  /** The limits that let it in, as of then. Null if it wasn't admitted. */
  readonly granted: GrantedLimits | null;
  /** The selector's id, its choice, and the reason, a sentence of ASCII. Null if none chose. */
  readonly selector: { readonly id: string; readonly choice: string | null; readonly why: string } | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly dropped: readonly string[];
  /** The attempt that answered. Null if none did. */
  readonly attempt: Pick<Attempt, "card"> | null;
  /**
   * The thinking of the history that the model wasn't shown, as far as it is known: `prefix=2`. Null for none, and where
   * the provider's own answer says so.
   */
  readonly removedReasoning: string | null;
  /** The request, with what the guard has found by now. Null if it wasn't taken. */
  readonly call: Pick<Call<Form>, "guard"> | null;
  /** In nano-dollars. Null until the request is settled. */
  readonly costs: { readonly cost: NanoUsd; readonly charged: NanoUsd } | null;
  /**
   * When the gateway took it, on the monotonic clock, and the milliseconds from its first call to a provider until one had
   * answered or the last had failed. Null if it didn't take it.
   */
  readonly times: { readonly startedMs: number; readonly upstreamMs: number } | null;
  /** Set if this answer was given before to the same request. Null for a new answer. */
  readonly replayed: { readonly id: string; readonly created: number } | null;
  /** Its fate at the cache, and the age of an answer from there. Null if it had nothing to do with it. */
  readonly cached: Caching["outcome"];
}

/** For requests that were rejected by validation. */
export const NO_FACTS: Facts = {
  granted: null,
  selector: null,
  model: null,
  attempts: 0,
  dropped: [],
  attempt: null,
  removedReasoning: null,
  call: null,
  costs: null,
  times: null,
  replayed: null,
  cached: null,
};

/** Returns the requested model's name, cut to the length that rows allow. */
export function shortenModel(model: string): string {
  return hideSecret(model).slice(0, 200);
}
