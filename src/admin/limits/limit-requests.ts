// "More, please": members ask for more of a limit of theirs until a time, and managers and admins decide.
import { isDeepStrictEqual } from "node:util";
import { type Static, Type } from "@sinclair/typebox";
import type { EventType, OutboxEvent } from "../../core/events/events.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import { makeBudget, PERIODS } from "../../core/limits/budget.ts";
import { LIMIT_MAX, MINUTE_KINDS } from "../../core/limits/limit.ts";
import { type AskedLimit, findMemberLimits, nameAskedLimit } from "../../core/limits/member-limits.ts";
import { showModels } from "../../core/models/alias-entry.ts";
import { toUsd } from "../../core/money/money.ts";
import type { LimitRequest, LimitRequestFilter, NamedLimitRequest } from "../../core/people/limit-request.ts";
import { ACTOR_KINDS, type Scope } from "../../core/people/people.ts";
import type { LimitRules } from "../../core/settings.ts";
import { mintId } from "../../keys/secret.ts";
import type { Access } from "../../people/access.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import { momentSchema, noteSchema, readInstant, readLine, readName, readUsd } from "../input.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { modelOrAlias } from "../models/patterns.ts";
import { beyondSenderEnd, findSenderEnd } from "../people/sender-rights.ts";
import { allowNull, allowWords, boolean, closeObject, instant, text, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import { refuseBeyondAccount, requireLimit } from "./asked-limit.ts";

const REASON_CHARACTERS_MAX = 500;
const MODELS_MAX = 100;
const DAY_MS = 86_400_000;
/** A request for more ends after a year at the latest. */
const UNTIL_MAX_MS = 366 * DAY_MS;
/** A person may ask this often in 24 hours. */
const ASKED_MAX = 10;

export const newLimitRequestSchema = closeObject({
  account_id: text,
  member_id: Type.Optional({ ...text, description: "Somebody else, whose limit is raised at once." }),
  budget: Type.Optional(
    closeObject({
      per: allowWords(PERIODS),
      models: Type.Optional(allowNull(Type.Array(modelOrAlias, { minItems: 1, maxItems: MODELS_MAX }))),
    }),
  ),
  limit: Type.Optional(allowWords(MINUTE_KINDS)),
  amount: Type.Number({ exclusiveMinimum: 0, description: "USD for a budget, else requests or tokens." }),
  until: momentSchema,
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARACTERS_MAX }),
});
export type NewLimitRequest = Static<typeof newLimitRequestSchema>;

export const decisionSchema = closeObject({
  grant: boolean,
  amount: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: "Less than was asked for, in the same unit. Left out, it is what was asked for.",
    }),
  ),
  note: Type.Optional(noteSchema),
});

/** `ended`: its time is over, whether it was granted or is still undecided. */
const STATES = ["open", "granted", "refused", "ended"] as const;
type LimitRequestState = (typeof STATES)[number];

export const limitRequestsQuery = closeObject({
  account: Type.Optional(text),
  member: Type.Optional(text),
  state: Type.Optional(allowWords(STATES)),
  ...pageFields,
});

export const limitRequestSchema = Type.Object({
  id: text,
  account_id: text,
  member_id: text,
  member_name: text,
  // One of both: a budget of the member, or a limit of the minute.
  budget: Type.Optional(Type.Object({ per: allowWords(PERIODS), models: Type.Optional(Type.Array(text)) })),
  limit: Type.Optional(allowWords(MINUTE_KINDS)),
  // Added to it until then. USD for a budget, else requests or tokens.
  amount: Type.Number({ minimum: 0 }),
  until: instant,
  reason: text,
  state: allowWords(STATES),
  created_at: instant,
  decided_at: allowNull(instant),
  decided_by: allowNull(Type.Object({ kind: allowWords(ACTOR_KINDS), id: text, name: text })),
  note: allowNull(text),
});
export type LimitRequestView = View<typeof limitRequestSchema>;

/** Returns a page of the requests that the viewer sees, newest first. */
export function listLimitRequests(
  { store, clock }: AdminWorld,
  { account, member, state, ...page }: Static<typeof limitRequestsQuery>,
  scope: Scope,
): Promise<ListPage<LimitRequestView>> {
  const nowMs = clock.nowMs();
  const filter = { accountId: account, memberId: member, scope, ...(state ? narrowState(state, nowMs) : {}) };
  return listPage(
    page,
    (asked) => store.limitRequests.list(filter, asked),
    ({ request: { createdAtMs: atMs, id } }) => ({ atMs, id }),
    (named) => viewLimitRequest(named, nowMs),
  );
}

