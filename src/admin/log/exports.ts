// Exports: all rows of a list that match its filters, a few at a time.

import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { Scope } from "../../core/people/people.ts";
import type { Permission } from "../../core/people/permissions.ts";
import type { PlainThing } from "../../core/things/plain.ts";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { computeMonth, listMonths } from "../../ledger/money/month.ts";
import { auditExportQuery, auditSchema, readAudit } from "../audit/audit.ts";
import { readQuery } from "../input.ts";
import { keySchema, keyView, listKeyPage } from "../keys/keys.ts";
import type { ListPage, PageQuery } from "../list.ts";
import { accountSchema, listAccounts } from "../money/accounts.ts";
import { entrySchema, listJournal } from "../money/journal.ts";
import { callSchema, readReconciliation, reconciliationQuery } from "../money/reconciliation.ts";
import { getStatement, listStatementRows, statementLineSchema } from "../money/statements.ts";
import { listMembers, memberSchema } from "../people/members.ts";
import { closeObject, text } from "../schema.ts";
import { momentFields, readFrom, readTo } from "../span.ts";
import { listPlain, makePlainSchemas } from "../things/plain.ts";
import type { AdminWorld } from "../world.ts";
import { type ExportRow, NameBook, ROWS_AT_ONCE } from "./export-rows.ts";
import { type FilterParts, findFilters } from "./found-filters.ts";
import { requestSchema, requestsExportQuery } from "./request-schema.ts";
import { listRequestsAs, requestRow } from "./requests.ts";
import { listUngrouped, readUsage, usageQuery, usageRowSchema } from "./usage.ts";
import { findRowsStart, type RowParts } from "./usage-rows.ts";

export interface ExportParts extends AdminWorld, Pick<FilterParts, "providerNames"> {
  readonly dayRules: () => DayRules;
  readonly keysExpireMs: () => number | null;
  readonly keepMs: RowParts["keepMs"];
}

type ExportPages = AsyncGenerator<readonly object[]>;

export interface Export {
  readonly permission: Permission;
  /** In a route's summary. */
  readonly words: string;
  readonly query: TObject;
  readonly row: TObject;
  /** Columns that are left out for these filters. */
  readonly left?: (value: unknown) => readonly string[];
  /** Returns the time from which there are rows for these filters. Missing if none of them asks for rows. */
  readonly since?: (parts: RowParts, value: unknown) => number | null;
  /** The filters have been checked. */
  readonly read: (parts: ExportParts, value: unknown, scope: Scope) => ExportPages;
}

const ACCOUNTS_AT_ONCE = 100;

const journalQuery = closeObject({ account: Type.Optional(text), ...momentFields });
const statementsQuery = closeObject({ account: Type.Optional(text), ...momentFields });
const noFilters = closeObject({});

type OwnName =
  | "requests"
  | "usage"
  | "journal"
  | "statements"
  | "keys"
  | "accounts"
  | "members"
  | "audit"
  | "reconciliation";

const OWN: Readonly<Record<OwnName, Export>> = {
  requests: {
    permission: "requests.read",
    words: "the request log",
    query: requestsExportQuery,
    row: requestSchema,
    read: async function* (parts, given, scope) {
      const query = await findFilters(parts, readQuery(requestsExportQuery, given), scope);
      yield* readList((page) => listRequestsAs(requestRow, parts, { ...query, ...page }, scope));
    },
  },
  usage: {
    permission: "usage.read",
    words: "sums of usage",
    query: usageQuery,
    row: usageRowSchema,
    left: (given) => listUngrouped(readQuery(usageQuery, given)),
    since: (parts, given) => findRowsStart(parts, readQuery(usageQuery, given)),
    read: async function* (parts, given, scope) {
      yield* readUsage(parts, await findFilters(parts, readQuery(usageQuery, given), scope), scope);
    },
  },
  journal: {
    permission: "journal.read",
    words: "the journals",
    query: journalQuery,
    row: entrySchema,
    read: async function* (parts, given, scope) {
      yield* readJournals(parts, await findFilters(parts, readQuery(journalQuery, given), scope), scope);
    },
  },
  statements: {
    permission: "journal.read",
    words: "the lines of statements",
    query: statementsQuery,
    row: statementLineSchema,
    read: async function* (parts, given, scope) {
      yield* readStatements(parts, await findFilters(parts, readQuery(statementsQuery, given), scope), scope);
    },
  },
  keys: {
    permission: "keys.read",
    words: "keys, without their secrets",
    query: noFilters,
    row: keySchema,
    read: (parts, _given, scope) =>
      readList(async (page) => {
        const { data, next } = await listKeyPage(parts, page, scope);
        const nowMs = parts.clock.nowMs();
        return { data: data.map((key) => keyView(key, nowMs)), next };
      }),
  },
  accounts: {
    permission: "accounts.read",
    words: "accounts",
    query: noFilters,
    row: accountSchema,
    read: (parts, _given, scope) => readList((page) => listAccounts(parts, page, scope)),
  },
  members: {
    permission: "members.read",
    words: "people who signed in",
    query: noFilters,
    row: memberSchema,
    read: (parts, _given, scope) => readList((page) => listMembers(parts, page, scope)),
  },
  audit: {
    permission: "audit.read",
    words: "the audit log",
    query: auditExportQuery,
    row: auditSchema,
    read: async function* (parts, given, scope) {
      yield* readAudit(parts, await findFilters(parts, readQuery(auditExportQuery, given), scope), scope);
    },
  },
  reconciliation: {
    permission: "reconciliation.read",
    words: "the calls that providers were sent",
    query: reconciliationQuery,
    row: callSchema,
    read: (parts, given) => readReconciliation(parts, readQuery(reconciliationQuery, given)),
  },
};

