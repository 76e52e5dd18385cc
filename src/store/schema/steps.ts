// The steps of the schema since both engines share them. A released step is never changed: a change is a new step.

import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { AUDIT_LOG } from "./audit-step.ts";
import { BATCHES } from "./batches-step.ts";
import { CACHE } from "./cache-step.ts";
import { PROVIDER_CALLS } from "./calls-step.ts";
import { CHECKOUTS } from "./checkouts-step.ts";
import { CONSOLE_LINK } from "./console-link-step.ts";
import { DEVICES } from "./devices-step.ts";
import { DIRECTORY, DIRECTORY_SIZE, GROUP_PARTS } from "./directory-step.ts";
import { FILES } from "./files-step.ts";
import { FOREIGN_DIGESTS } from "./foreign-step.ts";
import { HOURLY_USAGE } from "./hourly-usage-step.ts";
import { LIMIT_REQUESTS } from "./limit-requests-step.ts";
import { KEY_MAKINGS } from "./makings-step.ts";
import { MOVEMENTS, STATEMENTS } from "./money-step.ts";
import { DOUBTS, ENDS, MEMBER_LIMITS, MEMBER_RULES, PEOPLE } from "./people-step.ts";
import { LESSON_CONDITIONS, REFUSAL_LESSONS } from "./refusal-lessons-step.ts";
import { REPEATS } from "./repeats-step.ts";
import { REPORTED_COSTS } from "./reported-costs-step.ts";
import { REQUEST_IDS } from "./request-ids.ts";
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";
import { TAGS } from "./tags-step.ts";
import { TOOLS } from "./tools-step.ts";
import { WEBHOOKS } from "./webhooks-step.ts";

/** The bounds on scores are by account; the version before bounds them by key. */
const LESSONS_BY_ACCOUNT: Step = [
  {
    kind: "createIndex",
    name: "lesson_account_at",
    table: "lesson",
    columns: ["account_id", "model", "at_ms"],
  },
  { kind: "dropLater", name: "lesson_key_at" },
];

/**
 * Nodes know each other's versions from here on, and a request that was given up as lost says so once it is settled.
 * Programs from before don't look at the schema again after their start, so they can't run beside this one.
 */
const NODES_BY_VERSION: Step = [
  { kind: "addColumn", table: "request", column: { name: "late", type: "integer", initial: 0 } },
  {
    kind: "addColumn",
    table: "node",
    column: integerOrNull("version"),
    only: "postgres",
  },
  {
    kind: "addColumn",
    table: "node",
    column: integerOrNull("clock_ms"),
    only: "postgres",
  },
  { kind: "endSupport", stepsKnown: 3 },
];

/**
 * Limits and budgets. Programs from before would admit past them. The counts stand in the owner's row, beside its last
 * throttle slot.
 */
