// The store's tables, shared by both engines: their columns and keys, and how rows map to columns and back.
import { ENTRY_KINDS, type Entry } from "../../core/books/journal.ts";
import { MOVEMENT_KINDS, type Movement } from "../../core/books/movement.ts";
import type { StoredEvent } from "../../core/events/events.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { asArray, asObject, parseJson } from "../../core/json/json.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { findNear } from "../../core/limits/limit.ts";
import { type KeptReply, REPLY_STATES } from "../../core/log/kept.ts";
import { ENDINGS, USAGE_SOURCES } from "../../core/log/record.ts";
import { ACTOR_KINDS, type Pauser, STORED_PAUSERS } from "../../core/people/people.ts";
import type { Hold, Meter, OwnerState, Spend } from "../../core/rows.ts";
import {
  allowNull,
  type Column,
  type Columns,
  type ColumnWriter,
  FLAG,
  INTEGER,
  listColumns,
  makeJson,
  makeWord,
  nameColumn,
  type SqlType,
  TEXT,
  TIME,
  writeField,
} from "../columns/columns.ts";
import { type Encoder, makeEncoder, makeTest } from "../columns/encoder.ts";
import type { FoundRow, Value } from "../columns/found.ts";
import { BUDGET_USES, MINUTE } from "../columns/limit-columns.ts";
import { NOTED } from "../columns/noted-column.ts";
import { PLACE } from "../columns/place.ts";
import { makeColumns } from "./field-columns.ts";

export interface Table<Row> extends Encoder<Row> {
  readonly name: string;
  /** The primary key. Begins with the account if the rows belong to one. */
  readonly key: readonly string[];
  /** All columns, in the order in which their values are written. */
  readonly columns: readonly string[];
  /** The columns' types, in the same order. */
  readonly types: readonly SqlType[];
  readonly writers: readonly ((row: Row) => Value)[];
  readonly rowOf: (found: FoundRow) => Row;
}

/** The written part of a table. */
export type TablePart<Row> = Omit<Table<Row>, "key" | "rowOf">;

/** Makes a table from the columns of a row's fields, and from others that are written but never read back. */
export function table<Row extends object>(
  name: string,
  key: readonly string[],
  fields: { readonly [Field in keyof Row]: Column<Row[Field]> | Columns<Row[Field]> },
  others: Readonly<Record<string, ColumnWriter<Row>>> = {},
): Table<Row> {
  const writes = new Map<string, ColumnWriter<Row>>();
  const reads: ((row: Partial<Row>, found: FoundRow) => void)[] = [];
  for (const field in fields) {
    const { columns, column, read } = listColumns(field, fields[field]);
    for (const [name, { type, write }] of Object.entries(columns)) {
      writes.set(name, { type, write: writeField(field, write) });
    }
    reads.push((row, found) => {
      row[field] = read(found, column);
    });
  }
  for (const [column, written] of Object.entries(others)) writes.set(column, written);
  const writers = [...writes.values()].map(({ write }) => write);
  return {
    name,
    key,
    columns: [...writes.keys()],
    types: [...writes.values()].map(({ type }) => type),
    writers,
    ...makeEncoder(writers),
    rowOf(found) {
      const row: Partial<Row> = {};
      for (const read of reads) read(row, found);
      // The cast is safe: every field has columns, so all of them have been read.
      return row as Row;
    },
  };
}

export function omitColumns<Row>(whole: TablePart<Row>, left: readonly string[]): TablePart<Row> {
  return filterColumns(whole, (column) => !left.includes(column));
}

export function pickColumns<Row>(whole: Table<Row>, kept: readonly string[]): TablePart<Row> {
  return filterColumns(whole, (column) => kept.includes(column));
}

/** The rows that have their table's defaults in some columns, and the part of the table that is written for them. */
interface UsualRows<Row> {
  readonly part: TablePart<Row>;
  readonly fits: (row: Row) => boolean;
}

/** `defaults` has the value that the table itself gives to each column that is left out. */
export function omitDefaults<Row>(
  whole: Table<Row>,
  defaults: Readonly<Record<string, Value>>,
): UsualRows<Row> {
  const left = Object.keys(defaults);
  const tests = whole.writers.flatMap((write, at) => {
    const value = defaults[whole.columns[at] ?? ""];
    return value === undefined ? [] : [[write, value] as const];
  });
  return { part: omitColumns(whole, left), fits: makeTest(tests) };
}

function filterColumns<Row>(
  { name, columns, types, writers }: Pick<Table<Row>, "name" | "columns" | "types" | "writers">,
  isWanted: (column: string) => boolean,
): TablePart<Row> {
  const isKept = columns.map(isWanted);
  const kept = writers.filter((_, at) => isKept[at]);
  return {
    name,
    columns: columns.filter((_, at) => isKept[at]),
    types: types.filter((_, at) => isKept[at]),
    writers: kept,
    ...makeEncoder(kept),
  };
}

/** Reasons that this version doesn't know are left out. */
const PAUSED_BY = makeJson<readonly Pauser[]>((json) =>
  asArray(parseJson(json)).flatMap((reason) => STORED_PAUSERS.find((one) => one === reason) ?? []),
);

