// A client's call of a tool once it is read, as the gateway takes it.
import type { ConversationNames } from "../../core/attempt.ts";
import type { Claim } from "../../core/demand.ts";
import type { Caller, GatewayKey, KeyProof } from "../../core/keys/key.ts";
import type { RequestOrigin } from "../../core/log/record.ts";
import type { TracedHook } from "../../core/log/trace.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { PromptDigests } from "../../core/models/prompt-digests.ts";
import type { Steering } from "../../core/models/steering.ts";
import type { RouterRules } from "../../core/settings.ts";
import type { ToolRight } from "../../core/tools/tool-right.ts";
import { Ending } from "../../core/world/ending.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { Call } from "../../gateway/call.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import { Routes } from "../../gateway/plan/routes.ts";
import { digestIdempotency } from "../../gateway/settle/idempotency.ts";
import type { ToolRecord } from "../../gateway/tools/tool-runs.ts";
import { Prompt } from "../../health/prompts.ts";
import { Conversation } from "../../health/stickiness.ts";
import { NONE } from "../../operations/form.ts";
import type { ToolForm } from "../../operations/tool/form.ts";
import { TOOL } from "../../operations/tool/operation.ts";
import type { BodyTurns } from "../body/body-turns.ts";
import type { Arrival } from "../door/arrival.ts";
import { readLimit } from "../door/client-call.ts";
import { readSteering } from "../door/selection.ts";
import type { HttpPorts } from "../ports.ts";
import { readRequestOrigin } from "../serve/origin.ts";

/** The surface of calls that come by the protocol itself. */
const SURFACE = "mcp";
/** The operation and the surface of refusals. */
export const REFUSING = { name: SURFACE, operation: TOOL };
const ID_PREFIX = "toolcall-";
const NO_CONVERSATION: ConversationNames = { sought: null, kept: [], heldTokens: 0 };
/** No provider serves tools, so no call has a route. */
const ROUTES = new Routes<ToolForm>(TOOL, "openai", new Map());

/** The called tool: of which server, under which name, at which price, and what it needs the right to. */
export interface CalledCard {
  readonly card: ModelCard;
  /** The row's part about it, which the call fills in. */
  readonly tool: ToolRecord;
  readonly right: ToolRight;
}

export class ToolCall implements Call<ToolForm> {
  key: GatewayKey;
  ask: ToolForm["ask"];
  readonly raw = null;
  readonly dropped = NONE;
  hooks?: TracedHook[];
  readonly kept = null;
  readonly lost = NONE;
  readonly isLimitRequired = false;
  readonly searches = 0;
  readonly unreadBytes = 0;
  readonly operation = TOOL;
  readonly surface: string = SURFACE;
  readonly id: string;
  readonly created: number;
  readonly requestId: string;
  readonly origin: RequestOrigin;
  readonly proof: KeyProof | null;
  readonly selection: Selection;
  readonly steering: Steering;
  readonly pin = null;
  readonly routes = ROUTES;
  readonly rules: RouterRules;
  readonly markup: number;
  readonly limitAtMs: number;
  readonly idempotency: Claim | null;
  readonly caching = null;
  readonly held: Call<ToolForm>["held"];
  readonly trace: TraceContext | null;
  readonly ending = new Ending();
  readonly toolRight: ToolRight;
  readonly #card: ModelCard;
  readonly #turns: BodyTurns;

  /** Throws the Faults of headers that aren't valid. */
  constructor(
    ports: HttpPorts,
    arrival: Arrival,
    { key, proof }: Caller,
    { card, tool, right }: CalledCard,
    given: ToolForm["ask"]["arguments"],
  ) {
    const { request, requestId, held, trace } = arrival;
    const { headers } = request;
    const nowMs = ports.clock.nowMs();
    const { rules, billing } = ports.snapshot();
    this.key = key;
    this.proof = proof;
    this.ask = { model: card.id, arguments: given };
    this.id = `${ID_PREFIX}${mintOrderedId(ports.random, nowMs)}`;
    this.created = Math.floor(nowMs / 1000);
    this.requestId = requestId;
    const subject = { session: null, tool };
    this.origin = readRequestOrigin(ports, arrival, { key, proof }, subject);
    this.selection = { kind: "card", card, fallbacks: [] };
    this.steering = readSteering(headers);
    this.rules = rules;
    this.markup = billing.markup;
    this.limitAtMs = readLimit(ports, arrival);
    const once = headers.get("idempotency-key");
    this.idempotency = once === null ? null : this.#claim(ports.vault, once);
    this.held = held;
    this.trace = trace;
    this.toolRight = right;
    this.#card = card;
    this.#turns = ports.turns;
  }

  #claim(vault: HttpPorts["vault"], once: string): Claim | null {
    return digestIdempotency(vault, this.key.id, once, TOOL, { ask: this.ask, raw: null });
  }

  get conversation(): Conversation {
    return new Conversation(this.key.id, this);
  }

  get prompt(): Prompt {
    return new Prompt(this.key.id, this);
  }

  nameConversation(): ConversationNames {
    return NO_CONVERSATION;
  }

  digestPrompt(): PromptDigests | null {
    return null;
  }

  usable(): readonly ModelCard[] {
    return [this.#card];
  }

  time<Given, Result>(work: (given: Given) => Result, given: Given): Result {
    return this.#turns.time(this.key.accountId, this.held.bytes, work, given);
  }

  takeSteps<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    return this.#turns.takeSteps(this.key.accountId, steps);
  }
}
