// The soak: 2,000 streams at a time for the given time, with hang-ups and errors among them. Memory has to stay flat.
import { join } from "node:path";
import { computeMedian, shown } from "../figures.ts";
import { cpuMicros, residentBytes } from "../processes.ts";
import { aimsText, plotLine, tableText } from "../report.ts";
import { machineText, RESULTS } from "../results.ts";
import { nothingSeen } from "./answer.ts";
import { type Ask, Connection } from "./client.ts";
import { askGateway, type Scenario, type Stage } from "./stage.ts";

const STREAMS = 2000;
const CHUNKS = 20;
const PACE_MS = 500;
const SAMPLE_MS = 1000;
const HANG_UP_SHARE = 0.15;
const ERROR_SHARE = 0.1;
const WRONG_SHOWN = 5;
/** A shorter run doesn't replace the recorded results. */
const RECORDED_MINUTES = 10;
/** Memory is judged from here on. Before, caches fill and code is loaded. */
const SETTLED_SHARE = 1 / 3;

interface Counted {
  finished: number;
  hungUp: number;
  refused: number;
  broken: number;
  wrong: number;
  chunks: number;
}

interface Sample {
  readonly minute: number;
  readonly megabytes: number;
}

function minutesOf(time: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(time) ?? [];
  if (amount === undefined) throw new Error(`--soak takes a time as 3m or 60m, not '${time}'.`);
  return Number(amount) * { s: 1 / 60, m: 1, h: 60 }[unit === "s" || unit === "h" ? unit : "m"];
}

interface Life {
  readonly port: number;
  readonly paceMs: number;
  readonly endsMs: number;
  readonly counted: Counted;
}

/** One client: streams one after the other, some of which it leaves or its provider refuses. */
async function client(life: Life): Promise<void> {
  const { port, paceMs, endsMs } = life;
  const manner = `~chunks=${CHUNKS}~pace=${paceMs}`;
  const good: Scenario = { speech: Math.random() < 0.5 ? "openai" : "anthropic", manner, chunks: CHUNKS };
  const ask = askGateway(port, good);
  const bad = ["~fail", `${manner}~cut`].map((how) =>
    askGateway(port, { speech: "openai", manner: how, chunks: CHUNKS }, "Bad#m"),
  );
  let connection = await Connection.open(port);
  await Bun.sleep(Math.random() * CHUNKS * paceMs);
  while (performance.now() < endsMs) {
    const drawn = Math.random();
    if (!connection.isOpen) connection = await Connection.open(port);
    if (drawn < HANG_UP_SHARE) await leave(connection, ask, life);
    else if (drawn > HANG_UP_SHARE + ERROR_SHARE) await one(connection, ask, life, /never/);
    else await one(connection, bad[(drawn * 1000) & 1] ?? ask, life, /HTTP\/1.1 (400|502|503)|of \d+ pieces/);
  }
  connection.hangUp();
}

/** `ends` lists the ways in which the answer may fail. */
async function one(connection: Connection, ask: Ask, { paceMs, counted }: Life, ends: RegExp): Promise<void> {
  const seen = nothingSeen();
  const startedMs = performance.now();
  try {
    await connection.ask(ask, seen, startedMs);
    counted.finished++;
  } catch (error) {
    const text = String(error);
    if (ends.test(text)) counted[/ pieces/.test(text) ? "broken" : "refused"]++;
    else {
      counted.wrong++;
      const afterMs = Math.round(performance.now() - startedMs);
      if (counted.wrong <= WRONG_SHOWN) console.log(`After ${afterMs} ms: ${text.slice(0, 300)}`);
    }
    // A refusal comes at once, and so would the next request.
    await Bun.sleep(paceMs * 4);
  }
  counted.chunks += seen.chunks;
}

async function leave(connection: Connection, ask: Ask, { paceMs, counted }: Life): Promise<void> {
  const seen = nothingSeen();
  void connection.ask(ask, seen, performance.now()).catch(() => {});
  await Bun.sleep(Math.random() * CHUNKS * paceMs);
  connection.hangUp();
  counted.hungUp++;
  counted.chunks += seen.chunks;
}