const LIMITS: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.requests_per_minute },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.tokens_per_minute },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.parallel },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.budgets },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.time_zone },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.requests_per_day },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.free_budget_usd_per_day },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.requests_per_minute },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.tokens_per_minute },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.parallel },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.budgets },
  { kind: "addColumn", table: "slot", column: textOrNull("minute") },
  { kind: "addColumn", table: "slot", column: textOrNull("budgets") },
  {
    kind: "createTable",
    table: "event",
    columns: [
      ...["account_id", "id"].map(text),
      integer("at_ms"),
      ...["type", "data"].map(text),
      integerOrNull("logged_at_ms"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "event_logged", table: "event", columns: ["logged_at_ms", "at_ms"] },
  { kind: "endSupport", stepsKnown: 4 },
];

/**
 * Requests say how they ended, whose provider failed, and where they came from. Only few trees are added, because each
 * that a request changes costs it a page of the log: those of sessions and traces hold only rows that have one, and the
 * rows of an account are found by the hours of its sums.
 */
const REQUESTS_FOUND: Step = [
  { kind: "addColumn", table: "hold", column: textOrNull("model_planned") },
  ...[
    "model_planned",
    "outcome",
    "provider",
    "address",
    "session",
    "trace_id",
    "parent_trace_id",
    "member_id",
  ].map((name) => ({ kind: "addColumn", table: "request", column: textOrNull(name) }) as const),
  { kind: "createIndex", name: "request_request_id", table: "request", columns: ["request_id"] },
  ...["session", "trace_id", "parent_trace_id"].map(
    (column) =>
      ({
        kind: "createIndex",
        name: `request_${column}`,
        table: "request",
        columns: [column, "at_ms", "id"],
        isSparse: true,
      }) as const,
  ),
  {
    kind: "createIndex",
    name: "request_account_at",
    table: "request",
    columns: ["account_id", "at_ms", "id"],
    only: "postgres",
  },
  {
    kind: "createIndex",
    name: "hourly_usage_account",
    table: "hourly_usage",
    columns: ["account_id", "hour_ms"],
  },
];

/** Keys and accounts are found by their names, and a repeated PUT of a key by its Idempotency-Key. */
const NAMES: Step = [
  { kind: "createIndex", name: "account_name", table: "account", columns: ["name"] },
  { kind: "createIndex", name: "gateway_key_name", table: "gateway_key", columns: ["account_id", "name"] },
  {
    kind: "createTable",
    table: "put_record",
    columns: [
      ...["account_id", "id"].map(text),
      integer("at_ms"),
      ...["body_digest", "key_id"].map(text),
      textOrNull("sealed"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "put_record_at", table: "put_record", columns: ["at_ms"] },
];

/** A moved key's counts come home from the accounts in which its last requests began. */
const MOVES: Step = [
  {
    kind: "createTable",
    table: "departure",
    columns: [...["account_id", "id"].map(text)],
    key: ["account_id", "id"],
    placement: "account",
  },
];

/** Requests that were refused before a provider was called, counted by key, model, code and minute. */
const REFUSALS: Step = [
  {
    kind: "createTable",
    table: "refusal",
    columns: [
      ...["account_id", "id"].map(text),
      integer("at_ms"),
      ...["key_id", "last4", "shape", "model_asked"].map(textOrNull),
      text("route"),
      textOrNull("address"),
      text("code"),
      integer("status"),
      textOrNull("refusing_limit"),
      integerOrNull("reset_at_ms"),
      integer("requests"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "refusal_at", table: "refusal", columns: ["at_ms", "id"] },
  { kind: "createIndex", name: "refusal_key_at", table: "refusal", columns: ["key_id", "at_ms", "id"] },
];

/** Owners whose budget is near its end are found without reading all others. */
const NEARING: Step = [
  { kind: "addColumn", table: "slot", column: { name: "near_share", type: "real", isNullable: true } },
  { kind: "addColumn", table: "slot", column: integerOrNull("near_until_ms") },
  { kind: "createIndex", name: "slot_near", table: "slot", columns: ["near_share"], isSparse: true },
];

/** The reasons for which keys and accounts are paused. An older version pauses and resumes keys without a reason. */
const PAUSES: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.contact },
  { kind: "addColumn", table: "gateway_key", column: { name: "paused_by", type: "text", initial: "[]" } },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.paused },
  { kind: "addColumn", table: "account", column: { name: "paused_by", type: "text", initial: "[]" } },
];

/** The balance of which an account wants to hear. A program from before sends no such event. */
const LOW_BALANCES: Step = [{ kind: "addField", table: "account", field: ACCOUNT_FIELDS.balance_low_usd }];
/** The hooks that a key adds. An older version would let its requests pass unjudged. */
const HOOKS: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.hooks },
  { kind: "endSupport", stepsKnown: 25 },
];

/** The factors of credentials on the models' prices. A program from before prices its own calls without it. */
const CREDENTIAL_PRICES: Step = [
  { kind: "addField", table: "credential", field: CREDENTIAL_FIELDS.price_factor },
];

/** An account's id in another system. */
const EXTERNAL_IDS: Step = [{ kind: "addField", table: "account", field: ACCOUNT_FIELDS.external_id }];

/** Limits of a key on some models. The first that is set ends support for programs from before (`newer-rules.ts`). */
const MODEL_LIMITS: Step = [{ kind: "addField", table: "gateway_key", field: KEY_FIELDS.model_limits }];

/** Requests that came on a WebSocket, which are found by it, and those that compact their conversation. */
const SOCKETS: Step = [
  { kind: "addColumn", table: "request", column: textOrNull("socket_id") },
  { kind: "addColumn", table: "request", column: { name: "compaction", type: "integer", initial: 0 } },
  {
    kind: "createIndex",
    name: "request_socket_id",
    table: "request",
    columns: ["socket_id", "at_ms", "id"],
    isSparse: true,
  },
];
/** The most parallel calls of a credential. A program from before counts none of its own. */
const CREDENTIAL_CALLS: Step = [{ kind: "addField", table: "credential", field: CREDENTIAL_FIELDS.parallel }];

