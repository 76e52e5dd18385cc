// The command line as a separate process: the built binary where there is one, else the sources.
import { join } from "node:path";
import { BINARY } from "./harness.ts";

const COMMAND = BINARY ? [BINARY] : [process.execPath, join(import.meta.dir, "..", "src", "main.ts")];

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in a folder, with nothing in its environment but what is given. */
export async function poundkey(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = Bun.spawn([...COMMAND, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}
