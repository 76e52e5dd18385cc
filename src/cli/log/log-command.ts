// The common parts of the commands that print what the console shows: filters as flags, a table, JSON or CSV.
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { momentSchema, readQuery } from "../../admin/input.ts";
import type { UsageParts } from "../../admin/log/usage.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { listProviderNames } from "../../app/models/provider-names.ts";
import type { Io } from "../../app/terminal.ts";
import type { StoreSettings } from "../../config/store/store-settings.ts";
import { makeCommandAct } from "../act.ts";
import { formatJson, makeStoreCommand, nameInput, runOnStore } from "../administration.ts";
import { type FlagKinds, parseArguments, readForm, STORE_OR_GATEWAY, UsageError } from "../arguments.ts";
import type { Address, Ask } from "../gateway/ask.ts";
import { type Asking, makeAsking } from "../gateway/gateway.ts";
import { findId, MEMBER_NAMING, type Naming } from "../gateway/names.ts";
import { type NamedField, nameRows, type ShowName } from "../gateway/row-names.ts";
import { chooseScreen, formatTable, type Narrowing, WIDE, WIDE_HELP } from "../table.ts";
import { formatCsv } from "./csv.ts";
import { followRows } from "./follow.ts";
import { readGroupWords } from "./group-words.ts";
import { MOMENT_WORDS, readMoments } from "./moments.ts";

type Cells = readonly (string | number | null | undefined)[];

export interface PrintedRows {
  readonly rows: readonly object[];
  /** The table: its head, then a line for each row. */
  readonly cells: readonly Cells[];
  /** A line on standard error. */
  readonly note?: string | null;
}

type LogCommandParts = AdminWorld & Pick<UsageParts, "dayRules" | "keepMs" | "providerNames">;

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
  readonly here: (parts: LogCommandParts, query: Static<Query>) => Promise<Answer>;
  /** The fields whose ids the table shows by their names. */
  readonly shownNames?: (query: Static<Query>) => readonly NamedField[];
  readonly print: (answer: Answer, query: Static<Query>, showName: ShowName) => PrintedRows;
  /** Returns what only a running gateway knows, as lines on standard error. Null for nothing. */
  readonly remark?: (ask: Asking) => Promise<string | null>;
  /** True if rows come one by one, so that they can be followed. */
  readonly follows?: boolean;
  /** The values of flags that aren't given. */
  readonly defaults?: FlagValues;
  /** Returns the line above the table that says what it is of. */
  readonly title?: (answer: Answer) => string;
  /** The sentence for a table without rows. */
  readonly nothing: string;
  readonly narrowing: Narrowing;
}

const FORMS = { json: "switch", csv: "switch", ...WIDE } as const;

/** Makes a command with a flag for each field of the query: `--key-id` for `key_id`. */
export function makeLogCommand<Query extends TObject, Answer>(command: LogCommand<Query, Answer>) {
  const { query, follows = false } = command;
  const help = writeHelp(command);
  const flags = Object.keys(query.properties).map(nameFlag);
  const values = Object.fromEntries(flags.map((flag) => [flag, "value"] as const));
  const switches: FlagKinds = follows ? { ...FORMS, follow: "switch" } : FORMS;
  return makeStoreCommand((args, io, open, settings, gateway = null) =>
    runOnStore(help, args, io, open, async (openAs) => {
      const words = parseArguments(args, { ...values, ...switches }, 0);
      const form = readForm(words);
      const ask = makeAsking(gateway, async () => actAs(await openAs("find"), makeCommandAct(help, "")));
      const given = {
        ...command.defaults,
        ...readGroupWords(
          Object.fromEntries([...words.values].map(([flag, value]) => [flag.replaceAll("-", "_"), value])),
        ),
      };
      const isFollowed = words.switches.has("follow");
      if (isFollowed && form === "csv") throw new UsageError("--follow and --csv exclude each other");
      const run = isFollowed ? followLog : printLog;
      await run(command, { ask, settings, form, io: chooseScreen(io, words), given }).catch(
        (error: unknown) =>
          Promise.reject(
            nameInput(
              error,
              flags.map((flag) => `--${flag}`),
            ),
          ),
      );
    }),
  );
}

type FlagValues = Readonly<Record<string, string>>;

interface LogCall {
  readonly ask: Asking;
  readonly settings: StoreSettings;
  readonly form: "json" | "csv" | null;
  readonly io: Io;
  readonly given: FlagValues;
}

