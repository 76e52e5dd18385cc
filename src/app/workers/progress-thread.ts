// The thread that writes how far a long piece of work is, while the main thread is busy with it.
import { statSync, writeSync } from "node:fs";

declare const self: Worker;

export interface Work {
  /** A participle, such as `copying the store`. */
  readonly what: string;
  /** The number of parts, or of bytes if `file` is given. Null if it can't be known. */
  readonly all: number | null;
  /** The file that grows while the work goes on. */
  readonly file?: string;
}

/** The message that starts the thread. */
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
const MB = 1_000_000;

self.onmessage = ({ data }: MessageEvent<ProgressStart>) => {
  const beganMs = performance.now();
  let shownMs = beganMs;
  setInterval(() => {
    const nowMs = performance.now();
    if (Atomics.load(data.shared, 2) === 1 || nowMs - beganMs < SHOWN_AFTER_MS) return;
    if (!data.isTerminal && nowMs - shownMs < LINE_EVERY_MS) return;
    shownMs = nowMs;
    const text = describe(data.work, readDone(data), Math.floor((nowMs - beganMs) / 1000));
    if (!data.isTerminal) return write(`poundkey: ${text}\n`);
    Atomics.store(data.shared, 1, 1);
    write(`\r\x1b[K${drawBar(data.work, readDone(data))}${text}`);
  }, LOOK_EVERY_MS);
};

function readDone({ work, shared }: ProgressStart): number {
  if (work.file === undefined) return Atomics.load(shared, 0);
  return statSync(work.file, { throwIfNoEntry: false })?.size ?? 0;
}

function describe({ what, all, file }: Work, done: number, seconds: number): string {
  if (all === null) return `${what}: ${seconds} s so far`;
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
