// `poundkey requests`, `refusals`, `usage` and `providers`: what the console shows, narrowed by the same filters.
import type { TObject } from "@sinclair/typebox";
import { formatNumber } from "../admin/csv.ts";
import { readQuery } from "../admin/input.ts";
import { listRefusals, type RefusalView, refusalsQuery } from "../admin/refusals.ts";
import { requestsQuery } from "../admin/request-schema.ts";
import { listRequests } from "../admin/requests.ts";
import { getStatement, listStatement, statementQuery } from "../admin/statements.ts";
import { sumUsage, usageQuery } from "../admin/usage.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Io } from "../app/terminal.ts";
import type { Settings } from "../core/settings.ts";
import { formatJson, formatTable, type Open, runOnStore } from "./administration.ts";
import { parseArguments } from "./arguments.ts";
import { formatCsv } from "./csv.ts";

type Cells = readonly (string | number | null | undefined)[];

interface Printed {
  readonly rows: readonly object[];
  /** The table: its head, then a line for each row. */
  readonly cells: readonly Cells[];
  /** A line below the table. */
  readonly note?: string | null;
}

type Parts = AdminWorld & Pick<Parameters<typeof listRequests>[0], "dayRules">;

interface LogCommand {
  readonly name: string;
  readonly about: string;
  /** The query whose fields are the flags. */
  readonly query: TObject;
  readonly print: (parts: Parts, given: Readonly<Record<string, string>>) => Promise<Printed>;
}

/** Makes a command with a flag for each field of the query: `--key-id` for `key_id`. */
function makeLogCommand({ name, about, query, print }: LogCommand) {
  const flags = Object.keys(query.properties).map((field) => field.replaceAll("_", "-"));
  const help = `usage: poundkey ${name} ${flags.map((flag) => `[--${flag} …]`).join(" ")} [--json | --csv]

${about} The filters are those of the admin API (see /docs/admin-api): all that are given must match.

  --json                    print JSON
  --csv                     print CSV
  --config FILE, --store S  as for \`poundkey serve\``;
  const kinds = Object.fromEntries(flags.map((flag) => [flag, "value"] as const));
  return (args: readonly string[], io: Io, open: Open, settings: Settings) =>
    runOnStore(help, args, io, open, async (openAs) => {
      const { values, switches } = parseArguments(args, { ...kinds, json: "switch", csv: "switch" }, 0);
      const given = Object.fromEntries(
        [...values].map(([flag, value]) => [flag.replaceAll("-", "_"), value]),
      );
      readQuery(query, given);
      const parts = { ...(await openAs("find")), dayRules: () => settings.quota };
      const { rows, cells, note } = await print(parts, given);
      if (switches.has("json")) io.out(formatJson(rows));
      else if (switches.has("csv")) io.out(formatCsv(rows));
      else {
        io.out(formatTable(cells.map((line) => line.map((cell) => String(cell ?? "-")))));
        if (note) io.err(note);
      }
    });
}

/** Returns the remark on how to go on with a list that has more. */
function describeNext(next: string | null, scannedUntil: string | undefined): string | null {
  if (next === null) return null;
  const searched = scannedUntil === undefined ? "There are more" : `Searched down to ${scannedUntil}`;
  return `${searched}; go on with --after ${next}`;
}

export const runRequests = makeLogCommand({
  name: "requests",
  about: "Lists the requests of the log, newest first.",
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
      ...[row.at, row.id, row.key_id, row.model_used ?? row.model_asked, row.provider, row.outcome],
      ...[row.status, row.error_code, row.cost_usd, row.total_ms, row.address],
    ]);
    return { rows: data, cells: [head, ...lines], note: describeNext(next, scanned_until) };
  },
});

export const runRefusals = makeLogCommand({
  name: "refusals",
  about: "Lists the requests refused before any provider was called, counted by key, model, code and minute.",
  query: refusalsQuery,
  async print(parts, given) {
    const { data, next, scanned_until } = await listRefusals(parts, readQuery(refusalsQuery, given));
    const head = ["AT", "KEY", "MODEL", "CODE", "STATUS", "LIMIT", "COUNT", "ADDRESS", "WAY OUT"];
    const lines = data.map((row) => [
      ...[row.at, row.key_id ?? `…${row.last4 ?? ""} (${row.shape ?? "no key"})`, row.model_asked],
      ...[row.code, row.status, row.limit && describeLimit(row.limit), row.count, row.address, row.way_out],
    ]);
    return { rows: data, cells: [head, ...lines], note: describeNext(next, scanned_until) };
  },
});

function describeLimit({ scope, kind, per, used, limit }: NonNullable<RefusalView["limit"]>): string {
  return `${kind}${per ? ` per ${per}` : ""} of the ${scope}: ${used} of ${limit}`;
}

export const runUsage = makeLogCommand({
  name: "usage",
  about: "Sums up the usage in a time range, by day unless --group-by says otherwise.",
  query: usageQuery,
  print: printUsage,
});

export const runStatement = makeLogCommand({
  name: "statement",
  about: "Prints an account's statement of a month, such as 2026-11.",
  query: statementQuery,
  async print(parts, given) {
    const { account, month } = readQuery(statementQuery, given);
    const statement = await getStatement(parts, account, month);
    const rows = listStatement(statement);
    const lines = rows.map(({ kind, name, cost_usd, amount_usd }) => [
      ...[kind, name || null, cost_usd === null ? null : formatNumber(cost_usd), formatNumber(amount_usd)],
    ]);
    const note = statement.closed_at === null ? "The month isn't closed yet." : null;
    return { rows, cells: [["KIND", "NAME", "COST USD", "AMOUNT USD"], ...lines], note };
  },
});

const SUMMED = ["requests", "errors", "cost_usd", "charged_usd"] as const;

async function printUsage(parts: Parts, given: Readonly<Record<string, string>>): Promise<Printed> {
  const { data } = await sumUsage(parts, readQuery(usageQuery, given));
  const groups = (given.group_by ?? "day").split(",").map(nameGroup);
  const head = [...groups, ...SUMMED].map((name) => name.replaceAll("_", " ").toUpperCase());
  const lines = data.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row));
    return [...groups, ...SUMMED].map((name) => String(fields.get(name) ?? ""));
  });
  return { rows: data, cells: [head, ...lines] };
}

/** Keys and accounts are shown by their ids. */
function nameGroup(group: string): string {
  return group === "key" || group === "account" ? `${group}_id` : group;
}

export const runProviders = makeLogCommand({
  name: "providers",
  about:
    "Sums up the requests of each provider by their outcome. What is known of its health is in the running gateway.",
  query: usageQuery,
  print: (parts, given) => printUsage(parts, { ...given, group_by: given.group_by ?? "provider,outcome" }),
});
