// Many streams at once: whether every chunk arrives, the memory per stream, and what remains of it afterwards.
import { readFileSync } from "node:fs";
import { computePercentile, shown } from "../figures.ts";
import { cpuMicros, residentBytes } from "../processes.ts";
import type { Finding } from "../report.ts";
import { nothingSeen, type Seen } from "./answer.ts";
import { type Ask, Connection } from "./client.ts";
import { type Contender, FLOOR, OURS, type Stage } from "./stage.ts";

const CHUNK_EVERY_MS = 1000;
const LEAST_SECONDS = 6;
const AFTER_MS = 5000;
const OPENED_PER_TURN = 10;
/** A gateway needs two sockets for each stream, and some files besides. */
const DESCRIPTORS_SPARED = 500;

function streamsPossible(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const most = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.floor((most - DESCRIPTORS_SPARED) / 2);
}

interface Held {
  readonly name: string;
  /** The number open when the last one had begun. */
  readonly streams: number;
  readonly idleBytes: number;
  readonly fullBytes: number;
  readonly afterBytes: number;
  readonly cpuPerChunk: number;
  readonly seen: Seen;
}

/** Opens all at the same time, each with a chunk per second, and waits until the last has ended. */
async function openAll(ask: Ask, streams: number, seen: Seen, full: (open: number) => void): Promise<void> {
  const under: Promise<void>[] = [];
  const connections: Connection[] = [];
  while (connections.length < streams) {
    const more = Math.min(OPENED_PER_TURN, streams - connections.length);
    const opened = await Promise.all(Array.from({ length: more }, () => Connection.open(ask.port)));
    for (const connection of opened) under.push(connection.ask(ask, seen, performance.now()));
    connections.push(...opened);
    await Bun.sleep(1);
  }
  while (connections.some(({ hasBegun }) => !hasBegun)) await Bun.sleep(20);
  full(connections.filter(({ isBusy }) => isBusy).length);
  await Promise.all(under);
  for (const connection of connections) connection.hangUp();
}

/** Long enough that the first still runs when the last has begun, estimated from a few trial streams. */
async function secondsFor(ask: Ask, streams: number): Promise<number> {
  const few = Math.ceil(streams / 50);
  const startedMs = performance.now();
  let openedMs = 0;
  await openAll(ask, few, nothingSeen(), () => {
    openedMs = performance.now() - startedMs;
  });
  return Math.ceil((2 * openedMs * (streams / few)) / 1000) + LEAST_SECONDS;
}

async function held(stage: Stage, name: string, streams: number): Promise<Held> {
  const everyMs = stage.size(CHUNK_EVERY_MS, 50);
  const contender = (chunks: number) => {
    const manner = `~chunks=${chunks}~pace=${everyMs}`;
    return stage.contenders({ speech: "openai", manner, chunks }).find((one) => one.name === name);
  };
  // Idle memory is measured after some work, because the first streams load code and fill caches.
  const seconds = await secondsFor(asked(contender(2)).ask, streams);
  const { pid, ask } = asked(contender(stage.size(seconds, 8)));
  await Bun.sleep(stage.size(1000, 50));
  const idleBytes = residentBytes(pid);
  const before = cpuMicros(pid);
  const most = { open: 0, bytes: 0 };
  const seen = nothingSeen();
  await openAll(ask, streams, seen, (open) => {
    most.open = open;
    most.bytes = residentBytes(pid);
  });
  const cpuPerChunk = (cpuMicros(pid) - before) / seen.chunks;
  await Bun.sleep(stage.size(AFTER_MS, 100));
  const afterBytes = residentBytes(pid);
  return { name, streams: most.open, idleBytes, fullBytes: most.bytes, afterBytes, cpuPerChunk, seen };
}

function asked(contender: Contender | undefined): Contender {
  if (contender === undefined) throw new Error("Nobody is to be asked.");
  return contender;
}

const kilobytes = ({ fullBytes, idleBytes, streams }: Held) => (fullBytes - idleBytes) / streams / 1024;

function rowOf(held: Held): readonly string[] {
  const megabytes = [held.idleBytes, held.fullBytes, held.afterBytes].map((one) => shown(one / 1024 ** 2));
  return [
    held.name,
    String(held.streams),
    String(held.seen.chunks),
    shown(held.cpuPerChunk),
    shown(computePercentile(held.seen.delays, 0.99)),
    ...megabytes,
    shown(kilobytes(held)),
  ];
}

export async function benchStreams(stage: Stage): Promise<Finding> {
  const possible = streamsPossible();
  const sizes = stage.size([5000, 10_000], [50]).map((size) => Math.min(size, possible));
  const found: Held[] = [];
  for (const streams of sizes) {
    // The floor shows what the runtime needs, so one size is enough.
    for (const name of streams === sizes[0] ? [FLOOR, OURS] : [OURS]) {
      found.push(await held(stage, name, streams));
    }
  }
  const ours = found.find(({ name }) => name === OURS);
  const at = `${ours?.streams ?? 0} streams`;
  return {
    title: "Streams at once",
    note: `A chunk per second and stream, all of them open together; every chunk counted. Resident memory before, with all open, and ${stage.size(AFTER_MS, 100) / 1000} s after the last has ended. The limit on open files allows ${possible} streams here.`,
    tables: [
      {
        head: [
          "",
          "streams",
          "chunks",
          "CPU per chunk, µs",
          "under way p99, ms",
          "idle, MB",
          "all open, MB",
          "after, MB",
          "per stream, KB",
        ],
        rows: found.map(rowOf),
      },
    ],
    aims: ours
      ? [
          { what: `Memory per stream, ${at}`, measured: kilobytes(ours), unit: "KB", atMost: 40 },
          {
            what: `Memory after them over idle, ${at}`,
            measured: ours.afterBytes / ours.idleBytes,
            unit: "×",
            atMost: 1.15,
          },
        ]
      : [],
    bars: [
      {
        title: "Memory per open stream",
        unit: "KB",
        bars: found.map((one) => ({ name: `${one.name}, ${one.streams}`, value: kilobytes(one) })),
      },
    ],
  };
}
