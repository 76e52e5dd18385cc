// What others wait for while mutated interactions come in: `bun test/bench/fuzzed-interactions.ts [--bodies N] [--rate N]`, at a
// gateway from the sources. Prints the p99 of their answers beside the bodies as a ratio to that without, of rounds in turn,
// and for how long the gateway's loop worked without a break.
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startAttacked } from "../abuse/gateway.ts";
import { findProgram } from "../kill/process.ts";
import { computePercentile, shown, spread } from "./figures.ts";
import type { Order, Sent } from "./fuzzed-sender.process.ts";
import { watchPauses } from "./pauses.ts";
import { ownCpuMicros } from "./processes.ts";

const { values } = parseArgs({ options: { bodies: { type: "string" }, rate: { type: "string" } } });
const BODIES = Number(values.bodies ?? 10_000);
/** Bodies a second. */
const RATE = Number(values.rate ?? 50);
const ROUND_SECONDS = 10;
const OTHERS_RATE = 100;
const WARM_ROUNDS = 1;

let listPauses: ReturnType<typeof watchPauses> = () => [];
const gateway = await startAttacked({
  program: findProgram(join(import.meta.dir, "..", "..")),
  provider: "answers.process.ts",
  prepare: (directory) => {
    listPauses = watchPauses(directory);
  },
});
const [secret = ""] = await gateway.newAccountsKeys(1);
const [othersSecret = ""] = await gateway.newAccountsKeys(1);

let answered: (sent: Sent) => void = () => {};
let ready: () => void = () => {};
const sender = Bun.spawn([process.execPath, join(import.meta.dir, "fuzzed-sender.process.ts")], {
  env: { PATH: process.env.PATH ?? "" },
  stdout: "inherit",
  stderr: "inherit",
  ipc: (message: Sent | "ready") => (message === "ready" ? ready() : answered(message)),
});

/** The bodies exist before any of them is sent, so that making them takes nothing from the machine. */
async function prepareBodies(seed: number, count: number): Promise<() => Promise<Sent>> {
  const order: Order = { url: gateway.url, secret, seed, count, seconds: ROUND_SECONDS };
  await new Promise<void>((resolve) => {
    ready = resolve;
    sender.send(order);
  });
  return () =>
    new Promise<Sent>((resolve) => {
      answered = resolve;
      sender.send("go");
    });
}

const BODY = JSON.stringify({ model: "Local#plain", messages: [{ role: "user", content: "hello" }] });

/** Returns how long an answer took from the moment at which it was due, in milliseconds. */
async function ask(dueMs: number): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${othersSecret}`, "content-type": "application/json" },
    body: BODY,
  });
  await response.text();
  if (response.status !== 200) throw new Error(`others got ${response.status}`);
  return performance.now() - dueMs;
}

interface Phase {
  readonly times: readonly number[];
  readonly pauses: readonly number[];
  readonly cpuMs: number;
  readonly sent: Sent | null;
}

async function runPhase(work: (() => Promise<Sent>) | null): Promise<Phase> {
  const fromMs = Date.now();
  const startedMs = performance.now();
  const cpu = ownCpuMicros(gateway.pid);
  const sending = work?.() ?? null;
  const asking: Promise<number>[] = [];
  for (let at = 0; at < ROUND_SECONDS * OTHERS_RATE; at++) {
    const dueMs = startedMs + (at * 1000) / OTHERS_RATE;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    asking.push(ask(dueMs));
  }
  const times = await Promise.all(asking);
  const sent = await sending;
  const cpuMs = (ownCpuMicros(gateway.pid) - cpu) / 1000;
  return { times, pauses: listPauses(fromMs, Date.now()), cpuMs, sent };
}

const alone: Phase[] = [];
const beside: Phase[] = [];
const count = RATE * ROUND_SECONDS;
const rounds = Math.ceil(BODIES / count);
for (let round = -WARM_ROUNDS; round < rounds; round++) {
  const work = await prepareBodies((round + WARM_ROUNDS) * count + 1, count);
  // By turns first and second, so that what the machine does meanwhile meets both.
  const isFirst = round % 2 === 0;
  const one = await runPhase(isFirst ? work : null);
  const other = await runPhase(isFirst ? null : work);
  if (round < 0) continue;
  beside.push(isFirst ? one : other);
  alone.push(isFirst ? other : one);
}

const p99 = (phases: readonly Phase[]) =>
  computePercentile(
    phases.flatMap(({ times }) => times),
    0.99,
  );
const ratios = beside.map((phase, at) => p99([phase]) / p99(alone.slice(at, at + 1)));
const statuses: Record<string, number> = {};
for (const { sent } of beside)
  for (const [status, times] of Object.entries(sent?.statuses ?? {}))
    statuses[status] = (statuses[status] ?? 0) + times;
const bytes = beside.reduce((sum, { sent }) => sum + (sent?.bytes ?? 0), 0);
const sumCpu = (phases: readonly Phase[]) => phases.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
const longest = (phases: readonly Phase[]) =>
  phases
    .flatMap(({ pauses }) => pauses)
    .toSorted((one, another) => another - one)
    .slice(0, 5)
    .join(", ");

console.log(
  `${rounds * count} bodies, ${RATE} a second, ${shown(bytes / rounds / count / 1000)} KB each on average`,
);
console.log(
  `answers: ${Object.entries(statuses)
    .map(([status, times]) => `${times} × ${status}`)
    .join(", ")}`,
);
console.log(
  `others' p99: ${shown(p99(beside))} ms beside them, ${shown(p99(alone))} ms without: ${shown(p99(beside) / p99(alone))}`,
);
console.log(`in rounds: ${spread(ratios)}`);
console.log(
  `CPU of a body: ${shown((sumCpu(beside) - sumCpu(alone)) / rounds / count)} ms; load ${loadavg()[0]?.toFixed(1)}`,
);
console.log(
  `the loop's longest pieces of work: ${longest(beside)} ms beside them, ${longest(alone)} ms without`,
);
sender.kill();
await gateway.stop();
