// The command line as a separate process: the built binary if there is one, else the sources.
import type { Io } from "../../src/app/terminal.ts";
import { PROGRAM } from "./program.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Starts a command in a folder, with only the given environment. `within` is a command that runs another one. */
export function startPoundkey(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
) {
  return Bun.spawn([...within, ...PROGRAM, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Starts a command, and waits for its end. */
export async function poundkey(...asked: Parameters<typeof startPoundkey>): Promise<Ran> {
  const child = startPoundkey(...asked);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** Runs a command within this process. Returns its output and exit code. */
export async function runPrinting(command: (io: Io) => number | Promise<number>): Promise<Ran> {
  const printed: { out: string[]; err: string[] } = { out: [], err: [] };
  const code = await command({
    out: (text) => void printed.out.push(text),
    err: (text) => void printed.err.push(text),
  });
  return { code, out: printed.out.join("\n"), err: printed.err.join("\n") };
}
