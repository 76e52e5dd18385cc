// The thread that says how far a long piece of work is, while the main thread is busy with it: to people, to systemd, and to
// probes at the gateway's address.
import { statSync, writeSync } from "node:fs";
import { type ProbeAddress, WorkProbes, type WorkStatus } from "./work-probes.ts";

declare const self: Worker;

/** A part of the work, until the next begins. */
export interface Phase {
  /** A participle, such as `copying the store`. */
  readonly what: string;
  /** For probes. Default: "migrating". */
  readonly status?: WorkStatus;
}

export interface Work extends Phase {
  /** The number of parts, or of bytes if `file` is given. Null if it can't be known. */
  readonly all: number | null;
  /** The file that grows while the work goes on. */
  readonly file?: string;
  /** The participle for the work that goes on once the file is whole. */
  readonly finishing?: string;
  /** The address at which probes of a gateway that starts are answered. Missing if no gateway does. */
  readonly probes?: ProbeAddress | undefined;
}

/** The message that starts the thread. Each phase replaces the one before, and null ends the thread. */
export interface ProgressStart {
  readonly work: Work;
  /** The number of parts done, then 1 while a bar is shown, then 1 once the work has ended. */
  readonly shared: Int32Array;
  readonly isTerminal: boolean;
}

const STDERR = 2;
const LOOK_EVERY_MS = 200;
const SHOWN_AFTER_MS = 1000;
const LINE_EVERY_MS = 10_000;
const BAR_CHARACTERS = 30;
const STILL_MS = 3000;
const WHOLE_SHARE = 0.9;
const MB = 1_000_000;
/** Systemd gets this much more time at each line. */
const EXTENSION = "EXTEND_TIMEOUT_USEC=60000000";

interface ProgressTimes {
  readonly beganMs: number;
  /** The times at which the last line was written, and systemd last got more time. */
  shownMs: number;
  toldMs: number;
  /** The size that was seen last, and when it had grown. */
  done: number;
  grownMs: number;
}

let end = () => {};
let turnTo = (_phase: Phase) => {};

self.onmessage = ({ data }: MessageEvent<ProgressStart | Phase | null>) => {
  if (data === null) end();
  else if ("work" in data) begin(data);
  else turnTo(data);
};

function begin(start: ProgressStart): void {
  let { work } = start;
  const beganMs = performance.now();
  const times = { beganMs, shownMs: beganMs, toldMs: Number.NEGATIVE_INFINITY, done: 0, grownMs: beganMs };
  const probes = work.probes === undefined ? null : new WorkProbes(work.probes);
  const timer = setInterval(() => look({ ...start, work }, times, probes), LOOK_EVERY_MS);
  turnTo = (phase) => {
    work = { ...work, ...phase };
  };
  end = () => {
    clearInterval(timer);
    probes?.stop();
    self.postMessage(null);
  };
}

function look(
  { work, shared, isTerminal }: ProgressStart,
  times: ProgressTimes,
  probes: WorkProbes | null,
): void {
  const nowMs = performance.now();
  if (Atomics.load(shared, 2) === 1 || nowMs - times.beganMs < SHOWN_AFTER_MS) return;
  const done = readDone(work, shared);
  if (done > times.done) times.grownMs = nowMs;
  times.done = Math.max(times.done, done);
  const text = describe(work, done, {
    seconds: Math.floor((nowMs - times.beganMs) / 1000),
    isStill: nowMs - times.grownMs >= STILL_MS,
  });
  const { status = "migrating" } = work;
  probes?.show({ status, work: text, share: work.all === null ? null : findShare(work.all, done) });
  if (nowMs - times.toldMs >= LINE_EVERY_MS) {
    times.toldMs = nowMs;
    extendStart(text);
  }
  if (isTerminal) {
    Atomics.store(shared, 1, 1);
    write(`\r\x1b[K${drawBar(work, done)}${text}`);
  } else if (nowMs - times.shownMs >= LINE_EVERY_MS) {
    times.shownMs = nowMs;
    write(`poundkey: ${text}\n`);
  }
}

/** A unit of `Type=notify` may start for longer than its TimeoutStartSec if it says so in time. */
function extendStart(text: string): void {
  if (!process.env.NOTIFY_SOCKET) return;
  try {
    Bun.spawn(["systemd-notify", EXTENSION, `STATUS=${text}`], {
      env: process.env,
      stdio: ["ignore", "ignore", "ignore"],
    });
  } catch {
    // Without the program, the unit's own time holds.
  }
}

function readDone(work: Work, shared: Int32Array): number {
  if (work.file === undefined) return Atomics.load(shared, 0);
  return statSync(work.file, { throwIfNoEntry: false })?.size ?? 0;
}

interface Pace {
  readonly seconds: number;
  /** True if nothing was done for a while. */
  readonly isStill: boolean;
}

/** A copy may be a little smaller than what was copied: it is whole once it grows no more. */
function describe({ what, all, file, finishing }: Work, done: number, { seconds, isStill }: Pace): string {
  if (all === null) return `${what}: ${seconds} s so far`;
  const isWhole = done >= all || (isStill && findShare(all, done) >= WHOLE_SHARE);
  if (finishing !== undefined && isWhole) return `${finishing}: ${seconds} s so far`;
  const show = (count: number) => (file === undefined ? String(count) : `${Math.ceil(count / MB)} MB`);
  return `${what}: ${show(Math.min(done, all))} of ${show(all)} (${Math.floor(100 * findShare(all, done))} %)`;
}

function drawBar({ all }: Work, done: number): string {
  if (all === null) return "";
  return `[${"#".repeat(Math.round(BAR_CHARACTERS * findShare(all, done))).padEnd(BAR_CHARACTERS)}] `;
}

function findShare(all: number, done: number): number {
  return all === 0 ? 1 : Math.min(1, done / all);
}

/** A terminal that is gone must not end the work. */
function write(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // Nobody reads it.
  }
}
