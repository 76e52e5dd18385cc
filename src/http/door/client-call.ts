// A client's request once it is read, as the gateway takes it.

import type { ConversationNames, GoingOnSign } from "../../core/attempt.ts";
import { nameLineReply } from "../../core/batches/batch.ts";
import type { Claim } from "../../core/demand.ts";
import type { Caller, GatewayKey, KeyProof } from "../../core/keys/key.ts";
import type { KeptRequest } from "../../core/log/kept.ts";
import type { RequestOrigin } from "../../core/log/record.ts";
import type { TracedHook } from "../../core/log/trace.ts";
import type { TraceContext } from "../../core/log/trace-context.ts";
import type { Caching } from "../../core/models/caching.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending, RawRequest } from "../../core/models/dialect.ts";
import type { Hasher, PromptDigests } from "../../core/models/prompt-digests.ts";
import { type Steering, UNSTEERED } from "../../core/models/steering.ts";
import type { RouterRules } from "../../core/settings.ts";
import { Ending } from "../../core/world/ending.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { Call, LineMark } from "../../gateway/call.ts";
import { type Pin, pinSelection } from "../../gateway/plan/pin.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { Routes } from "../../gateway/plan/routes.ts";
import { digestIdempotency } from "../../gateway/settle/idempotency.ts";
import { Prompt } from "../../health/prompts.ts";
import { Conversation } from "../../health/stickiness.ts";
import type { Form } from "../../operations/form.ts";
import type { FamilyNeed, Operation } from "../../operations/operation.ts";
import type { Exchange, Surface } from "../../surfaces/surface.ts";
import type { BodyTurns } from "../body/body-turns.ts";
import type { Arrival } from "../door/arrival.ts";
import type { HttpPorts } from "../ports.ts";
import { headerNumber } from "../serve/headers.ts";
import { findGivenSession, readRequestOrigin } from "../serve/origin.ts";
import { readCaching } from "./caching.ts";
import { readSteering, steerSelection } from "./selection.ts";
import type { CallSetup } from "./setups.ts";

const TIMEOUT = "x-poundkey-timeout";
const TIMEOUT_SECONDS_MAX = 3600;
const UNLIMITED = Number.POSITIVE_INFINITY;

export class ClientCall<F extends Form> implements Call<F> {
  key: GatewayKey;
  ask: F["ask"];
  raw: RawRequest | null;
  dropped: readonly string[];
  hooks?: TracedHook[];
  compactHere?: () => void;
  kept: KeptRequest | null;
  exchange: Exchange<F>;
  lost: readonly string[];
  names: Readonly<Record<string, string>> | undefined;
  readonly isLimitRequired: boolean;
  searches: number;
  fetches: number;
  unreadBytes: number;
  cachesLong: boolean;
  nativeOnly: FamilyNeed | undefined;
  readonly isToBeStored: boolean;
  readonly operation: Operation<F>;
  readonly surface: string;
  readonly id: string;
  readonly created: number;
  readonly requestId: string;
  origin: RequestOrigin;
  readonly proof: KeyProof | null;
  readonly selection: Selection;
  readonly steering: Steering;
  readonly pin: Pin | null;
  readonly routes: Routes<F>;
  readonly rules: RouterRules;
  readonly markup: number;
  readonly mendsNamed: Mending | undefined;
  readonly limitAtMs: number;
  readonly idempotency: Claim | null;
  readonly line: LineMark | null;
  caching: Caching | null;
  readonly held: Call<F>["held"];
  readonly trace: TraceContext | null;
  readonly ending = new Ending();
  readonly #setup: CallSetup<F>;
  readonly #turns: BodyTurns;
  /** As it came: what is kept of it may be the same for many. */
  readonly #session: string | null;
  #conversation: Conversation | null = null;
  #prompt: Prompt | null = null;

