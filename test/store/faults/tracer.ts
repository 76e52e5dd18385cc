// `strace` attached to another process.
import { readdirSync, readFileSync } from "node:fs";
import { LONG_MS } from "../../harness/serve-process.ts";
import { until } from "../../whole/world/until.ts";

/** Traces all threads of the process with these options. Resolves once it does; the returned function ends it. */
export async function trace(pid: number, ...options: readonly string[]): Promise<() => Promise<void>> {
  const command = ["strace", "-f", "-p", String(pid), ...options];
  const tracer = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  await until("all threads are traced", () => tracer.exitCode !== null || areTraced(pid), LONG_MS);
  if (tracer.exitCode !== null) throw new Error(`strace ended with exit code ${tracer.exitCode}`);
  return async () => {
    tracer.kill("SIGTERM");
    await tracer.exited;
  };
}

function areTraced(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every(
    (task) => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")),
  );
}

/** True if a tracer is installed and may trace another process. */
export async function canTrace(): Promise<boolean> {
  if (!Bun.which("strace")) return false;
  const sleeper = Bun.spawn(["sleep", "60"]);
  try {
    const stop = await trace(sleeper.pid);
    await stop();
    return true;
  } catch {
    return false;
  } finally {
    sleeper.kill("SIGKILL");
  }
}
