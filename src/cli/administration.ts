// The common parts of the commands on the store: they choose the action, open the store only for a well-formed call, and format the result.

import { actAs } from "../admin/audit/audit-trail.ts";
import type { ListPage } from "../admin/list.ts";
import type { ActingWorld, AdminWorld } from "../admin/world.ts";
import type { Opening } from "../app/start/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import type { StoreSettings } from "../config/store/store-settings.ts";
import { Fault } from "../core/faults/fault.ts";
import { formatPlainUsd, toNearestNanoUsd } from "../core/money/money.ts";
import type { Settings } from "../core/settings.ts";
import { showInvisible } from "../core/text/names.ts";
import { suggest } from "../core/text/nearest.ts";
import { makeCommandAct, readCommandName } from "./act.ts";
import { type Arguments, type FlagKinds, formatUsageError, parseArguments, UsageError } from "./arguments.ts";
import type { Ask } from "./gateway/ask.ts";
import { type Asking, type Gateway, makeAsking } from "./gateway/gateway.ts";
import { listLive, type Naming } from "./gateway/names.ts";
import { type NamedField, nameRows, type ShowName } from "./gateway/row-names.ts";
import { cutHelp } from "./help.ts";
import { chooseScreen, formatTable, type Narrowing } from "./table.ts";

export type Open = (opening: Opening) => Promise<AdminWorld>;

/** `gateway` is the one that was named. Then nothing opens a store. */
type StoreCommand<Given> = (
  args: readonly string[],
  io: Io,
  open: Open,
  settings: Given,
  gateway?: Gateway | null,
) => Promise<number>;

/** A command that needs the whole configuration, and beside a file with mistakes fails. */
export interface Administration extends StoreCommand<Settings> {
  /** Returns the command for arguments that ask for something that only needs the store, and null for others. */
  readonly findStoreCommand?: (args: readonly string[]) => StoreCommand<StoreSettings> | null;
}

/** Makes a command that works on the store alone, and so beside a file with mistakes elsewhere too. */
export function makeStoreCommand(run: StoreCommand<StoreSettings>): Administration {
  const command: StoreCommand<Settings> = (...given) => run(...given);
  return Object.assign(command, { findStoreCommand: () => run });
}

/** The arguments and tools of an action on the store. */
export interface StoreCall extends Arguments {
  readonly io: Io;
  readonly isJson: boolean;
  readonly settings: StoreSettings;
  /**
   * Opens the store, for changes on record as the command's. To be called only once the arguments have been checked. Throws
   * a UsageError if a gateway was named, so an action that calls it works on a store alone.
   */
  readonly open: () => Promise<ActingWorld>;
  /** Asks the gateway that was named, or else opens the store and does it there. */
  readonly ask: Asking;
  readonly gateway: Gateway | null;
}

export interface Call extends StoreCall {
  readonly settings: Settings;
}

interface CommandUsage {
  readonly flags?: FlagKinds;
  /** The names of the words besides flags. Missing if there are none. */
  readonly words?: readonly string[];
  /** If missing, the action fails if there is no store. */
  readonly opening?: Opening;
}

/** Its result may not depend on the rest of the configuration if it only needs the store. */
type CommandAction = CommandUsage &
  (
    | { readonly needs: "store"; readonly run: (call: StoreCall) => Promise<void> }
    | { readonly needs?: "configuration"; readonly run: (call: Call) => Promise<void> }
  );

/** Makes a command that runs the action named by its first argument, and returns the exit code. */
export function makeCommand(help: string, actions: Readonly<Record<string, CommandAction>>): Administration {
  const find = (name = "") => (Object.hasOwn(actions, name) ? actions[name] : undefined);
  const begin: Begin = (perform, { args, io, open, gateway = null }) => {
    const [name = "", ...rest] = args;
    const action = find(name);
    const shown = action === undefined ? help : cutToAction(help, name, action);
    return runOnStore(shown, args, io, open, async (openAs) => {
      if (action === undefined) throw new UsageError(describeUnknown(name, Object.keys(actions)));
      const { flags = {}, words = [], opening = "find" } = action;
      const given = parseArguments(rest, { json: "switch", ...flags }, words.length);
      const stopsOlder = given.switches.has("stop-older");
      const act = makeCommandAct(help, name, stopsOlder);
      const openActing = async () => actAs(await openAs(opening), act);
      const ask = makeAsking(gateway, openActing, stopsOlder);
      const isJson = given.switches.has("json");
      const call = { ...given, isJson, io: chooseScreen(io, given), open: openActing, ask, gateway };
      const inputs = [...Object.keys(flags).map((flag) => `--${flag}`), ...words];
      await perform(action, call).catch((error: unknown) => Promise.reject(nameInput(error, inputs)));
    });
  };
  const command: StoreCommand<Settings> = (args, io, open, settings, gateway = null) =>
    begin((action, call) => action.run({ ...call, settings }), { args, io, open, gateway });
  const findStoreCommand = ([name]: readonly string[]): StoreCommand<StoreSettings> | null => {
    const action = find(name);
    if (action?.needs !== "store") return null;
    return (args, io, open, settings) =>
      begin((_, call) => action.run({ ...call, settings }), { args, io, open });
  };
  return Object.assign(command, { findStoreCommand });
}

