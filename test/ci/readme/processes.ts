// Commands as a terminal runs them: each in a process group of its own, that Ctrl-C reaches as a whole, and none is left.
import { closeSync, openSync, readFileSync } from "node:fs";
import { listGroup } from "../../runner/processes.ts";

const LOOK_EVERY_MS = 50;
/** The time from Ctrl-C to the end: a gateway gives its streams some seconds, and npm waits for it. */
const END_MS = 30_000;
/** A process that a command leaves has so long to end by itself. */
export const LEFT_MS = 10_000;
const INTERRUPTED = 130;

function sendGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended.
  }
}

/** Waits for a condition. Returns false if it doesn't hold within the time. */
export async function waitUntil(
  holds: () => boolean,
  withinMs: number,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > endMs) return false;
    await Bun.sleep(everyMs);
  }
  return true;
}

export interface Running {
  /** Returns all that it has printed, in the order in which it did. */
  read(): string;
  /** Its exit code, as a shell counts it; null while it runs. */
  code(): number | null;
  /** Sends Ctrl-C to the whole group. Returns why it doesn't end well; null if it does. */
  interrupt(): Promise<string | null>;
  /** Ends what is left of it. Returns what it has left, beyond the time in which that ends by itself; null if nothing is. */
  finish(): Promise<string | null>;
}

export function startCommand(
  words: readonly string[],
  { cwd, env, log }: { readonly cwd: string; readonly env: Record<string, string>; readonly log: string },
): Running {
  const file = openSync(log, "w");
  const child = Bun.spawn([...words], {
    cwd,
    env,
    stdin: "ignore",
    stdout: file,
    stderr: file,
    detached: true,
  });
  closeSync(file);
  const code = () => (child.signalCode === "SIGINT" ? INTERRUPTED : child.signalCode ? 1 : child.exitCode);
  const isGone = () => listGroup(child.pid).length === 0;
  return {
    read: () => readFileSync(log, "utf8"),
    code,
    async interrupt() {
      if (code() !== null) return `it ended by itself, with exit code ${code()}`;
      sendGroup(child.pid, "SIGINT");
      if (!(await waitUntil(() => code() !== null, END_MS))) return "Ctrl-C doesn't end it";
      return code() === 0 || code() === INTERRUPTED ? null : `after Ctrl-C, its exit code is ${code()}`;
    },
    async finish() {
      const isGood = code() === null || (await waitUntil(isGone, LEFT_MS));
      const left = isGood ? null : `it leaves ${listGroup(child.pid).join("; ")}`;
      if (!isGone()) sendGroup(child.pid, "SIGKILL");
      return left;
    },
  };
}