function narrowState(state: LimitRequestState, nowMs: number): Partial<LimitRequestFilter> {
  if (state === "refused") return { states: ["refused"] };
  if (state === "ended") return { states: ["open", "granted"], endsByMs: nowMs };
  return { states: [state], endsAfterMs: nowMs };
}

/**
 * Asks for more of a limit that the sender has as a member of the account. Throws the Faults `not_permitted`,
 * `invalid_value`, `missing_required_parameter`, `limit_request_open` and `rate_limit_exceeded`.
 */
export async function askForMore(
  parts: ActingWorld & { readonly limitRules: LimitRules },
  given: NewLimitRequest,
  access: Access,
): Promise<LimitRequestView> {
  const { store, changes, clock, random, limitRules } = parts;
  const { account_id: accountId } = given;
  const { memberId, actor } = access;
  if (memberId === null) {
    throw new Fault("not_permitted", "Only people who are signed in have limits of their own to ask about.");
  }
  const account = await store.account(accountId, access.scope("accounts.read"));
  if (account === null) throw invalidValue("account_id", "this account doesn't exist");
  access.require("limit_requests.make", accountId);
  const nowMs = clock.nowMs();
  const reason = readName(given.reason, "reason");
  const { rules } = (await store.people.memberTerms(memberId)) ?? { rules: [] };
  const limits = findMemberLimits(account, { rules, raises: [] }, limitRules, nowMs);
  const { asked, limit } = requireLimit(readAsked(given), limits);
  const amount = readAmount(asked, given.amount);
  refuseBeyondAccount(account, asked, limit + amount);
  const request: LimitRequest = {
    id: mintId("lrq", random),
    accountId,
    memberId,
    reason,
    createdAtMs: nowMs,
    ...asked,
    amount,
    untilMs: readUntil(given.until, nowMs),
    state: "open",
    decidedAtMs: null,
    deciderKind: null,
    deciderId: null,
    note: null,
  };
  const event = makeEvent(mintId("evt", random), "limit_request.made", request, nowMs, {});
  await changes.addLimitRequest({ request, event }, nowMs - DAY_MS, (others) =>
    checkOthers(request, others, nowMs),
  );
  return viewLimitRequest({ request, memberName: actor.name, deciderName: "" }, nowMs);
}

export function readAsked({ budget, limit }: NewLimitRequest): AskedLimit {
  if (budget === undefined && limit === undefined) throw missingParameter("budget");
  if (budget !== undefined && limit !== undefined) {
    throw invalidValue("limit", "it is either for a budget or for a limit, not for both");
  }
  if (limit !== undefined) return { kind: limit, per: null, models: null };
  const { per, models } = makeBudget({ nanoUsd: 0, per: budget?.per ?? "month", models: budget?.models });
  return { kind: "budget", per, models };
}

export function readAmount({ kind }: AskedLimit, amount: number): number {
  if (kind === "budget") return readUsd(amount, "amount");
  if (Number.isInteger(amount) && amount <= LIMIT_MAX) return amount;
  throw invalidValue("amount", `expected an integer from 1 to ${LIMIT_MAX}`);
}

export function readUntil(until: string, nowMs: number): number {
  const untilMs = readInstant(until, "until");
  if (untilMs > nowMs && untilMs <= nowMs + UNTIL_MAX_MS) return untilMs;
  throw invalidValue("until", "expected a time in the future, a year ahead at most");
}

function checkOthers(request: LimitRequest, others: readonly LimitRequest[], nowMs: number): void {
  const isSame = (one: LimitRequest) =>
    one.accountId === request.accountId && nameAskedLimit(one) === nameAskedLimit(request);
  if (others.some((one) => isSame(one) && one.state === "open" && one.untilMs > nowMs)) {
    const message =
      "You have asked for more of this limit already. Wait until somebody has decided about it.";
    throw new Fault("limit_request_open", message);
  }
  const madeMs = others.map(({ createdAtMs }) => createdAtMs).filter((atMs) => atMs > nowMs - DAY_MS);
  if (madeMs.length < ASKED_MAX) return;
  const resetAtMs = Math.min(...madeMs) + DAY_MS;
  const message = `You may ask for more ${ASKED_MAX} times in 24 hours.`;
  throw new Fault("rate_limit_exceeded", message, { retryAfterMs: resetAtMs - nowMs, resetAtMs });
}