/** The part of costs that the markup adds. It is 0 in rows from before, and in those of a program from before. */
const MARKUPS: Step = ["request", "hourly_usage", "hourly_tag"].map((table) => ({
  kind: "addColumn",
  table,
  column: { name: "markup_nano", type: "integer", initial: 0 },
}));

/** Tools that keys and accounts may call. A program from before knows no tools, so that it lets nobody call one. */
const ALLOWED_TOOLS: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.allowed_tools },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.allowed_tools },
];

/** The mends of requests, the thinking that models weren't shown, the gateway's cache marks, and moves of conversations. A program from before leaves them out. */
const MENDED: Step = [
  { kind: "addColumn", table: "request", column: textOrNull("mended") },
  { kind: "addColumn", table: "request", column: textOrNull("reasoning_removed") },
  { kind: "addColumn", table: "request", column: textOrNull("cache_marked") },
  { kind: "addColumn", table: "request", column: textOrNull("moved") },
];

/** The constraints of requests, which few have. A program from before leaves them out. */
const CONSTRAINTS: Step = [{ kind: "addColumn", table: "request", column: textOrNull("constraints") }];

/** Lists of keys by name. A program from before doesn't have them. */
const NAMES_IN_ORDER: Step = [
  {
    kind: "createIndex",
    name: "gateway_key_folded_name",
    table: "gateway_key",
    columns: ["lower(name)", "id"],
  },
];

/** The same of accounts and people. */
const MORE_NAMES_IN_ORDER: Step = ["account", "member"].map((table) => ({
  kind: "createIndex",
  name: `${table}_folded_name`,
  table,
  columns: ["lower(name)", "id"],
}));

/** The guard's rules that a key adds. The first that has one ends support for programs from before (`newer-rules.ts`). */
const GUARD: Step = [{ kind: "addField", table: "gateway_key", field: KEY_FIELDS.guard }];

/** Findings of the guard in requests, which few have. A program from before leaves it out. */
const FINDINGS: Step = [{ kind: "addColumn", table: "request", column: textOrNull("guard") }];

/**
 * Requests that are noted in their day's meter. A program from before leaves the column as it is: its own requests have holds, and it
 * gives no others up.
 */
const NOTED_REQUESTS: Step = [{ kind: "addColumn", table: "meter", column: textOrNull("noted") }];

/** Taken after the engine's own first steps (`sqlite/migrations.ts`, `postgres/schema.ts`). */
export const STEPS: readonly Step[] = [
  HOURLY_USAGE,
  LESSONS_BY_ACCOUNT,
  NODES_BY_VERSION,
  LIMITS,
  REQUESTS_FOUND,
  NAMES,
  MOVES,
  REFUSALS,
  NEARING,
  PEOPLE,
  PAUSES,
  MEMBER_RULES,
  AUDIT_LOG,
  DEVICES,
  MEMBER_LIMITS,
  LIMIT_REQUESTS,
  FOREIGN_DIGESTS,
  MOVEMENTS,
  STATEMENTS,
  WEBHOOKS,
  PROVIDER_CALLS,
  CHECKOUTS,
  LOW_BALANCES,
  CACHE,
  HOOKS,
  TAGS,
  EXTERNAL_IDS,
  DOUBTS,
  KEY_MAKINGS,
  CREDENTIAL_PRICES,
  MODEL_LIMITS,
  ENDS,
  DIRECTORY,
  SOCKETS,
  CREDENTIAL_CALLS,
  MARKUPS,
  REPEATS,
  FILES,
  BATCHES,
  GROUP_PARTS,
  ALLOWED_TOOLS,
  TOOLS,
  DIRECTORY_SIZE,
  CONSOLE_LINK,
  CONSTRAINTS,
  REPORTED_COSTS,
  REFUSAL_LESSONS,
  MENDED,
  NAMES_IN_ORDER,
  MORE_NAMES_IN_ORDER,
  GUARD,
  FINDINGS,
  REQUEST_IDS,
  NOTED_REQUESTS,
  LESSON_CONDITIONS,
];
