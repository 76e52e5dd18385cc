// The common parts of the commands that print what the console shows: filters as flags, a table, JSON or CSV.
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { readQuery } from "../../admin/input.ts";
import type { UsageParts } from "../../admin/log/usage.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { listProviderNames } from "../../app/models/provider-names.ts";
import type { StoreSettings } from "../../config/store-settings.ts";
import { makeCommandAct } from "../act.ts";
import {
  type Asking,
  formatJson,
  formatTable,
  makeAsking,
  makeStoreCommand,
  nameInput,
  runOnStore,
} from "../administration.ts";
import { parseArguments, readForm, STORE_OR_GATEWAY } from "../arguments.ts";
import type { Address, Ask } from "../gateway/ask.ts";
import { findId, MEMBER_NAMING, type Naming } from "../gateway/names.ts";
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

interface LogCommand<Query extends TObject, Answer> {
  readonly name: string;
  readonly about: string;
  /** The query whose fields are the flags. */
  readonly query: Query;
  /** The filters whose names are found here, since the list takes their ids alone. */
  readonly named?: Readonly<Record<string, Naming>>;
  /** Their flags. */
  readonly examples: readonly string[];
  /** The place of the same rows in the admin API. */
  readonly address: (query: Static<Query>) => Address;
  readonly read: Ask<Answer>["read"];
  readonly here: (parts: Parts, query: Static<Query>) => Promise<Answer>;
  readonly print: (answer: Answer, query: Static<Query>) => PrintedRows;
}

/** Makes a command with a flag for each field of the query: `--key-id` for `key_id`. */
export function makeLogCommand<Query extends TObject, Answer>(command: LogCommand<Query, Answer>) {
  const { query } = command;
  const help = writeHelp(command);
  const flags = Object.keys(query.properties).map(nameFlag);
  const kinds = Object.fromEntries(flags.map((flag) => [flag, "value"] as const));
  return makeStoreCommand((args, io, open, settings, gateway = null) =>
    runOnStore(help, args, io, open, async (openAs) => {
      const words = parseArguments(args, { ...kinds, json: "switch", csv: "switch" }, 0);
      const form = readForm(words);
      const given = Object.fromEntries(
        [...words.values].map(([flag, value]) => [flag.replaceAll("-", "_"), value]),
      );
      const inputs = flags.map((flag) => `--${flag}`);
      const ask = makeAsking(gateway, async () => actAs(await openAs("find"), makeCommandAct(help, "")));
      const readNamed = async () => {
        readQuery(query, given);
        const sound = readQuery(query, await findNames(ask, command.named ?? NAMED, given));
        const { address, read, here, print } = command;
        const answer = await ask({
          ...address(sound),
          read,
          here: (world) => here(makeParts(world, settings), sound),
        });
        return print(answer, sound);
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

function makeParts(world: AdminWorld, { quota, log, providers }: StoreSettings): Parts {
  const rules = { dayRules: () => quota, keepMs: () => log.keepMs };
  return { ...world, ...rules, ...(providers && { providerNames: () => listProviderNames(providers) }) };
}

const NAMED = { member: MEMBER_NAMING };

async function findNames(
  ask: Asking,
  named: Readonly<Record<string, Naming>>,
  given: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = { ...given };
  for (const [field, naming] of Object.entries(named)) {
    const value = given[field];
    if (value !== undefined) found[field] = await findId(ask, naming, value);
  }
  return found;
}

/** Returns a query as text, for an address. */
export function writeQuery(query: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

function nameFlag(field: string): string {
  return field.replaceAll("_", "-");
}

type Described = Pick<LogCommand<TObject, unknown>, "name" | "about" | "query" | "examples">;

const LINE_LENGTH = 118;
const VALUE_INDENT = 26;

function writeHelp({ name, about, query, examples }: Described): string {
  const fields = Object.entries(query.properties);
  // `key_id` is another name of `key`.
  const shown = fields.filter(([field]) => !fields.some(([other]) => field === `${other}_id`));
  return `usage: poundkey ${name} [filters] [--json | --csv]

${wrapWords(`${about} With filters, only those that match all of them:`, "")}

${shown.map(([field, schema]) => describeFilter(`--${nameFlag(field)}`, schema)).join("\n")}

  --json                    print JSON
  --csv                     print CSV
${STORE_OR_GATEWAY}

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