  /** Throws the Faults of headers that aren't valid, and of models that the request excludes. */
  constructor(
    ports: HttpPorts,
    { name: surface, operation, idPrefix }: Surface<F>,
    arrival: Arrival,
    { key, proof }: Caller,
    exchange: Exchange<F>,
    setup: CallSetup<F>,
    pin: Pin | null,
  ) {
    const nowMs = ports.clock.nowMs();
    const { selection, steering } = chooseSteered(arrival, setup);
    this.key = key;
    this.proof = proof;
    this.exchange = exchange;
    this.ask = exchange.ask;
    this.raw = exchange.raw;
    this.dropped = exchange.dropped;
    this.lost = exchange.lost;
    this.names = exchange.names;
    this.kept = exchange.kept ?? null;
    this.isLimitRequired = exchange.isLimitRequired;
    this.searches = exchange.searches;
    this.fetches = exchange.fetches ?? 0;
    this.unreadBytes = exchange.unreadBytes;
    this.cachesLong = exchange.cachesLong ?? false;
    this.nativeOnly = exchange.nativeOnly;
    this.isToBeStored = exchange.isToBeStored ?? false;
    this.operation = operation;
    this.surface = surface;
    this.id = `${idPrefix}${mintOrderedId(ports.random, nowMs)}`;
    this.created = Math.floor(nowMs / 1000);
    this.requestId = arrival.requestId;
    this.line = arrival.line;
    this.origin = readRequestOrigin(ports, arrival, { key, proof }, exchange);
    this.#session = ports.nameHider() === null ? this.origin.session : findGivenSession(arrival, exchange);
    this.selection = pin ? pinSelection(selection, pin) : selection;
    this.steering = steering;
    this.pin = pin;
    this.routes = setup.routes;
    this.rules = setup.rules;
    this.markup = setup.markup;
    this.mendsNamed = setup.mendsNamed;
    this.limitAtMs = arrival.request.headers.has(TIMEOUT) ? readLimit(ports, arrival) : UNLIMITED;
    this.idempotency = readClaim(ports.vault, arrival, key.id, operation, exchange);
    this.caching = exchange.isCompaction ? null : readCaching(arrival, key, selection, ports.cacheRules());
    this.held = arrival.held;
    this.trace = arrival.trace;
    this.#setup = setup;
    this.#turns = ports.turns;
  }

  /** Goes on with another form of the same request, by the same model. */
  take(exchange: Exchange<F>): void {
    this.exchange = exchange;
    this.ask = exchange.ask;
    this.raw = exchange.raw;
    this.dropped = exchange.dropped;
    this.lost = exchange.lost;
    this.names = exchange.names;
    this.kept = exchange.kept ?? null;
    this.searches = exchange.searches;
    this.fetches = exchange.fetches ?? 0;
    this.unreadBytes = exchange.unreadBytes;
    this.cachesLong = exchange.cachesLong ?? false;
    this.nativeOnly = exchange.nativeOnly;
  }

  get conversation(): Conversation {
    this.#conversation ??= new Conversation(this.key.id, this);
    return this.#conversation;
  }

  get askedPrompt(): Prompt | null {
    return this.#prompt;
  }

  get prompt(): Prompt {
    this.#prompt ??= new Prompt(this.key.id, this);
    return this.#prompt;
  }

  /** By the client's own request: a step may change what is asked. */
  nameConversation(): ConversationNames {
    return this.operation.conversations.name(this.exchange.ask, this.exchange.session);
  }

  /** Null for a line of a batch, which is part of no conversation. */
  nameOpening(): string | null {
    if (this.line !== null) return null;
    return this.operation.conversations.nameOpening?.(this.exchange.ask, this.#session) ?? null;
  }

  isFirstTurn(): boolean {
    return this.operation.conversations.isFirstTurn?.(this.exchange.ask) === true;
  }

  findSignOfGoingOn(): GoingOnSign | null {
    if (this.line !== null) return null;
    return this.operation.conversations.findSignOfGoingOn?.(this.exchange.ask, this.#session) ?? null;
  }

  digestPrompt(makeHasher: () => Hasher): PromptDigests | null {
    const { ask, raw } = this.exchange;
    return this.operation.conversations.digest?.(ask, raw, makeHasher) ?? null;
  }

  usable(): readonly ModelCard[] {
    return this.#setup.listUsable();
  }

  time<Given, Result>(work: (given: Given) => Result, given: Given): Result {
    return this.#turns.time(this.key.accountId, this.held.bytes, work, given);
  }

  takeSteps<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    return this.#turns.takeSteps(this.key.accountId, steps);
  }
}

function chooseSteered<F extends Form>({ request: { headers } }: Arrival, setup: CallSetup<F>) {
  const asked = readSteering(headers);
  return asked === UNSTEERED ? setup : steerSelection(setup.named, asked);
}

/** A line's body never changes, so its claim needs no digest of it. */
const LINE_BODY = "";

function readClaim<F extends Form>(
  vault: HttpPorts["vault"],
  { request: { headers }, line }: Arrival,
  keyId: string,
  operation: Operation<F>,
  exchange: Exchange<F>,
): Claim | null {
  if (line === null) {
    const once = headers.get("idempotency-key");
    return once === null ? null : digestIdempotency(vault, keyId, once, operation, exchange);
  }
  return { replyId: nameLineReply(line.terms.batchId, line.line), bodyDigest: LINE_BODY };
}

/** Returns when the client's own time limit ends, on the monotonic clock. Infinity if it sent none. */
export function readLimit(
  { clock }: Pick<HttpPorts, "clock">,
  { request: { headers } }: Pick<Arrival, "request">,
): number {
  const seconds = headerNumber(headers, TIMEOUT, 0.001, TIMEOUT_SECONDS_MAX);
  return seconds === null ? UNLIMITED : clock.monotonicMs() + seconds * 1000;
}
