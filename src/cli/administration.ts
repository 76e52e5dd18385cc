// The common parts of the commands on the store: they choose the action, open the store only for a well-formed call, and format the result.
import { parseArgs } from "node:util";
import type { Listed } from "../admin/list.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Opening } from "../app/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { Fault } from "../core/fault.ts";
import { UsageError } from "./arguments.ts";

export interface Opened {
  readonly world: AdminWorld;
  readonly close: () => Promise<void>;
}

export type Open = (opening: Opening) => Promise<Opened>;

export interface Call {
  /** The arguments after the action's name. */
  readonly args: string[];
  readonly io: Io;
  /** Opens the store. To be called only once the arguments have been checked. */
  readonly open: () => Promise<AdminWorld>;
}

export interface Command {
  readonly help: string;
  readonly actions: Readonly<Record<string, (call: Call) => Promise<void>>>;
  /** The actions that make a store if there is none. All others then fail. */
  readonly makes: readonly string[];
}

/** Runs one action of a command and returns the exit code. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  io: Io,
  open: Open,
): Promise<number> {
  const [name = "", ...rest] = args;
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    io.out(command.help);
    return EXIT.done;
  }
  return runOnStore(command.help, io, open, async (openAs) => {
    const action = Object.hasOwn(command.actions, name) ? command.actions[name] : undefined;
    if (action === undefined)
      throw new UsageError(`expected one of: ${Object.keys(command.actions).join(", ")}`);
    await action({ args: rest, io, open: () => openAs(command.makes.includes(name) ? "make" : "find") });
  });
}

/** Runs a task that may open the store, and closes it. Returns the exit code. */
export async function runOnStore(
  help: string,
  io: Io,
  open: Open,
  task: (open: (opening: Opening) => Promise<AdminWorld>) => Promise<void>,
): Promise<number> {
  const opened: Opened[] = [];
  try {
    await task(async (opening) => {
      const store = await open(opening);
      opened.push(store);
      return store.world;
    });
    return EXIT.done;
  } catch (error) {
    return report(error, help, io);
  } finally {
    for (const store of opened) await store.close();
  }
}

/** Prints the error and returns the exit code. The command's help follows if the usage was wrong. */
export function report(error: unknown, help: string, io: Io): number {
  const message = describeError(error);
  if (!isUsage(error)) {
    io.err(`poundkey: ${message}`);
    return EXIT.failed;
  }
  io.err(`poundkey: ${message}\n\n${help}`);
  return EXIT.usage;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMissing = "code" in error && error.code === "ENOENT" && "path" in error;
  return isMissing ? `${error.path}: there is no such file` : error.message;
}

/** True if the arguments are at fault: also for a value that the use case refused, or an option that `parseArgs` did. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  if (error instanceof Fault) return error.row.status === 400;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

export function requireOne(positionals: readonly string[], what: string): string {
  const [value, ...more] = positionals;
  if (value !== undefined && more.length === 0) return value;
  throw new UsageError(`expected ${what}`);
}

interface PrintedList<View> {
  readonly list: (world: AdminWorld, query: { after?: string }) => Promise<Listed<View>>;
  readonly columns: readonly string[];
  readonly formatCells: (view: View) => readonly string[];
}

/** Runs the action `list`: prints all rows as a table, or with `--json` as JSON. */
export async function printList<View>(
  { args, io, open }: Call,
  { list, columns, formatCells }: PrintedList<View>,
): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean" } } });
  const views = await readAll(await open(), list);
  io.out(values.json ? formatJson(views) : formatTable([columns, ...views.map(formatCells)]));
}

async function readAll<View>(world: AdminWorld, list: PrintedList<View>["list"]): Promise<readonly View[]> {
  const rows: View[] = [];
  let after: string | null = null;
  do {
    const page: Listed<View> = await list(world, after === null ? {} : { after });
    rows.push(...page.data);
    after = page.next;
  } while (after !== null);
  return rows;
}

/** Aligns the cells in columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function formatJson(data: unknown): string {
  return JSON.stringify(data, null, 2);
}