interface CommandRun {
  readonly args: readonly string[];
  readonly io: Io;
  readonly open: Open;
  readonly gateway?: Gateway | null;
}

type Begin = (
  perform: (action: CommandAction, call: Omit<StoreCall, "settings">) => Promise<void>,
  run: CommandRun,
) => Promise<number>;

function cutToAction(help: string, name: string, { flags = {}, words = [] }: CommandUsage): string {
  return cutHelp(help, { name: `${readCommandName(help)} ${name}`, flags: Object.keys(flags), words });
}

function describeUnknown(name: string, actions: readonly string[]): string {
  const expected = `expected one of: ${actions.join(", ")}`;
  if (name === "") return expected;
  return `unknown action '${name}'${suggest(name, actions) || `; ${expected}`}`;
}

/** Returns a use case's refusal of a field under the name of the flag or word that set it. */
export function nameInput(error: unknown, inputs: readonly string[]): unknown {
  const param = error instanceof Fault ? error.details.param : null;
  if (!(error instanceof Fault) || !param || error.row.status !== 400) return error;
  // A field is called after its flag, with more words: `allowed_models[0]` for `--models`, `budgets[0].models` for
  // `--budget`.
  const listWords = (text: string): readonly string[] =>
    (text.toLowerCase().match(/[a-z]+/g) ?? []).map((word) => word.replace(/s$/, ""));
  const [top = ""] = param.split(/[.[]/);
  const field = listWords(top);
  const input = inputs.find((one) => listWords(one).every((word) => field.includes(word)));
  return input === undefined ? error : new UsageError(error.message.replace(`'${param}'`, input));
}

/** Prints the help if asked to. Otherwise runs a task that may open the store, and closes it. Returns the exit code. */
export async function runOnStore(
  help: string,
  args: readonly string[],
  io: Io,
  open: Open,
  task: (open: Open) => Promise<void>,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    io.out(help);
    return EXIT.done;
  }
  const opened: AdminWorld[] = [];
  try {
    await task(async (opening) => {
      const world = await open(opening);
      opened.push(world);
      return world;
    });
    return EXIT.done;
  } catch (error) {
    return report(error, help, io);
  } finally {
    for (const { store } of opened) await store.close();
  }
}

/** Prints the error and returns the exit code. A value that the use case refused is wrong usage too. */
function report(error: unknown, help: string, io: Io): number {
  const message = describeError(error);
  const isUsage = error instanceof UsageError || (error instanceof Fault && error.row.status === 400);
  io.err(isUsage ? formatUsageError(readCommandName(help), message) : `poundkey: ${message}`);
  return isUsage ? EXIT.usage : EXIT.failed;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMissing = "code" in error && error.code === "ENOENT" && "path" in error;
  return isMissing ? `${error.path}: there is no such file` : error.message;
}

export function requireOne(positionals: readonly string[], what: string): string {
  const [value] = positionals;
  if (value !== undefined) return value;
  throw new UsageError(`expected ${what}`);
}

interface PrintedList<View> extends Narrowing {
  /** The sentence for a list without rows. */
  readonly nothing: string;
  /** Asks for the page after this one's end. */
  readonly askPage: (after: string | undefined) => Ask<ListPage<View>>;
  readonly columns: readonly string[];
  /** The fields whose ids are shown by their names. */
  readonly named?: readonly NamedField[];
  readonly formatCells: (view: View, showName: ShowName) => readonly string[];
}

/** Runs the action `list`: prints all rows as a table, or with `--json` as JSON. */
export async function printList<View extends object>(
  { isJson, io, ask }: Pick<StoreCall, "isJson" | "io" | "ask">,
  { askPage, columns, named = [], formatCells, nothing, ...narrowing }: PrintedList<View>,
): Promise<void> {
  const views = await readAll(ask, askPage);
  if (views.length === 0 && !isJson) return io.err(nothing);
  const showName = isJson ? String : await nameRows(ask, views, named);
  const cells = views.map((view) => formatCells(view, showName));
  io.out(isJson ? formatJson(views) : formatTable([columns, ...cells], io, narrowing));
}

/** Warns of another one that hasn't ended and has the same name: commands then take the id alone. */
export async function warnOfNamesake(
  { io, ask }: Pick<StoreCall, "io" | "ask">,
  naming: Naming,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  // The right to make one isn't the right to list them.
  const named = await listLive(ask, naming, name).catch(() => []);
  const other = named.find((one) => one.id !== id);
  if (other === undefined) return;
  io.err(
    `warning: another ${naming.word} has this name, such as ${other.id}; give the id where one is meant`,
  );
}

async function readAll<View>(ask: Asking, askPage: PrintedList<View>["askPage"]): Promise<readonly View[]> {
  const rows: View[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await ask(askPage(after));
    rows.push(...page.data);
    if (page.next === null) return rows;
    after = page.next;
  }
}

/** Returns an amount exact to a billionth. */
export function formatUsd(usd: number): string {
  return formatPlainUsd(toNearestNanoUsd(usd));
}

/** Escapes whatever a terminal would obey or turn around, as JSON may have it. */
export function formatJson(data: unknown): string {
  return JSON.stringify(data, null, 2).split("\n").map(showInvisible).join("\n");
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
