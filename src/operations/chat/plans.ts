// Plans of calls by the shape of a request: plain requests with the same fields differ in nothing that a pass over them
// would change, so only the first of them takes the passes.

import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { Codec, Passing, PlainBounds } from "../codec.ts";
import type { ChangedAsk } from "../form.ts";
import type { ChatForm } from "./decoder.ts";
import type { ChatMessage, ChatRequest } from "./form.ts";

type ChatCodec = Codec<ChatForm>;

/** Returns true if no server within these bounds is sent another value in its place. */
type Check = (value: unknown, field: string, bounds: PlainBounds, card: ModelCard) => boolean;

const isWithin: Check = (value, field, { ranges }) => {
  if (typeof value !== "number") return false;
  const range = Object.hasOwn(ranges, field) ? ranges[field] : undefined;
  return range === undefined || (value >= range[0] && value <= range[1]);
};

const isAllowedLimit: Check = (value, _field, _bounds, { outputTokensMax }) =>
  typeof value === "number" && value >= 1 && value <= (outputTokensMax ?? value);

const isShortList: Check = (value, _field, { stopsMax }) => Array.isArray(value) && value.length <= stopsMax;

const isShortName: Check = (value, _field, { identifierCharactersMax }) =>
  typeof value === "string" && value.length <= identifierCharactersMax;

const isAny: Check = () => true;

/** The fields of plain requests. Any other makes a request that isn't. */
const CHECKS: Readonly<Record<string, Check>> = {
  model: isAny,
  messages: isAny,
  temperature: isWithin,
  top_p: isWithin,
  presence_penalty: isWithin,
  frequency_penalty: isWithin,
  seed: isWithin,
  n: isWithin,
  stop: isShortList,
  user: isShortName,
  max_tokens: isAllowedLimit,
  max_completion_tokens: isAllowedLimit,
  stream: isAny,
  stream_options: isAny,
};

const BITS: ReadonlyMap<string, number> = new Map(Object.keys(CHECKS).map((field, at) => [field, 1 << at]));
const LIMITS = ["max_tokens", "max_completion_tokens"] as const;
/** The fields whose place in a call isn't that in the request. */
const PLACED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "n",
  "stream",
  "stream_options",
  ...LIMITS,
]);
const PLAIN_ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant"]);

/** Returns a bit for each field of a request. 0 if it isn't plain. */
function findShape(ask: ChatRequest): number {
  let shape = 0;
  for (const field in ask) {
    const bit = BITS.get(field);
    if (bit === undefined || ask[field] === undefined) return 0;
    // An answer is whole unless it says otherwise.
    if (field !== "stream" || ask.stream === true) shape |= bit;
  }
  if (ask.max_tokens !== undefined && ask.max_completion_tokens !== undefined) return 0;
  for (const message of ask.messages) if (!isPlain(message)) return 0;
  return shape;
}

/** True for a message of a text alone. */
function isPlain(message: ChatMessage): boolean {
  for (const field in message) if (field !== "role" && field !== "content") return false;
  return typeof message.content === "string" && PLAIN_ROLES.has(message.role);
}

/** A field with a place of its own in a call. */
interface PlacedField {
  readonly name: string;
  /** The request's field that it is. Null if it has this value in each call. */
  readonly from: string | null;
  readonly value: unknown;
}

/** The calls of one shape to one target. */
interface CallPlan {
  readonly target: Target;
  /** The call for the first request. */
  readonly first: Outgoing;
  /** The fields after those that are in the request's order. */
  readonly placed: readonly PlacedField[];
}

/** The requests of one shape: how their calls are written, once the first of them has shown it. */
class ShapePlan {
  readonly #card: ModelCard;
  readonly #bounds: PlainBounds | null;
  readonly #isKept: boolean;
  #call: CallPlan | null = null;

  /** `isKept` says that nothing of its first request was changed or left out. */
  constructor(codec: ChatCodec, ask: ChatRequest, card: ModelCard, isKept: boolean) {
    this.#card = card;
    this.#bounds = codec.plainBounds?.(card, ask) ?? null;
    this.#isKept = isKept && this.#allows(ask);
  }

  /** True if nothing of a request of the shape is changed or left out. */
  keeps(ask: ChatRequest): boolean {
    return this.#isKept && this.#allows(ask);
  }