export const ACCOUNT = table<Account>("account", ["id"], {
  ...makeColumns(ACCOUNT_FIELDS),
  id: TEXT,
  balanceNanoUsd: INTEGER,
  heldNanoUsd: INTEGER,
  entries: INTEGER,
  keptCharacters: INTEGER,
  createdAtMs: INTEGER,
  pausedBy: PAUSED_BY,
  receivableNanoUsd: INTEGER,
  closingAtMs: allowNull(INTEGER),
  closedAtMs: allowNull(INTEGER),
});

/** The columns of an account that decisions change beside its money. */
export const ACCOUNT_STATE = pickColumns(ACCOUNT, [
  "paused",
  "paused_by",
  "receivable_nano",
  "closing_at_ms",
  "closed_at_ms",
]);

/** The table also has the columns `digest` and `old_digest`, which are never read back. */
export const KEY = table<GatewayKey>("gateway_key", ["id"], {
  ...makeColumns(KEY_FIELDS),
  id: TEXT,
  last4: TEXT,
  createdAtMs: INTEGER,
  revokedAtMs: allowNull(INTEGER),
  rotations: INTEGER,
  oldSecretUntilMs: allowNull(INTEGER),
  memberId: allowNull(TEXT),
  pausedBy: PAUSED_BY,
});

export const SPEND = table<Spend>("spend", ["account_id", "key_id"], {
  accountId: TEXT,
  keyId: TEXT,
  spentNanoUsd: INTEGER,
  heldNanoUsd: INTEGER,
});

export const METER = table<Meter>("meter", ["account_id", "owner", "day"], {
  accountId: TEXT,
  owner: TEXT,
  day: TEXT,
  used: INTEGER,
  lastAtMs: TIME,
  givenBack: INTEGER,
  freeSpentNanoUsd: INTEGER,
  freeHeldNanoUsd: INTEGER,
  noted: allowNull(NOTED),
});

const takenAt = allowNull(INTEGER);
const takenBy = allowNull(TEXT);

/** Found by its budget that is nearest to its end, which follows from the row. */
const NEAR: Record<string, ColumnWriter<OwnerState>> = {
  near_share: { type: "real", write: ({ budgets }) => findNear(budgets)?.share ?? null },
  near_until_ms: { type: "integer", write: ({ budgets }) => findNear(budgets)?.untilMs ?? null },
};

export const OWNER = table<OwnerState>(
  "slot",
  ["account_id", "owner"],
  {
    accountId: TEXT,
    owner: TEXT,
    taken: {
      columns: {
        taken_at_ms: { type: "integer", write: (taken) => taken?.atMs ?? null },
        taken_by: { type: "text", write: (taken) => taken?.by ?? null },
      },
      read(row: FoundRow) {
        const atMs = takenAt.read(row, "taken_at_ms");
        const by = takenBy.read(row, "taken_by");
        return atMs === null || by === null ? null : { atMs, by };
      },
    },
    minute: allowNull(MINUTE),
    budgets: allowNull(BUDGET_USES),
  },
  NEAR,
);

export const EVENT = table<StoredEvent>("event", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  type: TEXT,
  data: makeJson((json) => asObject(parseJson(json))),
});

export const HOLD = table<Hold>("hold", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  keyId: TEXT,
  node: TEXT,
  atMs: TIME,
  requestId: TEXT,
  operation: TEXT,
  surface: TEXT,
  modelAsked: TEXT,
  modelPlanned: allowNull(TEXT),
  selector: allowNull(TEXT),
  stream: FLAG,
  place: PLACE,
  nanoUsd: nameColumn("held_nano", INTEGER),
  replyId: allowNull(TEXT),
});

export const ENTRY = table<Entry>("entry", ["account_id", "seq"], {
  accountId: TEXT,
  seq: INTEGER,
  atMs: TIME,
  kind: makeWord(ENTRY_KINDS),
  balanceNanoUsd: INTEGER,
  heldNanoUsd: INTEGER,
  fundingNanoUsd: INTEGER,
  revenueNanoUsd: INTEGER,
  overrunNanoUsd: INTEGER,
  balanceAfterNanoUsd: INTEGER,
  heldAfterNanoUsd: allowNull(INTEGER),
  requestId: allowNull(TEXT),
  usageSource: allowNull(makeWord(USAGE_SOURCES)),
  ended: allowNull(makeWord(ENDINGS)),
  note: allowNull(TEXT),
});

export const REPLY = table<KeptReply>("reply", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  bodyDigest: TEXT,
  requestId: TEXT,
  atMs: TIME,
  state: makeWord(REPLY_STATES),
  sealed: allowNull(TEXT),
});

const movedByKind = allowNull(makeWord(ACTOR_KINDS));
const movedById = allowNull(TEXT);

/** The person or program that asked for money to be moved. */
export const MOVED_BY: Columns<Movement["by"]> = {
  columns: {
    by_kind: { type: "text", write: (by) => by?.kind ?? null },
    by_id: { type: "text", write: (by) => by?.id ?? null },
  },
  read(found) {
    const kind = movedByKind.read(found, "by_kind");
    const id = movedById.read(found, "by_id");
    return kind === null || id === null ? null : { kind, id };
  },
};

export const MOVEMENT = table<Movement>("movement", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  kind: makeWord(MOVEMENT_KINDS),
  nanoUsd: nameColumn("amount_nano", INTEGER),
  balanceNanoUsd: INTEGER,
  month: allowNull(TEXT),
  seq: allowNull(INTEGER),
  by: MOVED_BY,
});
