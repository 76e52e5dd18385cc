// `poundkey requests`, `refusals`, `usage` and `providers`: what the console shows, narrowed by the same filters.

import { readQuery } from "../../admin/input.ts";
import { formatNumber } from "../../admin/log/csv.ts";
import { listRefusals, type RefusalView, refusalsQuery } from "../../admin/log/refusals.ts";
import { requestsQuery } from "../../admin/log/request-schema.ts";
import { listRequests } from "../../admin/log/requests.ts";
import { sumUsage, usageQuery } from "../../admin/log/usage.ts";
import { getStatement, listStatement, statementQuery } from "../../admin/money/statements.ts";
import { describeRows, makeLogCommand, type Parts, type PrintedRows } from "./log-command.ts";

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
    "--outcome failed --from 2026-11-20",
    "--key key_2f8c41d0 --limit 200 --csv",
    "--transport ws --socket sock_0198f2",
    "--q req_9d1f",
  ],
  query: requestsQuery,
  async print(parts, given) {
    const { data, next, scanned_until } = await listRequests(parts, readQuery(requestsQuery, given));
    const head = [
      "AT",
      "ID",
      "KEY",
      "MODEL",
      "PROVIDER",
      "OUTCOME",
      "STATUS",
      "ERROR",
      "COST USD",
      "MS",
      "ADDRESS",
    ];
    const lines = data.map((row) => [
      row.at,
      row.id,
      row.key_id,
      row.model_used ?? row.model_asked,
      row.provider,
      row.outcome,
      row.status,
      row.error_code,
      row.cost_usd,
      row.total_ms,
      row.address,
    ]);
    return { rows: data, cells: [head, ...lines], note: describeNext(next, scanned_until) };
  },
});

export const runRefusals = makeLogCommand({
  name: "refusals",
  about: "Lists the requests refused before any provider was called, counted by key, model, code and minute.",
  examples: ["--from 2026-11-20T08:00:00Z", "--key key_2f8c41d0 --code budget_exceeded"],
  query: refusalsQuery,
  async print(parts, given) {
    const { data, next, scanned_until } = await listRefusals(parts, readQuery(refusalsQuery, given));
    const head = ["AT", "KEY", "MODEL", "CODE", "STATUS", "LIMIT", "COUNT", "ADDRESS", "WAY OUT"];
    const lines = data.map((row) => [
      row.at,
      row.key_id ?? `…${row.last4 ?? ""} (${row.shape ?? "no key"})`,
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

export const runUsage = makeLogCommand({
  name: "usage",
  about: "Sums up the requests of a time range, by day unless --group-by says otherwise.",
  examples: ["--group-by key --from 2026-11-01 --to 2026-11-30", "--group-by month,account --csv"],
  query: usageQuery,
  print: printUsage,
});

export const runStatement = makeLogCommand({
  name: "statement",
  about: "Prints an account's statement of a month, such as 2026-11.",
  examples: ["--account default --month 2026-11 --csv"],
  query: statementQuery,
  async print(parts, given) {
    const { account, month } = readQuery(statementQuery, given);
    const statement = await getStatement(parts, account, month);
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

async function printUsage(parts: Parts, given: Readonly<Record<string, string>>): Promise<PrintedRows> {
  const { data, rows_from: since } = await sumUsage(parts, readQuery(usageQuery, given));
  const groups = (given.group_by ?? "day").split(",").map(nameGroup);
  const head = [...groups, ...SUMMED].map((name) => name.replaceAll("_", " ").toUpperCase());
  const lines = data.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row));
    return [...groups, ...SUMMED].map((name) => String(fields.get(name) ?? "") || "-");
  });
  return { rows: data, cells: [head, ...lines], note: since === undefined ? null : describeRows(since) };
}

/** Keys, accounts and members are shown by their ids. */
function nameGroup(group: string): string {
  return ["key", "account", "member"].includes(group) ? `${group}_id` : group;
}

export const runProviders = makeLogCommand({
  name: "providers",
  about:
    "Sums up each provider's requests by their outcome. Its present health is known to the running gateway alone.",
  examples: ["--from 2026-11-20T08:00:00Z", "--group-by provider,model,outcome --json"],
  query: usageQuery,
  print: (parts, given) => printUsage(parts, { ...given, group_by: given.group_by ?? "provider,outcome" }),
});
