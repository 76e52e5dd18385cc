// One line that says how many files of a run have ended and which are running.
import { existsSync, readFileSync } from "node:fs";

/** Written by a worker (`marks.ts`). */
export interface Mark {
  readonly at: "begin" | "end";
  readonly pid: number;
  /** Its path from the repository's root. */
  readonly file: string;
  /** All that the worker and its ended children have used so far. */
  readonly cpuMs: number;
}

export function readMarks(path: string): readonly Mark[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line): Mark => JSON.parse(line));
}

/** Returns the CPU time of each file that ended: what its worker used since the end of the file before it. */
export function sumCpuMs(marks: readonly Mark[]): ReadonlyMap<string, number> {
  const before = new Map<number, number>();
  const sums = new Map<string, number>();
  for (const { at, pid, file, cpuMs } of marks) {
    if (at === "begin") continue;
    sums.set(file, (sums.get(file) ?? 0) + cpuMs - (before.get(pid) ?? 0));
    before.set(pid, cpuMs);
  }
  return sums;
}

/** Returns for instance `12 of 843 files, running: kill/kill, sim/sim`. Empty before the first file begins. */
export function describeProgress(marks: readonly Mark[], total: number): string {
  if (marks.length === 0 || total === 0) return "";
  const running = new Map(marks.map(({ at, pid, file }) => [pid, at === "begin" ? file : null]));
  const names = [...running.values()].filter((file) => file !== null).map(shorten);
  const ended = marks.filter(({ at }) => at === "end").length;
  return `${ended} of ${total} files${names.length > 0 ? `, running: ${names.join(", ")}` : ""}`;
}

function shorten(file: string): string {
  return file.replace(/^test\//, "").replace(/\.test\.tsx?$/, "");
}

const REDRAW_MS = 500;
const PRINT_MS = 30_000;
const CLEAR = "\r\x1b[2K";

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): void;
}

/** The output of a run: a terminal keeps the line at its bottom, a log gets it every half minute. */
export class Screen {
  readonly #output: Output;
  #line = "";

  constructor(output: Output) {
    this.#output = output;
  }

  /** Prints whole lines above the one about progress. */
  print(text: string): void {
    if (text !== "") this.#output.write(this.#output.isTTY ? `${CLEAR}${text}${this.#line}` : text);
  }

  /** Shows progress until the returned function is called. */
  follow(describe: () => string): () => void {
    if (this.#output.isTTY) this.#show(describe());
    const timer = setInterval(() => this.#show(describe()), this.#output.isTTY ? REDRAW_MS : PRINT_MS);
    return () => {
      clearInterval(timer);
      this.#line = "";
      if (this.#output.isTTY) this.#output.write(CLEAR);
    };
  }

  #show(line: string): void {
    if (!this.#output.isTTY) {
      if (line !== "") this.#output.write(`${line}\n`);
      return;
    }
    this.#line = line.slice(0, (this.#output.columns ?? 80) - 1);
    this.#output.write(CLEAR + this.#line);
  }
}
