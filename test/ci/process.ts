// Runs a command in a process group of its own, with a time limit, and measures the processor time of it and its children.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { own } from "../runner/orphans.ts";

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

/** Longer than a run of tests takes to end what it has started. */
const GRACE_MS = 4_000;

/** Ends the command and what it has started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

let isClosed = false;

/** From then on no command is started, and none returns: the run is interrupted. */
export function closeCommands(): void {
  isClosed = true;
}

export async function runCommand(command: readonly string[], limits: Limits): Promise<Ran> {
  if (isClosed) return new Promise(() => {});
  const { cwd, minutes, env, isLow = false } = limits;
  const folder = mkdtempSync(join(tmpdir(), "poundkey-ci-"));
  const path = join(folder, "log");
  const log = openSync(path, "a");
  const startedMs = performance.now();
  const before = isLow && Bun.which("nice") ? ["nice", "-n", "19"] : [];
  const child = own(
    Bun.spawn([...before, ...command], {
      cwd,
      env: { ...process.env, ...env },
      stdin: "ignore",
      stdout: log,
      stderr: log,
      detached: true,
    }),
  );
  let isLate = false;
  const endLate = async () => {
    isLate = true;
    // A run of tests ends what it has started, outside its group, too.
    child.kill("SIGTERM");
    await Promise.race([child.exited, Bun.sleep(GRACE_MS)]);
    endGroup(child.pid);
  };
  const limit = setTimeout(() => void endLate(), minutes * 60_000);
  const code = await child.exited;
  if (isClosed) return new Promise(() => {});
  clearTimeout(limit);
  endGroup(child.pid);
  closeSync(log);
  const said = readFileSync(path, "utf8");
  rmSync(folder, { recursive: true, force: true });
  const text = isLate ? `${said}\nerror: ended after ${minutes} minutes` : said;
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  return { code: isLate ? 1 : code, text, seconds: (performance.now() - startedMs) / 1000, cpu };
}