/** The slope by least squares, in megabytes per hour. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const minute = mean((one) => one.minute);
  const megabytes = mean((one) => one.megabytes);
  const above = samples.reduce((sum, one) => sum + (one.minute - minute) * (one.megabytes - megabytes), 0);
  const below = samples.reduce((sum, one) => sum + (one.minute - minute) ** 2, 0);
  return (above / below) * 60;
}

async function openUpstream(port: number): Promise<number> {
  const { open } = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as { open: number };
  return open;
}

/** Runs the soak for this many minutes. */
export async function soak(stage: Stage, minutes: number): Promise<Soaked> {
  const { port, pid } = stage.gateway;
  const streams = stage.size(STREAMS, 40);
  const counted: Counted = { finished: 0, hungUp: 0, refused: 0, broken: 0, wrong: 0, chunks: 0 };
  const idle = residentBytes(pid) / 1024 ** 2;
  const startedMs = performance.now();
  const cpuBefore = cpuMicros(pid);
  const samples: Sample[] = [];
  const sampling = setInterval(
    () => {
      const minute = (performance.now() - startedMs) / 60_000;
      samples.push({ minute, megabytes: residentBytes(pid) / 1024 ** 2 });
    },
    stage.size(SAMPLE_MS, 50),
  );
  const paceMs = stage.size(PACE_MS, 10);
  const life: Life = { port, paceMs, endsMs: startedMs + minutes * 60_000, counted };
  await Promise.all(Array.from({ length: streams }, () => client(life)));
  clearInterval(sampling);
  const cpuPerChunk = (cpuMicros(pid) - cpuBefore) / counted.chunks;
  await Bun.sleep(stage.size(5000, 300));
  const after = residentBytes(pid) / 1024 ** 2;
  const left = await openUpstream(stage.upstream.port);
  const flat = samples.filter(({ minute }) => minute > minutes * SETTLED_SHARE && minute < minutes);
  return { streams, counted, idle, after, left, samples, flat, cpuPerChunk };
}

/** Runs the soak, prints and writes the results. Throws if an answer was wrong or a call was left open. */
export async function runSoak(stage: Stage, time: string): Promise<void> {
  const soaked = await soak(stage, minutesOf(time));
  const { counted, left, samples } = soaked;
  const text = soakText(stage, time, soaked);
  console.log(`\n${text}`);
  if (!stage.isShort && minutesOf(time) >= RECORDED_MINUTES) await writeSoak(text, samples);
  if (counted.wrong > 0 || left > 0) {
    throw new Error(`${counted.wrong} wrong answers, ${left} upstream calls left open.`);
  }
}

async function writeSoak(text: string, samples: readonly Sample[]): Promise<void> {
  const points = samples.map(({ minute, megabytes }) => [minute, megabytes] as const);
  await Bun.write(join(RESULTS, "soak.md"), `${text}\n`);
  await Bun.write(join(RESULTS, "soak.svg"), plotLine("Resident memory, MB, by minute", points));
}

export interface Soaked {
  readonly streams: number;
  readonly counted: Counted;
  readonly idle: number;
  readonly after: number;
  readonly left: number;
  readonly samples: readonly Sample[];
  /** The samples after the first third, while all clients were running. */
  readonly flat: readonly Sample[];
  readonly cpuPerChunk: number;
}

function soakText(stage: Stage, time: string, soaked: Soaked): string {
  const { streams, counted, idle, after, left, flat, cpuPerChunk } = soaked;
  const half = Math.floor(flat.length / 2);
  const median = (part: readonly Sample[]) => computeMedian(part.map(({ megabytes }) => megabytes));
  const before = median(flat.slice(0, half));
  const later = median(flat.slice(half));
  const rows = [
    ["streams finished, every chunk counted", String(counted.finished)],
    ["streams left by their clients", String(counted.hungUp)],
    ["refused by the provider, or by its open breaker", String(counted.refused)],
    ["broken off by the provider, and told so", String(counted.broken)],
    ["wrong", String(counted.wrong)],
    ["chunks", String(counted.chunks)],
    ["upstream calls open afterwards", String(left)],
    ["CPU per chunk, µs", shown(cpuPerChunk)],
    ["memory idle before, MB", shown(idle)],
    [
      "memory under load, median of the first and second half after the first third, MB",
      `${shown(before)}, ${shown(later)}`,
    ],
    ["slope over these, MB per hour", shown(slopeOf(flat))],
    ["memory idle afterwards, MB", shown(after)],
  ];
  return [
    "# Soak",
    `Written by \`npm run bench -- --soak ${time}\`. ${machineText(stage)}`,
    `${streams} streams at a time of ${CHUNKS} chunks, one per ${PACE_MS} ms; ${HANG_UP_SHARE * 100} % are left by their clients, ${ERROR_SHARE * 100} % are refused or broken off by their provider.`,
    tableText({ head: ["", ""], rows }),
    aimsText([{ what: "Memory, second half over first", measured: later / before, unit: "×", atMost: 1.05 }]),
    ...(minutesOf(time) < RECORDED_MINUTES ? [] : ["![Memory](soak.svg)"]),
  ].join("\n\n");
}