async function printLog<Query extends TObject, Answer>(command: LogCommand<Query, Answer>, call: LogCall) {
  const { form, io } = call;
  const { rows, cells, note, title } = await readRows(command, call, await readGiven(command, call));
  if (form === "json") io.out(formatJson(rows));
  else if (form === "csv") io.out(formatCsv(rows));
  else {
    if (title !== null) io.out(title);
    if (rows.length === 0) io.err(command.nothing);
    else io.out(formatTable(cells, io, command.narrowing));
  }
  if (note) io.err(note);
  const remark = (await command.remark?.(call.ask)) ?? null;
  if (remark !== null) io.err(remark);
}

async function followLog<Query extends TObject, Answer>(command: LogCommand<Query, Answer>, call: LogCall) {
  const table = call.form === "json" ? null : command.narrowing;
  await followRows(call.io, table, await readGiven(command, call), async (filters) => {
    const { rows, cells, note } = await readRows(command, call, filters);
    return { rows: rows.map((row) => ({ id: "", ...row })), cells, hasMore: Boolean(note) };
  });
}

/** Returns the flags' values with dates for words and ids for names. */
async function readGiven<Query extends TObject, Answer>(
  { query, named = NAMED }: LogCommand<Query, Answer>,
  { ask, settings, given }: LogCall,
): Promise<FlagValues> {
  const dated = await readMoments(ask, settings.quota, given);
  readQuery(query, dated);
  return findNames(ask, named, dated);
}

async function readRows<Query extends TObject, Answer>(
  { query, address, read, here, print, shownNames, title }: LogCommand<Query, Answer>,
  { ask, settings, form }: LogCall,
  flags: FlagValues,
): Promise<PrintedRows & { readonly cells: readonly (readonly string[])[]; readonly title: string | null }> {
  const sound = readQuery(query, flags);
  const answer = await ask({
    ...address(sound),
    read,
    here: (world) => here(makeParts(world, settings), sound),
  });
  const { rows } = print(answer, sound, String);
  const fields = form === null ? (shownNames?.(sound) ?? []) : [];
  const printed = print(answer, sound, await nameRows(ask, rows, fields));
  const lines = printed.cells.map((line) => line.map((cell) => String(cell ?? "-")));
  return { ...printed, cells: lines, title: title?.(answer) ?? null };
}

function makeParts(world: AdminWorld, { quota, log, providers }: StoreSettings): LogCommandParts {
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

type HelpParts = Pick<
  LogCommand<TObject, unknown>,
  "name" | "about" | "query" | "examples" | "named" | "follows"
>;

const FOLLOW = "  --follow                  go on with those that end from now, until you press Ctrl-C\n";

const LINE_LENGTH = 118;
const VALUE_INDENT = 26;

function writeHelp({ name, about, query, examples, named = NAMED, follows = false }: HelpParts): string {
  const fields = Object.entries(query.properties);
  // `key_id` is another name of `key`.
  const shown = fields.filter(([field]) => !fields.some(([other]) => field === `${other}_id`));
  return `usage: poundkey ${name} [filters] [--wide | --json | --csv]

${wrapWords(`${about} With filters, only those that match all of them:`, "")}

${shown.map(([field, schema]) => describeFilter(`--${nameFlag(field)}`, schema, field in named)).join("\n")}

${follows ? FOLLOW : ""}${WIDE_HELP}
  --json                    print JSON
  --csv                     print CSV
${STORE_OR_GATEWAY}

examples:
${examples.map((flags) => `  poundkey ${name} ${flags}`).join("\n")}`;
}

const MOMENT = `${momentSchema.expected}, a date, or ${MOMENT_WORDS}`;

/** Says what the filter matches, or names the values that it takes. */
function describeFilter(flag: string, schema: TSchema, isNamed: boolean): string {
  const { enum: words, description, expected, minimum, maximum } = schema;
  const range = minimum === undefined ? "" : `a number from ${minimum} to ${maximum}`;
  const values: string = Array.isArray(words)
    ? `one of ${words.join(", ")}`
    : ((isNamed ? `${description}, or the name` : description) ??
      (expected === momentSchema.expected ? MOMENT : expected) ??
      range);
  return wrapWords(`  ${flag.padEnd(VALUE_INDENT - 2)}${values}`, " ".repeat(VALUE_INDENT)).trimEnd();
}

function wrapWords(line: string, indent: string): string {
  if (line.length <= LINE_LENGTH) return line;
  const end = line.lastIndexOf(" ", LINE_LENGTH);
  return `${line.slice(0, end)}\n${wrapWords(indent + line.slice(end + 1), indent)}`;
}