/** By their names, in the order of the manual. */
export const EXPORTS: typeof OWN & Readonly<Record<string, Export>> = {
  ...OWN,
  ...Object.fromEntries(PLAIN_THINGS.map((thing) => [thing.plural, makePlainExport(thing)])),
};

export function makePlainExport(thing: PlainThing): Export {
  return {
    permission: thing.sees,
    words: thing.plural,
    query: noFilters,
    row: makePlainSchemas(thing).view,
    read: (parts, _given, scope) => readList((page) => listPlain(parts, thing, page, scope)),
  };
}

/** Returns all rows, newest first, with the names of keys and accounts. Throws the Fault of a wrong filter at the first. */
export async function* readExport(
  parts: ExportParts,
  { read }: Pick<Export, "read">,
  value: unknown,
  scope: Scope,
): AsyncGenerator<readonly ExportRow[]> {
  const names = new NameBook(parts.store, scope);
  for await (const rows of read(parts, value, scope)) yield await names.addNames(rows);
}

async function* readList<View extends object>(
  list: (page: PageQuery) => Promise<ListPage<View>>,
): ExportPages {
  let after: string | null = null;
  do {
    const page: PageQuery = { limit: ROWS_AT_ONCE, ...(after === null ? {} : { after }) };
    const { data, next }: ListPage<View> = await list(page);
    if (data.length > 0) yield data;
    after = next;
  } while (after !== null);
}

/** Reads the journal of one account, or of all accounts one after the other. */
async function* readJournals(
  parts: ExportParts,
  query: Static<typeof journalQuery>,
  scope: Scope,
): ExportPages {
  const rules = parts.dayRules();
  const fromMs = query.from === undefined ? 0 : readFrom(query.from, rules);
  const toMs = query.to === undefined ? Number.POSITIVE_INFINITY : readTo(query.to, rules);
  for await (const id of listAccountIds(parts, query.account, scope)) {
    for await (const rows of readList((page) => listJournal(parts, id, page, scope))) {
      const times = rows.map((row) => ("at" in row ? Date.parse(String(row.at)) : 0));
      const within = rows.filter((_, at) => (times[at] ?? 0) >= fromMs && (times[at] ?? 0) < toMs);
      if (within.length > 0) yield within;
      if ((times.at(-1) ?? 0) < fromMs) break;
    }
  }
}

/** Reads the statements of each account, month by month. An account that none is of has none. */
async function* readStatements(
  parts: ExportParts,
  query: Static<typeof statementsQuery>,
  scope: Scope,
): ExportPages {
  const rules = parts.dayRules();
  const nowMs = parts.clock.nowMs();
  const fromMs = query.from === undefined ? 0 : readFrom(query.from, rules);
  const toMs = query.to === undefined ? nowMs : Math.min(nowMs, readTo(query.to, rules) - 1);
  for await (const id of listAccountIds(parts, query.account, scope)) {
    const account = await parts.store.account(id, scope);
    if (account === null) continue;
    const timeZone = account.timeZone ?? rules.timeZone;
    const first = computeMonth(Math.max(fromMs, account.createdAtMs), timeZone);
    for (const month of listMonths(first, computeMonth(toMs, timeZone)))
      yield listStatementRows(await getStatement(parts, id, month, scope));
  }
}

async function* listAccountIds(
  { store }: ExportParts,
  account: string | undefined,
  scope: Scope,
): AsyncGenerator<string> {
  if (account !== undefined) {
    yield account;
    return;
  }
  for await (const found of readPages((page) => store.accounts(page, { scope }), ACCOUNTS_AT_ONCE))
    for (const { id } of found) yield id;
}
