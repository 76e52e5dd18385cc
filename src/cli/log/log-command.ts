// The common parts of the commands that print what the console shows: filters as flags, a table, JSON or CSV.
import type { TObject, TSchema } from "@sinclair/typebox";
import { readQuery } from "../../admin/input.ts";
import type { UsageParts } from "../../admin/log/usage.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { listProviderNames } from "../../app/models/provider-names.ts";
import { formatJson, formatTable, makeStoreCommand, nameInput, runOnStore } from "../administration.ts";
import { parseArguments, readForm } from "../arguments.ts";
import { formatCsv } from "./csv.ts";

type Cells = readonly (string | number | null | undefined)[];

export interface PrintedRows {
  readonly rows: readonly object[];
  /** The table: its head, then a line for each row. */
  readonly cells: readonly Cells[];
  /** A line on standard error. */
  readonly note?: string | null;
}

export type Parts = AdminWorld & Pick<UsageParts, "dayRules" | "keepMs" | "providerNames">;

/** Returns the remark on sums that are made of the log's rows. */
export function describeRows(since: string): string {
  return `These sums are made of the log's rows, which are kept for log.keep: nothing before ${since} is in them.`;
}

interface LogCommand {
  readonly name: string;
  readonly about: string;
  /** The query whose fields are the flags. */
  readonly query: TObject;
  /** Their flags. */
  readonly examples: readonly string[];
  readonly print: (parts: Parts, given: Readonly<Record<string, string>>) => Promise<PrintedRows>;
}

/** Makes a command with a flag for each field of the query: `--key-id` for `key_id`. */
export function makeLogCommand(command: LogCommand) {
  const { query, print } = command;
  const help = writeHelp(command);
  const flags = Object.keys(query.properties).map(nameFlag);
  const kinds = Object.fromEntries(flags.map((flag) => [flag, "value"] as const));
  return makeStoreCommand((args, io, open, settings) =>
    runOnStore(help, args, io, open, async (openAs) => {
      const words = parseArguments(args, { ...kinds, json: "switch", csv: "switch" }, 0);
      const form = readForm(words);
      const given = Object.fromEntries(
        [...words.values].map(([flag, value]) => [flag.replaceAll("-", "_"), value]),
      );
      const inputs = flags.map((flag) => `--${flag}`);
      const readNamed = async () => {
        readQuery(query, given);
        const { quota, log, providers } = settings;
        const rules = { dayRules: () => quota, keepMs: () => log.keepMs };
        const named = providers && { providerNames: () => listProviderNames(providers) };
        return print({ ...(await openAs("find")), ...rules, ...named }, given);
      };
      const { rows, cells, note } = await readNamed().catch((error: unknown) =>
        Promise.reject(nameInput(error, inputs)),
      );
      if (form === "json") io.out(formatJson(rows));
      else if (form === "csv") io.out(formatCsv(rows));
      else io.out(formatTable(cells.map((line) => line.map((cell) => String(cell ?? "-")))));
      if (note) io.err(note);
    }),
  );
}

function nameFlag(field: string): string {
  return field.replaceAll("_", "-");
}

const LINE_LENGTH = 118;
const VALUE_INDENT = 26;

function writeHelp({ name, about, query, examples }: LogCommand): string {
  const fields = Object.entries(query.properties);
  // `key_id` is another name of `key`.
  const shown = fields.filter(([field]) => !fields.some(([other]) => field === `${other}_id`));
  return `usage: poundkey ${name} [filters] [--json | --csv]

${wrapWords(`${about} With filters, only those that match all of them:`, "")}

${shown.map(([field, schema]) => describeFilter(`--${nameFlag(field)}`, schema)).join("\n")}

  --json                    print JSON
  --csv                     print CSV
  --config FILE, --store S  as for \`poundkey serve\`

examples:
${examples.map((flags) => `  poundkey ${name} ${flags}`).join("\n")}`;
}

/** Says what the filter matches, or names the values that it takes. */
function describeFilter(flag: string, schema: TSchema): string {
  const { enum: words, description, expected, minimum, maximum } = schema;
  const range = minimum === undefined ? "" : `a number from ${minimum} to ${maximum}`;
  const values: string = Array.isArray(words)
    ? `one of ${words.join(", ")}`
    : (description ?? expected ?? range);
  return wrapWords(`  ${flag.padEnd(VALUE_INDENT - 2)}${values}`, " ".repeat(VALUE_INDENT)).trimEnd();
}

function wrapWords(line: string, indent: string): string {
  if (line.length <= LINE_LENGTH) return line;
  const end = line.lastIndexOf(" ", LINE_LENGTH);
  return `${line.slice(0, end)}\n${wrapWords(indent + line.slice(end + 1), indent)}`;
}
