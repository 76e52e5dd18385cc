// A slow machine without load: a command whose processes are stopped and continued in turn.

/** A quarter of a core. */
const RUNNING_MS = 50;
const STOPPED_MS = 150;

interface SlowRun {
  /** Null if it was ended because it took too long. */
  readonly exitCode: number | null;
  readonly output: string;
}

interface Command {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** Signals a group of processes. Returns false once it is gone. */
function signal(group: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

/** Runs a command with a quarter of a core's time, for at most `limitMs`. Processes that make a group of their own aren't slowed. */
export async function runSlowly({ command, cwd, env, limitMs }: Command): Promise<SlowRun> {
  const child = Bun.spawn([...command], { cwd, env, stdout: "pipe", stderr: "pipe", detached: true });
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const beganMs = performance.now();
  let isLate = false;
  while (child.exitCode === null && child.signalCode === null && !isLate) {
    await Promise.race([child.exited, Bun.sleep(RUNNING_MS)]);
    if (signal(child.pid, "SIGSTOP")) await Bun.sleep(STOPPED_MS);
    signal(child.pid, "SIGCONT");
    isLate = performance.now() - beganMs > limitMs;
  }
  // Also what a test has left behind, which would keep the output open.
  signal(child.pid, "SIGKILL");
  const exitCode = await child.exited;
  return { exitCode: isLate ? null : exitCode, output: (await texts).join("") };
}
