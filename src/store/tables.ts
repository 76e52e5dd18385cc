// The store's tables, shared by both engines: their columns and keys, and how rows map to columns and back.
import { asArray, parseJson } from "../core/json.ts";
import type { Account, GatewayKey } from "../core/key.ts";
import { ENDINGS, USAGE_SOURCES } from "../core/record.ts";
import {
  ENTRY_KINDS,
  type Entry,
  type Hold,
  type KeptReply,
  type Meter,
  REPLY_STATES,
  type Slot,
  type Spend,
  type TopUp,
} from "../core/rows.ts";
import { type Found, readInteger, readNullable, readText, readWord, type Value } from "./found.ts";
import { parsePlace } from "./place.ts";

export interface Table<Row> {
  readonly name: string;
  /** The primary key. Begins with the account if the rows belong to one. */
  readonly key: readonly string[];
  /** All columns, in the order of `valuesOf`. */
  readonly columns: readonly string[];
  readonly valuesOf: (row: Row) => Value[];
  readonly rowOf: (found: Found) => Row;
}

/** The written part of a table. */
export type TablePart<Row> = Pick<Table<Row>, "name" | "columns" | "valuesOf">;

/** Makes a table from its columns, each with the function that reads it from a row. */
export function table<Row>(
  name: string,
  key: readonly string[],
  columns: Readonly<Record<string, (row: Row) => Value>>,
  rowOf: (found: Found) => Row,
): Table<Row> {
  const values = Object.values(columns);
  const valuesOf = (row: Row) => {
    const list: Value[] = [];
    for (const holds of values) list.push(holds(row));
    return list;
  };
  return { name, key, columns: Object.keys(columns), valuesOf, rowOf };
}

export function omitColumns<Row>(
  { name, columns, valuesOf }: Table<Row>,
  left: readonly string[],
): TablePart<Row> {
  const isKept = columns.map((column) => !left.includes(column));
  return {
    name,
    columns: columns.filter((_, at) => isKept[at]),
    valuesOf: (row) => valuesOf(row).filter((_, at) => isKept[at]),
  };
}

export const ACCOUNT = table<Account>(
  "account",
  ["id"],
  {
    id: (row) => row.id,
    name: (row) => row.name,
    balance_nano: (row) => row.balanceNanoUsd,
    held_nano: (row) => row.heldNanoUsd,
    entries: (row) => row.entries,
    kept_characters: (row) => row.keptCharacters,
    created_at_ms: (row) => row.createdAtMs,
  },
  (found) => ({
    id: readText(found, "id"),
    name: readText(found, "name"),
    balanceNanoUsd: readInteger(found, "balance_nano"),
    heldNanoUsd: readInteger(found, "held_nano"),
    entries: readInteger(found, "entries"),
    keptCharacters: readInteger(found, "kept_characters"),
    createdAtMs: readInteger(found, "created_at_ms"),
  }),
);

/** The table also has the column `digest`, which is never read back. */
export const KEY = table<GatewayKey>(
  "gateway_key",
  ["id"],
  {
    id: (row) => row.id,
    account_id: (row) => row.accountId,
    last4: (row) => row.last4,
    created_at_ms: (row) => row.createdAtMs,
    revoked_at_ms: (row) => row.revokedAtMs,
    name: (row) => row.name,
    expires_at_ms: (row) => row.expiresAtMs,
    allowed_models: (row) => JSON.stringify(row.allowedModels),
    requests_per_day: (row) => JSON.stringify(row.requestsPerDay),
    spend_limit_nano: (row) => row.spendLimitNanoUsd,
    keep_responses: (row) => (row.keepsResponses ? 1 : 0),
  },
  (found) => ({
    id: readText(found, "id"),
    name: readText(found, "name"),
    accountId: readText(found, "account_id"),
    last4: readText(found, "last4"),
    createdAtMs: readInteger(found, "created_at_ms"),
    expiresAtMs: readNullable(found, "expires_at_ms", readInteger),
    revokedAtMs: readNullable(found, "revoked_at_ms", readInteger),
    allowedModels: readAllowedModels(readText(found, "allowed_models")),
    requestsPerDay: readRequestsPerDay(readText(found, "requests_per_day")),
    spendLimitNanoUsd: readNullable(found, "spend_limit_nano", readInteger),
    keepsResponses: readInteger(found, "keep_responses") === 1,
  }),
);

function readAllowedModels(json: string): GatewayKey["allowedModels"] {
  const list = parseJson(json);
  return list === null ? null : asArray(list).filter((id) => typeof id === "string");
}

function readRequestsPerDay(json: string): GatewayKey["requestsPerDay"] {
  const limit = parseJson(json);
  return limit === null || typeof limit === "number" ? limit : "default";
}

export const SPEND = table<Spend>(
  "spend",
  ["account_id", "key_id"],
  {
    account_id: (row) => row.accountId,
    key_id: (row) => row.keyId,
    spent_nano: (row) => row.spentNanoUsd,
    held_nano: (row) => row.heldNanoUsd,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    keyId: readText(found, "key_id"),
    spentNanoUsd: readInteger(found, "spent_nano"),
    heldNanoUsd: readInteger(found, "held_nano"),
  }),
);

