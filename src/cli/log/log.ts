// `poundkey requests`, `refusals`, `usage` and `providers`: what the console shows, narrowed by the same filters.

import type { Static } from "@sinclair/typebox";
import { formatNumber } from "../../admin/log/csv.ts";
import { listRefusals, type RefusalView, refusalSchema, refusalsQuery } from "../../admin/log/refusals.ts";
import { requestSchema, requestsQuery } from "../../admin/log/request-schema.ts";
import { listRequests } from "../../admin/log/requests.ts";
import { sumUsage, type UsageSums, usageQuery, usageSchema } from "../../admin/log/usage.ts";
import {
  getStatement,
  listStatement,
  type StatementView,
  statementQuery,
  statementSchema,
} from "../../admin/money/statements.ts";
import { wrapSearched } from "../../admin/schema.ts";
import { makeReader } from "../gateway/ask.ts";
import { ACCOUNT_NAMING } from "../gateway/names.ts";
import { isNamedField, type ShowName } from "../gateway/row-names.ts";
import { describeRows, makeLogCommand, type PrintedRows, writeQuery } from "./log-command.ts";
import { describePauses } from "./pauses.ts";

/** Returns the remark on how to go on with a list that has more. */
function describeNext(next: string | null, scannedUntil: string | undefined): string | null {
  if (next === null) return null;
  const searched = scannedUntil === undefined ? "There are more" : `Searched down to ${scannedUntil}`;
  return `${searched}; go on with --after ${next}`;
}

export const runRequests = makeLogCommand({
  name: "requests",
  about: "Lists the requests of the log, newest first.",
  examples: [
    "--outcome failed --from yesterday",
    "--follow --key web",
    "--key key_2f8c41d0 --limit 200 --csv",
    "--transport ws --socket sock_0198f2",
    "--q req_9d1f",
  ],
  query: requestsQuery,
  nothing: "No requests match.",
  narrowing: { giveWay: ["ADDRESS", "PROVIDER", "STATUS", "MS", "ID", "ERROR", "COST USD"] },
  address: (query) => ({ route: { method: "GET", path: "/requests" }, query: writeQuery(query) }),
  read: makeReader(wrapSearched(requestSchema)),
  here: listRequests,
  follows: true,
  shownNames: () => ["key_id"],
  print({ data, next, scanned_until }, _, showName) {
    const head = [
      "AT",
      "KEY",
      "MODEL",
      "PROVIDER",
      "OUTCOME",
      "STATUS",
      "ERROR",
      "COST USD",
      "MS",
      "ADDRESS",
      "ID",
    ];
    const lines = data.map((row) => [
      row.at,
      showName(row.key_id),
      row.model_used ?? row.model_asked,
      row.provider,
      row.outcome,
      row.status,
      row.error_code,
      row.cost_usd,
      row.total_ms,
      row.address,
      row.id,
    ]);
    return { rows: data, cells: [head, ...lines], note: describeNext(next, scanned_until) };
  },
});

export const runRefusals = makeLogCommand({
  name: "refusals",
  about: "Lists the requests refused before any provider was called, counted by key, model, code and minute.",
  examples: ["--from 2026-11-20T08:00:00Z", "--key key_2f8c41d0 --code budget_exceeded"],
  query: refusalsQuery,
  nothing: "No refusals match.",
  narrowing: { sentences: ["WAY OUT", "LIMIT"], giveWay: ["ADDRESS", "STATUS", "LIMIT", "WAY OUT"] },
  address: (query) => ({ route: { method: "GET", path: "/refusals" }, query: writeQuery(query) }),
  read: makeReader(wrapSearched(refusalSchema)),
  here: listRefusals,
  shownNames: () => ["key_id"],
  print({ data, next, scanned_until }, _, showName) {
    const head = ["AT", "KEY", "MODEL", "CODE", "STATUS", "LIMIT", "COUNT", "ADDRESS", "WAY OUT"];
    const lines = data.map((row) => [
      row.at,
      row.key_id ? showName(row.key_id) : `…${row.last4 ?? ""} (${row.shape ?? "no key"})`,
      row.model_asked,
      row.code,
      row.status,
      row.limit && describeLimit(row.limit),
      row.count,
      row.address,
      row.way_out,
    ]);
    return { rows: data, cells: [head, ...lines], note: describeNext(next, scanned_until) };
  },
});