  #allows(ask: ChatRequest): boolean {
    if (this.#bounds === null) return false;
    for (const field in ask) if (!CHECKS[field]?.(ask[field], field, this.#bounds, this.#card)) return false;
    return true;
  }

  /** Returns the call for a request that is kept. Null if calls to the target aren't planned. */
  write(ask: ChatRequest, target: Target): Outgoing | null {
    const call = this.#call;
    return call?.target === target ? { ...call.first, body: writeBody(call, ask) } : null;
  }

  /** Plans the calls to a target by that for a request that is kept. */
  learn(ask: ChatRequest, target: Target, first: Outgoing): void {
    // Messages may have to be arranged for a server that is known to refuse something.
    if (target.refuses !== undefined || first.dropped.length > 0 || first.form !== undefined) return;
    const placed = placeFields(ask, first.body);
    const call = placed && { target, first, placed };
    this.#call = call !== null && isSameBody(writeBody(call, ask), first.body) ? call : null;
  }
}

function writeBody({ first, placed }: CallPlan, ask: ChatRequest): Outgoing["body"] {
  const body: Outgoing["body"] = { model: first.body.model, messages: ask.messages };
  for (const field in ask) if (!PLACED.has(field)) body[field] = ask[field];
  for (const { name, from, value } of placed) body[name] = from === null ? value : ask[from];
  return body;
}

/** Returns null if one of them is neither a field of the request as it is nor the same in each call. */
function placeFields(ask: ChatRequest, body: Outgoing["body"]): readonly PlacedField[] | null {
  const placed: PlacedField[] = [];
  for (const name of Object.keys(body)) {
    const isInOrder = Object.hasOwn(ask, name) && !PLACED.has(name);
    if (name === "model" || name === "messages" || isInOrder) continue;
    const value = body[name];
    const from = LIMITS.some((limit) => limit === name) ? LIMITS.find((limit) => limit in ask) : name;
    const isAsked = from !== undefined && ask[from] !== undefined;
    if (isAsked && value !== ask[from] && name !== "stream_options") return null;
    placed.push({ name, from: isAsked && value === ask[from] ? from : null, value });
  }
  return placed;
}

function isSameBody(one: Outgoing["body"], other: Outgoing["body"]): boolean {
  const names = Object.keys(one);
  const others = Object.keys(other);
  return (
    names.length === others.length &&
    names.every((name, at) => name === others[at] && one[name] === other[name])
  );
}

/** Clients choose the shapes. Beyond this many, no further ones are planned for a card. */
const SHAPES_MAX = 64;

interface CardPlans extends Passing {
  readonly codec: ChatCodec;
  readonly shapes: Map<number, ShapePlan>;
}

/** The latest of each card. Cards go with their configuration. */
const plans = new WeakMap<ModelCard, CardPlans>();

function findPlans(codec: ChatCodec, card: ModelCard, { extraFields }: Passing): CardPlans {
  const known = plans.get(card);
  if (known?.codec === codec && known.extraFields === extraFields) return known;
  const made: CardPlans = { codec, shapes: new Map(), ...(extraFields && { extraFields }) };
  plans.set(card, made);
  return made;
}

/** Returns the plan of a request's shape, if it has one and keeps the request. */
export function findPlan(
  codec: ChatCodec,
  ask: ChatRequest,
  card: ModelCard,
  operator: Passing,
): ShapePlan | null {
  if (codec.plainBounds === undefined) return null;
  const shape = findShape(ask);
  const plan = shape === 0 ? undefined : findPlans(codec, card, operator).shapes.get(shape);
  return plan?.keeps(ask) ? plan : null;
}

/** Plans the shape of a request by how it was fitted, unless it has a plan or isn't plain. */
export function planShape(
  codec: ChatCodec,
  ask: ChatRequest,
  card: ModelCard,
  operator: Passing,
  fitted: ChangedAsk<ChatRequest>,
): void {
  if (codec.plainBounds === undefined) return;
  const shape = findShape(ask);
  if (shape === 0) return;
  const { shapes } = findPlans(codec, card, operator);
  if (shapes.has(shape) || shapes.size >= SHAPES_MAX) return;
  const isKept = fitted.ask === ask && fitted.dropped.length === 0;
  shapes.set(shape, new ShapePlan(codec, ask, card, isKept));
}
