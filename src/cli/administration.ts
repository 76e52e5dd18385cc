// The common parts of the administrative commands: choosing the action, opening the store only for a well-formed call, exit codes, tables.
import type { Listed } from "../admin/list.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { Opening } from "../app/open-store.ts";
import { EXIT, type Io } from "../app/terminal.ts";
import { Fault } from "../core/fault.ts";

export interface Opened {
  readonly world: AdminWorld;
  readonly close: () => Promise<void>;
}

export type Open = (opening: Opening) => Promise<Opened>;

export interface Call {
  /** The arguments behind the action's name. */
  readonly args: string[];
  readonly io: Io;
  /** Opens the store; call it once the arguments are known to be good. */
  readonly open: () => Promise<AdminWorld>;
}

export interface Command {
  readonly help: string;
  readonly actions: Readonly<Record<string, (call: Call) => Promise<void>>>;
  /** The actions that make the store where there is none: all others fail there. */
  readonly makes: readonly string[];
}

/** The call makes no sense as it was written. */
export class UsageError extends Error {}

/** Runs one action of a command and gives the exit code. */
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
  const opened: Opened[] = [];
  const openOnce = async () => {
    const store = await open(command.makes.includes(name) ? "make" : "find");
    opened.push(store);
    return store.world;
  };
  try {
    const action = Object.hasOwn(command.actions, name) ? command.actions[name] : undefined;
    if (action === undefined)
      throw new UsageError(`expected one of: ${Object.keys(command.actions).join(", ")}`);
    await action({ args: rest, io, open: openOnce });
    return EXIT.done;
  } catch (error) {
    return report(error, command.help, io);
  } finally {
    for (const store of opened) await store.close();
  }
}

/** Tells what went wrong and gives the exit code; wrong usage is told with the command's help. */
export function report(error: unknown, help: string, io: Io): number {
  const message = error instanceof Error ? error.message : String(error);
  if (!isUsage(error)) {
    io.err(`poundkey: ${message}`);
    return EXIT.failed;
  }
  io.err(`poundkey: ${message}\n\n${help}`);
  return EXIT.usage;
}

/** A value that the use-case refused, or an option that `parseArgs` did, is wrong usage too. */
function isUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  if (error instanceof Fault) return error.row.status === 400;
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** The one positional argument of an action. */
export function requireOne(positionals: readonly string[], what: string): string {
  const [value, ...more] = positionals;
  if (value !== undefined && more.length === 0) return value;
  throw new UsageError(`expected ${what}`);
}

/** All rows of a list, page by page. */
export async function listAll<View>(
  list: (query: { after?: string }) => Promise<Listed<View>>,
): Promise<View[]> {
  const rows: View[] = [];
  let after: string | null = null;
  do {
    const page: Listed<View> = await list(after === null ? {} : { after });
    rows.push(...page.data);
    after = page.next;
  } while (after !== null);
  return rows;
}

/** Lines in columns as wide as their widest cell. */
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
