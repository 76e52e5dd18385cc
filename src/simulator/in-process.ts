// Answers calls of the simulated providers in this process: no connection is opened, and the caller says how time passes.
import { parseJson } from "../core/json/json.ts";
import type { Fetch } from "../core/world/world.ts";
import { findDialect } from "./dialects.ts";
import type { Step } from "./fault-injection.ts";
import { readForm } from "./media.ts";
import { writeScript } from "./script.ts";

interface InProcessParts {
  /** The seed of all ids. */
  readonly seed: number;
  readonly nowMs: () => number;
  /** Waits, or only moves a clock. */
  readonly wait: (ms: number) => void | Promise<void>;
}

/** Nothing listens there: a real connection to it is refused. */
export const IN_PROCESS_URL = "http://127.0.0.1:9";

/** Returns a `fetch` that the simulator answers, for any host. */
export function createInProcessSimulator({ seed, nowMs, wait }: InProcessParts): Fetch {
  const counts = new Map<string, number>();
  const countEarlier = (what: string) => {
    const before = counts.get(what) ?? 0;
    counts.set(what, before + 1);
    return before;
  };
  return async (url, init) => {
    const { pathname, searchParams: query } = new URL(url);
    const dialect = findDialect(pathname);
    if (dialect === undefined)
      return Response.json({ error: { message: "No such route." } }, { status: 404 });
    const headers = Object.fromEntries(new Headers(init.headers));
    const bodyText = await readText(init.body);
    const script = writeScript(
      dialect,
      {
        method: init.method ?? "GET",
        path: pathname.slice(dialect.prefix.length),
        query,
        headers,
        bodyText,
        body: readForm(headers["content-type"] ?? "", bodyText) ?? parseJson(bodyText),
      },
      { nowMs: nowMs(), seed: BigInt(seed), trapUrl: IN_PROCESS_URL, countEarlier, hooks: {} },
    );
    await wait(script.latencyMs);
    init.signal?.throwIfAborted();
    if (script.head === null) throw new TypeError("The connection was reset.");
    return new Response(streamSteps(script.steps[Symbol.iterator](), wait, init.signal), script.head);
  };
}

async function readText(body: RequestInit["body"]): Promise<string> {
  if (typeof body === "string") return body;
  return body === null || body === undefined ? "" : new Response(body).text();
}

/** Each read gets what is written until the next wait. Nothing runs ahead of the reader. */
function streamSteps(
  steps: Iterator<Step>,
  wait: InProcessParts["wait"],
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let paused: Step | null = null;
  const gather = (): readonly Uint8Array[] => {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const next = steps.next();
      paused = next.done ? null : next.value;
      if (next.done || next.value.do !== "write") return pieces;
      const { data } = next.value;
      pieces.push(typeof data === "string" ? encoder.encode(data) : data);
    }
  };
  return new ReadableStream(
    {
      async pull(controller) {
        if (paused !== null) await pass(paused, wait, signal);
        const pieces = gather();
        for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
        if (paused === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

async function pass(
  step: Step,
  wait: InProcessParts["wait"],
  signal: AbortSignal | null | undefined,
): Promise<void> {
  if (step.do === "wait") return wait(step.ms);
  if (step.do === "hang") await waitForAbort(signal);
  throw new TypeError("The connection was closed.");
}

function waitForAbort(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
}
