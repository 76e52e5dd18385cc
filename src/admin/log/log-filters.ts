// The filters that questions to the log share: of its requests, its refusals and its sums.
import { type Static, Type } from "@sinclair/typebox";
import { DETECTOR_PATTERN } from "../../core/log/finding.ts";
import type { RequestFilter } from "../../core/log/log-query.ts";
import { ENDINGS, REQUEST_OUTCOMES, SURFACE_NAMES, TRANSPORTS } from "../../core/log/record.ts";
import { OTHER_TAGS, TAG_FILTER, TAGS_PER_DAY_MAX, UNTAGGED } from "../../core/log/tags.ts";
import { OPERATIONS, TOOL_OPERATION } from "../../core/models/card.ts";
import { SELECTORS } from "../../core/models/selector.ts";
import type { Scope } from "../../core/people/people.ts";
import { nameSession } from "../../core/people/session.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { allowWords } from "../schema.ts";
import { momentFields, readFrom, readTo } from "../span.ts";

const TEXT_CHARACTERS_MAX = 200;
/** Clients may send longer names than rows keep. */
const SESSION_CHARACTERS_MAX = 4000;

/** A text to match. The description names what rows have, for the API's page and the command line. */
export function makeFilter(description: string, maxLength = TEXT_CHARACTERS_MAX) {
  return Type.Optional(Type.String({ maxLength, description }));
}

const key = makeFilter("this key's id, or the name that only one key has");
const account = makeFilter("this account's id, or the name that only one account has");
const member = makeFilter("a personal key of the person with this id");
const batch = makeFilter("the lines of the batch with this id");

/** Rows must match all that are given. `key_id`, `account_id` and `batch_id` are other names of `key`, `account` and `batch`. */
export const refusalFilterFields = {
  key,
  key_id: key,
  account,
  account_id: account,
  model: makeFilter("this model, as asked for, tried or used"),
  member,
};

/** The filters of requests, all of which must match, and of their sums. */
export const requestFilterFields = {
  ...refusalFilterFields,
  provider: makeFilter("this provider in any case, which answered or was last called"),
  operation: Type.Optional(allowWords([...OPERATIONS, TOOL_OPERATION])),
  surface: Type.Optional(allowWords(SURFACE_NAMES)),
  outcome: Type.Optional(allowWords(REQUEST_OUTCOMES)),
  tag: Type.Optional(
    Type.String({
      ...TAG_FILTER,
      description: `this tag, such as team=search, or ${UNTAGGED} for requests without any; of sums, ${OTHER_TAGS} for those beyond the day's first ${TAGS_PER_DAY_MAX}`,
    }),
  ),
  batch,
  batch_id: batch,
  session: makeFilter("this session of an agent", SESSION_CHARACTERS_MAX),
  transport: Type.Optional(allowWords(TRANSPORTS)),
  socket: makeFilter("the WebSocket with this id, on which it came"),
  server: makeFilter("calls of this tool server"),
  tool: makeFilter("calls of the tool with this name, as its server has it"),
  response: makeFilter("the questions and calls of the response with this id, whose tools the gateway ran"),
  trace_id: makeFilter("this trace, or a client's trace that it links to"),
  finding: Type.Optional(
    Type.String({
      maxLength: TEXT_CHARACTERS_MAX,
      pattern: `^${DETECTOR_PATTERN}$`,
      expected: "a detector of the guard, or words:NAME",
      description: "findings of this detector of the guard, or of words:NAME",
    }),
  ),
  address: makeFilter("this client's address, as it is kept"),
  q: makeFilter(
    "this id, of the completion or the request, or this part of a model's name or an error's code",
  ),
  selector: Type.Optional(allowWords(SELECTORS.flatMap((name) => [name, `Router#${name}`]))),
  status: Type.Optional(
    Type.String({
      pattern: "^(ok|error|[1-5]([0-9][0-9]|xx))$",
      expected: "ok, error, an HTTP status, or a class of them such as 4xx",
    }),
  ),
  ended: Type.Optional(allowWords(ENDINGS)),
  ...momentFields,
};
type RequestFilters = Static<ReturnType<typeof Type.Object<typeof requestFilterFields>>>;

export function readRequestFilter(
  query: RequestFilters,
  rules: DayRules,
  scope: Scope | undefined,
): RequestFilter {
  const { operation, surface, model, provider, ended, outcome, address, session, selector, status } = query;
  const { from, to, q, tag, finding } = query;
  return {
    scope,
    keyId: query.key_id ?? query.key,
    accountId: query.account_id ?? query.account,
    memberId: query.member,
    batchId: query.batch_id ?? query.batch,
    traceId: query.trace_id,
    operation,
    surface,
    model,
    provider,
    ended,
    outcome,
    address,
    tag,
    finding,
    transport: query.transport,
    socketId: query.socket,
    server: query.server,
    tool: query.tool,
    responseId: query.response,
    // No row has a blank one.
    session: session === undefined ? undefined : (nameSession(session) ?? ""),
    text: q?.toLowerCase() || undefined,
    selector: selector && `Router#${selector.replace(/^Router#/, "")}`,
    status: readStatus(status),
    fromMs: from === undefined ? undefined : readFrom(from, rules),
    toMs: to === undefined ? undefined : readTo(to, rules),
  };
}

function readStatus(text: RequestFilters["status"]): RequestFilter["status"] {
  if (text === undefined || text === "ok" || text === "error") return text;
  const [digit = ""] = text;
  return text.endsWith("xx") ? { hundreds: Number(digit) } : Number(text);
}
