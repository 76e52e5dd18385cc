// The system calls of a process by strace, between marks that it makes itself.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../whole/world/until.ts";
import { holdTime, type Request } from "./costs.ts";
import type { Counts } from "./judging.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";

/** Their number depends on the machine: how threads wake each other, and how memory is returned. */
const UNSTEADY = new Set([
  "futex",
  "madvise",
  "epoll_pwait2",
  "epoll_wait",
  "sched_yield",
  "restart_syscall",
  "write",
]);
/** SQLite appends a page to its log by two of them. */
const PAGE = "pwrite64";
const CALLS_OF_PAGE = 2;
/** One in twenty or so writes as few pages as it can, by where the random ids of its rows fall. */
const REQUESTS = 100;
const MARK = /"\/ruler\/([^"]*)"/;
const CALL = /^\d+ +(\w+)\(/;

/** Returns the system calls and the pages written per request, by the request's name. A text says why there are none. */
export async function countSystemCalls(
  gateway: MeasuredGateway,
  requests: readonly Request[],
): Promise<ReadonlyMap<string, Counts> | string> {
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
    for (const request of requests)
      await holdTime(gateway, request, async () => {
        for (let sent = 0; sent < REQUESTS; sent++) {
          await gateway.ask("mark", `${request.name} ${sent}`);
          await request.send();
          await gateway.ask("mark");
        }
      });
    child.kill("SIGINT");
    await child.exited;
    const traced = readTrace(readFileSync(file, "utf8"));
    return new Map(requests.map((request) => [request.name, readCounts(traced, request)]));
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Traced {
  readonly calls: number;
  readonly pages: number;
}

/** Returns the calls behind each mark. */
function readTrace(text: string): ReadonlyMap<string, Traced> {
  const traced = new Map<string, Traced>();
  let mark = "";
  for (const line of text.split("\n")) {
    const call = CALL.exec(line)?.[1];
    mark = MARK.exec(line)?.[1] ?? mark;
    if (call === undefined || UNSTEADY.has(call)) continue;
    const { calls, pages } = traced.get(mark) ?? { calls: 0, pages: 0 };
    const page = { calls, pages: pages + 1 / CALLS_OF_PAGE };
    traced.set(mark, call === PAGE ? page : { calls: calls + 1, pages });
  }
  return traced;
}

/**
 * Returns the calls of the request in the middle, since a few meet a checkpoint, which another thread makes every 8,000 pages;
 * and the fewest pages: rows fill a page sooner or later, and the request that begins the next one writes more of them.
 */
function readCounts(traced: ReadonlyMap<string, Traced>, { name }: Request): Counts {
  const ofRequest = [...traced].filter(([mark]) => mark.startsWith(`${name} `)).map(([, counts]) => counts);
  const calls = ofRequest.map((one) => one.calls).toSorted((one, other) => one - other);
  return {
    "system calls": calls[calls.length >> 1] ?? Number.NaN,
    pages: Math.min(...ofRequest.map(({ pages }) => pages)),
  };
}