function describeLimit({ scope, kind, per, used, limit }: NonNullable<RefusalView["limit"]>): string {
  return `${kind}${per ? ` per ${per}` : ""} of the ${scope}: ${used} of ${limit}`;
}

type UsageFlags = Static<typeof usageQuery>;

const USAGE = {
  nothing: "No requests match.",
  narrowing: { giveWay: ["CHARGED USD", "ERRORS"] },
  address: (query: UsageFlags) => ({
    route: { method: "GET", path: "/usage" },
    query: writeQuery(query),
  }),
  read: makeReader(usageSchema),
};

export const runUsage = makeLogCommand({
  name: "usage",
  about: "Sums up the requests of a time range, by day unless --group-by says otherwise.",
  examples: ["--by key --from 2026-11-01 --to 2026-11-30", "--group-by month,account --csv"],
  query: usageQuery,
  ...USAGE,
  shownNames: (query) => listGroups(query).filter(isNamedField),
  here: sumUsage,
  print: printUsage,
});

export const runStatement = makeLogCommand({
  name: "statement",
  about:
    "Prints an account's statement of a month, such as 2026-11, this-month or last-month: without filters, that of the account 'default' for last month.",
  nothing: "Nothing came in or was charged in it.",
  narrowing: {},
  title: ({ account, account_id: id, month }: StatementView) => `${account} (${id}), ${month}`,
  examples: ["--account default --month last-month --csv"],
  query: statementQuery,
  named: { account: ACCOUNT_NAMING },
  defaults: { account: "default", month: "last-month" },
  address: ({ account, month }) => ({
    route: { method: "GET", path: "/accounts/:id/statements/:month" },
    parts: { id: account, month },
  }),
  read: makeReader(statementSchema),
  here: (parts, { account, month }) => getStatement(parts, account, month),
  print(statement) {
    const rows = listStatement(statement);
    const lines = rows.map(({ kind, name, cost_usd, amount_usd }) => [
      kind,
      name || null,
      cost_usd === null ? null : formatNumber(cost_usd),
      formatNumber(amount_usd),
    ]);
    const note = statement.closed_at === null ? "The month isn't closed yet." : null;
    return { rows, cells: [["KIND", "NAME", "COST USD", "AMOUNT USD"], ...lines], note };
  },
});

const SUMMED = ["requests", "errors", "cost_usd", "charged_usd"] as const;

function printUsage(
  { data, rows_from: since }: UsageSums,
  query: UsageFlags,
  showName: ShowName,
): PrintedRows {
  const groups = listGroups(query);
  const head = [...groups, ...SUMMED].map((name) =>
    (isNamedField(name) ? name.replace("_id", "") : name.replaceAll("_", " ")).toUpperCase(),
  );
  const lines = data.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row));
    const readCell = (name: string) => String(fields.get(name) ?? "") || "-";
    return [
      ...groups.map((name) =>
        isNamedField(name) ? showName(String(fields.get(name) ?? "")) : readCell(name),
      ),
      ...SUMMED.map(readCell),
    ];
  });
  return { rows: data, cells: [head, ...lines], note: since === undefined ? null : describeRows(since) };
}

function listGroups({ group_by = "day" }: UsageFlags): readonly string[] {
  return group_by.split(",").flatMap(nameColumns);
}

/** Returns the fields of a row that has been grouped by this. */
function nameColumns(group: string): readonly string[] | string {
  if (group === "finding") return ["detector", "action", "at"];
  return ["key", "account", "member"].includes(group) ? `${group}_id` : group;
}

function byOutcome(query: UsageFlags): UsageFlags {
  return { ...query, group_by: query.group_by ?? "provider,outcome" };
}

export const runProviders = makeLogCommand({
  name: "providers",
  about:
    "Sums up each provider's requests by their outcome. With --gateway, it also names the models that pause now, and for whom.",
  examples: ["--from 2026-11-20T08:00:00Z", "--group-by provider,model,outcome --json"],
  query: usageQuery,
  ...USAGE,
  address: (query) => USAGE.address(byOutcome(query)),
  here: (parts, query) => sumUsage(parts, byOutcome(query)),
  shownNames: (query) => listGroups(byOutcome(query)).filter(isNamedField),
  print: (answer, query, showName) => printUsage(answer, byOutcome(query), showName),
  remark: describePauses,
});
