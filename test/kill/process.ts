// `poundkey serve` as a process to be killed: the built binary, the sources, or a copy of them.
import { openSync } from "node:fs";
import { join } from "node:path";

const START_MS = 60_000;

/** The words that start the program, before the name of its own command. */
export type Program = readonly string[];

/** The program from the sources in a folder. */
export function findProgram(folder: string): Program {
  return [process.execPath, join(folder, "src", "main.ts")];
}

export interface Victim {
  readonly pid: number;
  /** Its address. Rejects if it ends before it listens. */
  readonly listens: Promise<string>;
  readonly exited: Promise<number>;
  signal(name: NodeJS.Signals): void;
}

/** Starts the gateway in a folder, and writes its log to a file there. */
export function startVictim(
  program: Program,
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Victim {
  const child = Bun.spawn([...program, "serve"], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: openSync(join(directory, "gateway.log"), "a"),
    stderr: "pipe",
  });
  const startTimer = setTimeout(() => child.kill("SIGKILL"), START_MS);
  const listens = addressIn(child.stderr).finally(() => clearTimeout(startTimer));
  // A process killed before it listens never prints its address. This rejection is expected.
  listens.catch(() => {});
  return { pid: child.pid, listens, exited: child.exited, signal: (name) => child.kill(name) };
}

/** Reads on after the address, because the gateway couldn't write to a pipe that isn't read. */
function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of output) {
      text += decoder.decode(bytes, { stream: true });
      const url = /listens on (http:\S+)/.exec(text)?.[1];
      if (url) resolve(url);
    }
    reject(new Error(`The gateway ended before it listened: ${text}`));
  };
  read().catch(reject);
  return promise;
}

/** Runs another command of the program in a folder. Returns its exit code and output. */
export async function runCommand(
  program: Program,
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const child = Bun.spawn([...program, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, text: texts.join("").trim() };
}