/**
 * Grants or refuses a request of somebody else. Throws the Faults `not_found`, `not_permitted` and
 * `limit_request_closed`.
 */
export async function decideLimitRequest(
  parts: ActingWorld,
  id: string,
  { grant, amount, note }: Static<typeof decisionSchema>,
  access: Access,
): Promise<LimitRequestView> {
  const { store, changes, clock, random } = parts;
  const known = await store.limitRequests.find(id, access.scope("limit_requests.read"));
  if (known === null) throw noRequest();
  const { accountId, memberId } = known.request;
  access.require("members.limit", accountId);
  if (access.personId === memberId) {
    throw new Fault("not_permitted", "This isn't permitted: nobody decides about their own limits.", {
      param: "id",
    });
  }
  const endMs = findSenderEnd(access, "decideLimitRequest", [accountId]);
  if (grant && endMs !== null && known.request.untilMs > endMs) throw beyondSenderEnd("until", endMs);
  const nowMs = clock.nowMs();
  const eventId = mintId("evt", random);
  const state: LimitRequest["state"] = grant ? "granted" : "refused";
  const { kind: deciderKind, id: deciderId } = access.actor;
  const words = readLine(note ?? "", "note") || null;
  const granted = amount === undefined ? {} : { amount: readGranted(known.request, amount) };
  const decision = { ...granted, state, decidedAtMs: nowMs, deciderKind, deciderId, note: words };
  const decided = await changes.decideLimitRequest({ accountId, id }, (before) => {
    const request = { ...before, ...decision };
    // The transaction may run again after it was committed.
    if (!isDeepStrictEqual(before, request)) requireOpen(before, nowMs);
    const event = makeEvent(eventId, "limit_request.decided", request, nowMs, { granted: grant });
    return { request, event };
  });
  if (decided === null) throw noRequest();
  const deciderName = access.memberId === null ? "" : access.actor.name;
  return viewLimitRequest({ ...known, request: decided, deciderName }, nowMs);
}

/** More than was asked for would be a raise that nobody asked for, beyond what the account was looked at for. */
function readGranted(request: LimitRequest, given: number): number {
  const amount = readAmount(request, given);
  if (amount <= request.amount) return amount;
  throw invalidValue("amount", "expected at most what was asked for");
}

function requireOpen({ state, untilMs }: LimitRequest, nowMs: number): void {
  if (state === "open" && untilMs > nowMs) return;
  const what = state === "open" ? "it is for a time that is over" : `it was ${state}`;
  throw new Fault("limit_request_closed", `This request can't be decided any more: ${what}.`);
}

function noRequest(): Fault {
  return new Fault("not_found", "There is no request for more with that id.");
}

/** The member's reason stays out of it: it may go to a chat. */
export function makeEvent(
  id: string,
  type: EventType,
  request: LimitRequest,
  atMs: number,
  more: Readonly<Record<string, unknown>>,
): OutboxEvent {
  const { accountId, memberId, kind, per, models } = request;
  const { amount, until } = describeAsked(request);
  const about = { id: request.id, account_id: accountId, member_id: memberId, kind };
  const budget = per === null ? {} : { per, models: models && showModels(models) };
  return { accountId, id, atMs, type, data: { ...about, ...budget, amount, until, ...more } };
}

/** Returns the fields with which it was asked for. */
export function describeAsked(asked: Pick<LimitRequest, keyof AskedLimit | "amount" | "untilMs">) {
  const { kind, per, models, amount, untilMs } = asked;
  const until = formatInstant(untilMs);
  if (kind !== "budget") return { limit: kind, amount, until };
  const budget = { per: per ?? "month", ...(models ? { models: [...showModels(models)] } : {}) };
  return { budget, amount: toUsd(amount), until };
}

export function viewLimitRequest(
  { request, memberName, deciderName }: NamedLimitRequest,
  nowMs: number,
): LimitRequestView {
  const { id, accountId, memberId, reason, state, untilMs, createdAtMs, note } = request;
  const { decidedAtMs, deciderKind: kind, deciderId } = request;
  return {
    id,
    account_id: accountId,
    member_id: memberId,
    member_name: memberName,
    ...describeAsked(request),
    reason,
    state: state !== "refused" && untilMs <= nowMs ? "ended" : state,
    created_at: formatInstant(createdAtMs),
    decided_at: formatInstantOrNull(decidedAtMs),
    decided_by: kind === null ? null : { kind, id: deciderId ?? "", name: deciderName },
    note,
  };
}
