// The waiting of others while mutated interactions come in: `bun test/bench/fuzzed-interactions.ts [--bodies N] [--rate N]`, at a
// gateway from the sources. Prints the p99 of their answers beside the bodies, and beside right ones of the same sizes, as ratios
// to that without, of rounds in turn, and for how long the gateway's loop worked without a break.
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
const RATE = Number(values.rate ?? 20);
const ROUND_SECONDS = 5;
const OTHERS_RATE = 100;
const WARM_ROUNDS = 1;
const COUNT = RATE * ROUND_SECONDS;
const ROUNDS = Math.ceil(BODIES / COUNT);

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
async function prepareBodies(seed: number, isHarmless: boolean): Promise<() => Promise<Sent>> {
  const order: Order = { url: gateway.url, secret, seed, count: COUNT, seconds: ROUND_SECONDS, isHarmless };
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

const KINDS = ["alone", "fuzzed", "harmless"] as const;
type Kind = (typeof KINDS)[number];
const phases: Readonly<Record<Kind, Phase[]>> = { alone: [], fuzzed: [], harmless: [] };

for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  // Each is first in turn, so that what the machine does meanwhile meets all of them.
  for (let turn = 0; turn < KINDS.length; turn++) {
    const kind = KINDS[(round + WARM_ROUNDS + turn) % KINDS.length] ?? "alone";
    const seed = (round + WARM_ROUNDS) * COUNT + 1;
    const work = kind === "alone" ? null : await prepareBodies(seed, kind === "harmless");
    const phase = await runPhase(work);
    if (round >= 0) phases[kind].push(phase);
  }
}

function computeP99(some: readonly Phase[]): number {
  return computePercentile(
    some.flatMap(({ times }) => times),
    0.99,
  );
}

function describeAnswers(some: readonly Phase[]): string {
  const statuses = new Map<string, number>();
  for (const { sent } of some)
    for (const [status, times] of Object.entries(sent?.statuses ?? {}))
      statuses.set(status, (statuses.get(status) ?? 0) + times);
  return [...statuses].map(([status, times]) => `${times} × ${status}`).join(", ");
}

const sumCpu = (some: readonly Phase[]) => some.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
const listLongest = (some: readonly Phase[]) =>
  some
    .flatMap(({ pauses }) => pauses)
    .toSorted((one, other) => other - one)
    .slice(0, 5)
    .join(", ");

const print = (line: string) => process.stdout.write(`${line}\n`);
const { alone } = phases;
const bytes = phases.fuzzed.reduce((sum, { sent }) => sum + (sent?.bytes ?? 0), 0);
const sums = ROUNDS * COUNT;
print(`${sums} bodies, ${RATE} a second, ${shown(bytes / sums / 1000)} KB each on average`);
print(`alone: p99 ${shown(computeP99(alone))} ms, longest work without a break ${listLongest(alone)} ms`);
for (const kind of ["fuzzed", "harmless"] as const) {
  const own = phases[kind];
  const ratios = own.map((phase, at) => computeP99([phase]) / computeP99(alone.slice(at, at + 1)));
  const cpuMs = (sumCpu(own) - sumCpu(alone)) / sums;
  print(`beside ${kind} ones, which were answered ${describeAnswers(own)}:`);
  print(`  p99 ${shown(computeP99(own))} ms, of that alone ${shown(computeP99(own) / computeP99(alone))}`);
  print(`  in rounds ${spread(ratios)}, CPU of a body ${shown(cpuMs)} ms, longest ${listLongest(own)} ms`);
}
print(`load ${loadavg()[0]?.toFixed(1)}`);
sender.kill();
await gateway.stop();
