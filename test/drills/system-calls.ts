// The system calls of a process by strace, between marks that it makes itself.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../whole/world/until.ts";
import type { Request } from "./costs.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";

/** Their number depends on the machine: how threads wake each other, and how memory is returned. */
const UNSTEADY = new Set([
  "futex",
  "madvise",
  "epoll_pwait2",
  "epoll_wait",
  "sched_yield",
  "restart_syscall",
]);
const ROUNDS = 4;
const MARK = /"\/ruler\/([^"]*)"/;
const CALL = /^\d+ +(\w+)\(/;

/** Returns the system calls per request, by the request's name. A text says why there are none. */
export async function countSystemCalls(
  gateway: MeasuredGateway,
  requests: readonly Request[],
): Promise<ReadonlyMap<string, number> | string> {
  if (Bun.which("strace") === null) return "strace is not installed";
  const folder = mkdtempSync(join(tmpdir(), "poundkey-strace-"));
  const file = join(folder, "trace");
  const child = Bun.spawn(["strace", "-f", "-qq", "-o", file, "-p", String(gateway.pid)], {
    stdout: "ignore",
    stderr: "pipe",
  });
  try {
    const isOver = child.exited.then(async () => (await new Response(child.stderr).text()).trim());
    const begun = until("strace is attached", async () => {
      await gateway.ask("mark", "ready");
      return existsSync(file) && readFileSync(file, "utf8").includes("/ruler/ready");
    });
    const refusal = await Promise.race([isOver, begun.then(() => null)]);
    if (refusal !== null) return `strace can't be used: ${refusal}`;
    for (let round = 0; round < ROUNDS; round++)
      for (const { name, count, send } of requests) {
        await gateway.ask("mark", `${round} ${name}`);
        for (let sent = 0; sent < count; sent++) await send();
        await gateway.ask("mark", "");
      }
    child.kill("SIGINT");
    await child.exited;
    return divide(readTrace(readFileSync(file, "utf8")), requests);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the calls after each mark. */
function readTrace(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let mark = "";
  for (const line of text.split("\n")) {
    const call = CALL.exec(line)?.[1];
    mark = MARK.exec(line)?.[1] ?? mark;
    if (call !== undefined && !UNSTEADY.has(call)) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return counts;
}

/** Returns the fewest of all rounds, per request: the first pages of the store's log take more writes, and upkeep adds some. */
function divide(counts: ReadonlyMap<string, number>, requests: readonly Request[]) {
  const rounds = [...Array(ROUNDS).keys()];
  return new Map(
    requests.map(({ name, count }) => {
      const all = rounds.map((round) => counts.get(`${round} ${name}`) ?? Number.NaN);
      return [name, Math.round(Math.min(...all) / count)] as const;
    }),
  );
}
