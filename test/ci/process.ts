// Runs a command in a process group of its own, with a time limit, and measures the processor time of it and its children.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Ran {
  readonly code: number;
  /** All that it printed, in the order in which it did. */
  readonly text: string;
  readonly seconds: number;
  /** Seconds of it and the children that it waited for. */
  readonly cpu: number;
}

interface Limits {
  readonly cwd: string;
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs it when nothing else wants the processor. */
  readonly isLow?: boolean;
}

const running = new Set<number>();

/** Ends the command and what it has started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

/** Ends all commands, for a run that is given up. */
export function endAll(): void {
  for (const pid of running) endGroup(pid);
}

export async function runCommand(command: readonly string[], limits: Limits): Promise<Ran> {
  const { cwd, minutes, env, isLow = false } = limits;
  const folder = mkdtempSync(join(tmpdir(), "poundkey-ci-"));
  const path = join(folder, "log");
  const log = openSync(path, "a");
  const startedMs = performance.now();
  const before = isLow && Bun.which("nice") ? ["nice", "-n", "19"] : [];
  const child = Bun.spawn([...before, ...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: log,
    stderr: log,
    detached: true,
  });
  running.add(child.pid);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, minutes * 60_000);
  const code = await child.exited;
  clearTimeout(limit);
  running.delete(child.pid);
  endGroup(child.pid);
  closeSync(log);
  const said = readFileSync(path, "utf8");
  rmSync(folder, { recursive: true, force: true });
  const text = isLate ? `${said}\nerror: ended after ${minutes} minutes` : said;
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  return { code: isLate ? 1 : code, text, seconds: (performance.now() - startedMs) / 1000, cpu };
}