export const METER = table<Meter>(
  "meter",
  ["account_id", "owner", "day"],
  {
    account_id: (row) => row.accountId,
    owner: (row) => row.owner,
    day: (row) => row.day,
    used: (row) => row.used,
    last_at_ms: (row) => Math.round(row.lastAtMs),
    given_back: (row) => row.givenBack,
    free_spent_nano: (row) => row.freeSpentNanoUsd,
    free_held_nano: (row) => row.freeHeldNanoUsd,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    owner: readText(found, "owner"),
    day: readText(found, "day"),
    used: readInteger(found, "used"),
    lastAtMs: readInteger(found, "last_at_ms"),
    givenBack: readInteger(found, "given_back"),
    freeSpentNanoUsd: readInteger(found, "free_spent_nano"),
    freeHeldNanoUsd: readInteger(found, "free_held_nano"),
  }),
);

export const SLOT = table<Slot>(
  "slot",
  ["account_id", "owner"],
  {
    account_id: (row) => row.accountId,
    owner: (row) => row.owner,
    taken_at_ms: (row) => row.taken?.atMs ?? null,
    taken_by: (row) => row.taken?.by ?? null,
  },
  (found) => {
    const atMs = readNullable(found, "taken_at_ms", readInteger);
    const by = readNullable(found, "taken_by", readText);
    const taken = atMs === null || by === null ? null : { atMs, by };
    return { accountId: readText(found, "account_id"), owner: readText(found, "owner"), taken };
  },
);

export const HOLD = table<Hold>(
  "hold",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    key_id: (row) => row.keyId,
    node: (row) => row.node,
    at_ms: (row) => Math.round(row.atMs),
    request_id: (row) => row.requestId,
    operation: (row) => row.operation,
    surface: (row) => row.surface,
    model_asked: (row) => row.modelAsked,
    selector: (row) => row.selector,
    stream: (row) => (row.stream ? 1 : 0),
    place: (row) => JSON.stringify(row.place),
    held_nano: (row) => row.nanoUsd,
    reply_id: (row) => row.replyId,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    id: readText(found, "id"),
    keyId: readText(found, "key_id"),
    node: readText(found, "node"),
    atMs: readInteger(found, "at_ms"),
    requestId: readText(found, "request_id"),
    operation: readText(found, "operation"),
    surface: readText(found, "surface"),
    modelAsked: readText(found, "model_asked"),
    selector: readNullable(found, "selector", readText),
    stream: readInteger(found, "stream") === 1,
    place: parsePlace(readText(found, "place")),
    nanoUsd: readInteger(found, "held_nano"),
    replyId: readNullable(found, "reply_id", readText),
  }),
);

export const ENTRY = table<Entry>(
  "entry",
  ["account_id", "seq"],
  {
    account_id: (row) => row.accountId,
    seq: (row) => row.seq,
    at_ms: (row) => Math.round(row.atMs),
    kind: (row) => row.kind,
    balance_nano: (row) => row.balanceNanoUsd,
    held_nano: (row) => row.heldNanoUsd,
    funding_nano: (row) => row.fundingNanoUsd,
    revenue_nano: (row) => row.revenueNanoUsd,
    overrun_nano: (row) => row.overrunNanoUsd,
    balance_after_nano: (row) => row.balanceAfterNanoUsd,
    request_id: (row) => row.requestId,
    usage_source: (row) => row.usageSource,
    ended: (row) => row.ended,
    note: (row) => row.note,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    seq: readInteger(found, "seq"),
    atMs: readInteger(found, "at_ms"),
    kind: readWord(found, "kind", ENTRY_KINDS),
    balanceNanoUsd: readInteger(found, "balance_nano"),
    heldNanoUsd: readInteger(found, "held_nano"),
    fundingNanoUsd: readInteger(found, "funding_nano"),
    revenueNanoUsd: readInteger(found, "revenue_nano"),
    overrunNanoUsd: readInteger(found, "overrun_nano"),
    balanceAfterNanoUsd: readInteger(found, "balance_after_nano"),
    requestId: readNullable(found, "request_id", readText),
    usageSource: readNullable(found, "usage_source", (row, column) => readWord(row, column, USAGE_SOURCES)),
    ended: readNullable(found, "ended", (row, column) => readWord(row, column, ENDINGS)),
    note: readNullable(found, "note", readText),
  }),
);

export const REPLY = table<KeptReply>(
  "reply",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    body_digest: (row) => row.bodyDigest,
    request_id: (row) => row.requestId,
    at_ms: (row) => Math.round(row.atMs),
    state: (row) => row.state,
    sealed: (row) => row.sealed,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    id: readText(found, "id"),
    bodyDigest: readText(found, "body_digest"),
    requestId: readText(found, "request_id"),
    atMs: readInteger(found, "at_ms"),
    state: readWord(found, "state", REPLY_STATES),
    sealed: readNullable(found, "sealed", readText),
  }),
);

export const TOP_UP = table<TopUp>(
  "top_up",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    at_ms: (row) => Math.round(row.atMs),
    amount_nano: (row) => row.nanoUsd,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    id: readText(found, "id"),
    atMs: readInteger(found, "at_ms"),
    nanoUsd: readInteger(found, "amount_nano"),
  }),
);
