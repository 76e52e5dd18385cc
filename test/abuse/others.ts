// `bun test/abuse/others.ts [--only WORDS] [--rounds N] [--seconds N]`: what others get beside one hostile account.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ownCpuMicros } from "../bench/processes.ts";
import { PROGRAM } from "../harness/program.ts";
import { type Attacked, readPeakMegabytes, resetPeak, startAttacked } from "./gateway.ts";
import { HOSTILE, type Hostile } from "./hostile.ts";
import type { Order, Sent } from "./sender.process.ts";

const { values } = parseArgs({
  options: { only: { type: "string" }, rounds: { type: "string" }, seconds: { type: "string" } },
});
const ROUNDS = Number(values.rounds ?? 3);
const SECONDS = Number(values.seconds ?? 1);
/** Of the hostile account's two keys, and of the others'. */
const HOSTILE_LANES = 8;
const OTHERS_LANES = 8;
const SHOTS = 3;
/** Enough to have the code compiled and to average over. */
const ALONE = 12;
const OTHERS_ACCOUNTS = 8;
const LEAST_SHARE = 0.8;
const MEMORY_MAX_MB = 1000;
const PROBE_EVERY_MS = 5;

interface Sender {
  tell(order: Omit<Order, "url" | "secrets">): Promise<Sent>;
  stop(): void;
}

async function startSender(url: string, secrets: readonly string[], { name }: Hostile): Promise<Sender> {
  let answered: (sent: Sent) => void;
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "sender.process.ts"), name], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "inherit",
    stderr: "inherit",
    ipc: (message: Sent | "ready") => (message === "ready" ? ready.resolve() : answered(message)),
  });
  await ready.promise;
  return {
    tell(order) {
      const { promise, resolve } = Promise.withResolvers<Sent>();
      answered = resolve;
      child.send({ ...order, url, secrets });
      return promise;
    },
    stop: () => child.kill(),
  };
}

/** Runs the work and others' requests beside it. Returns how many of them a second were answered with 200. */
async function countOthers(url: string, secrets: readonly string[], work: () => Promise<Sent>) {
  const body = JSON.stringify({ model: "Local#plain", messages: [{ role: "user", content: "hello" }] });
  let isOver = false;
  let good = 0;
  let bad = 0;
  const lane = async (secret: string) => {
    while (!isOver) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body,
      });
      await response.text();
      if (response.ok) good++;
      else bad++;
    }
  };
  const startedMs = performance.now();
  const lanes = Array.from({ length: OTHERS_LANES }, (_, at) => lane(secrets[at % secrets.length] ?? ""));
  const sent = await work();
  const perSecond = good / ((performance.now() - startedMs) / 1000);
  isOver = true;
  await Promise.all(lanes);
  return { sent, perSecond, bad };
}

/** The longest wait of a probe while one hostile request is under way, in milliseconds. */
async function probe(url: string, work: () => Promise<Sent>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const probes = async () => {
    while (!isOver) {
      const startedMs = performance.now();
      await (await fetch(`${url}/healthz`)).text();
      longest = Math.max(longest, performance.now() - startedMs);
      await Bun.sleep(PROBE_EVERY_MS);
    }
  };
  const probing = probes();
  await work();
  isOver = true;
  await probing;
  return longest;
}

/** Returns the gateway's CPU time for one request, in milliseconds, without any others. */
async function measureCpu(pid: number, sender: Sender, isHostile: boolean): Promise<number> {
  const before = ownCpuMicros(pid);
  const { count } = await sender.tell({ isHostile, seconds: null, count: ALONE, lanes: 1 });
  return (ownCpuMicros(pid) - before) / 1000 / count;
}

function tally(all: readonly Sent[]): string {
  const sums = new Map<string, number>();
  for (const { statuses } of all)
    for (const [status, count] of Object.entries(statuses)) sums.set(status, (sums.get(status) ?? 0) + count);
  return [...sums].map(([status, count]) => `${count} × ${status}`).join(", ");
}

/** Returns how many bodies weren't refused before they were read. */
function countTaken({ statuses, count }: Sent): number {
  const early = Object.entries(statuses).filter(([status]) => status.startsWith("429"));
  return count - sum(early.map(([, times]) => times));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

async function measure(gateway: Attacked, others: readonly string[], row: Hostile) {
  const { url, pid } = gateway;
  const sender = await startSender(url, await gateway.newAccountsKeys(2), row);
  let peak = 0;
  const shots: number[] = [];
  for (let shot = 0; shot < SHOTS; shot++) {
    const one = { isHostile: true, seconds: null, count: 1, lanes: 1 };
    shots.push(await probe(url, () => sender.tell(one)));
  }
  await measureCpu(pid, sender, false);
  const cpuMs = await measureCpu(pid, sender, true);
  const plainCpuMs = await measureCpu(pid, sender, false);
  const [flooded, beside, without, sent]: [number[], number[], number[], Sent[]] = [[], [], [], []];
  let refused = 0;
  const countBeside = async (isHostile: boolean, count: number | null) => {
    const order = { seconds: SECONDS, lanes: HOSTILE_LANES, isHostile, count };
    resetPeak(pid);
    const counted = await countOthers(url, others, () => sender.tell(order));
    // It includes what harmless bodies have left to the collector.
    if (isHostile) peak = Math.max(peak, readPeakMegabytes(pid));
    refused += counted.bad;
    return counted;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const flood = await countBeside(true, null);
    const harmless = await countBeside(false, flood.sent.count);
    // A refusal lets through more bodies than an answer does, and bodies of an account with too many under way aren't read.
    const taken = Math.min(countTaken(flood.sent), countTaken(harmless.sent));
    flooded.push(flood.perSecond);
    beside.push((await countBeside(true, taken)).perSecond);
    without.push((await countBeside(false, taken)).perSecond);
    sent.push(flood.sent);
  }
  sender.stop();
  const share = sum(beside) / sum(without);
  return {
    what: row.name,
    answers: tally(sent),
    "longest wait, ms": Math.round(Math.min(...shots)),
    "CPU, ms": Number(cpuMs.toPrecision(2)),
    "harmless, ms": Number(plainCpuMs.toPrecision(2)),
    "others beside a flood, requests/s": Math.round(sum(flooded) / ROUNDS),
    "beside as many": Math.round(sum(beside) / ROUNDS),
    "beside harmless": Math.round(sum(without) / ROUNDS),
    share: `${Math.round(share * 100)} %${share < LEAST_SHARE ? " !" : ""}`,
    "others refused": refused,
    "peak, MB": `${peak}${peak > MEMORY_MAX_MB ? " !" : ""}`,
  };
}

const gateway = await startAttacked({ program: PROGRAM, provider: "answers.process.ts" });
const others: string[] = [];
for (let account = 0; account < OTHERS_ACCOUNTS; account++)
  others.push(...(await gateway.newAccountsKeys(1)));
const rows = [];
for (const row of HOSTILE.filter(({ name }) => name.includes(values.only ?? ""))) {
  rows.push(await measure(gateway, others, row));
  console.log(Object.values(rows.at(-1) ?? {}).join(" | "));
}
await gateway.stop();
console.table(rows);
