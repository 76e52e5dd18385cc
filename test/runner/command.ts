// Runs a command of a run: passes on its lines, collects the reasons for skipped rows, and measures it.
import { join } from "node:path";
import type { Cost } from "./busy.ts";
import { Orphans, own } from "./orphans.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** Printed by a test file that skips rows, since something isn't there. */
const SKIPPED = "skipped: ";

export interface Ran extends Cost {
  readonly code: number;
  readonly output: string;
}

/** Starts commands until it is closed, and then none. */
export class Commands {
  readonly #print: (text: string) => void;
  readonly #reasons = new Set<string>();
  readonly #orphans = new Orphans();
  #cpu = 0;
  #isClosed = false;

  /** `print` gets whole lines. */
  constructor(print: (text: string) => void) {
    this.#print = print;
    this.#orphans.adopt();
  }

  /** The seconds of CPU of all that was started, killed and detached processes too. */
  get cpu(): number {
    return this.#cpu + this.#orphans.measure();
  }

  /** The reasons for skipped rows, each once. */
  get reasons(): readonly string[] {
    return [...this.#reasons];
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Shows the output, at once or at the end if the command fails. After `close` it neither starts anything nor returns. */
  async run(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
    showing: "all" | "failure" = "all",
  ): Promise<Ran> {
    if (this.#isClosed) return new Promise(() => {});
    const begunMs = performance.now();
    const child = own(
      Bun.spawn([...command], { cwd: ROOT, stdout: "pipe", stderr: "pipe", env: { ...env } }),
    );
    const kept: string[] = [];
    const pass = (text: string) => {
      const shown = this.#takeReasons(text);
      kept.push(shown);
      if (showing === "all") this.#print(shown);
    };
    const [, , code] = await Promise.all([
      passLines(child.stdout, pass),
      passLines(child.stderr, pass),
      child.exited,
    ]);
    const output = kept.join("");
    if (code !== 0 && showing === "failure" && !this.#isClosed) this.#print(output);
    const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
    this.#cpu += cpu;
    return { code, output, seconds: (performance.now() - begunMs) / 1000, cpu };
  }

  /** Returns the text without the lines that tell why rows are skipped: they come in one line at the end of the run. */
  #takeReasons(text: string): string {
    if (!text.includes(SKIPPED)) return text;
    const isReason = (line: string) => line.startsWith(SKIPPED);
    const lines = text.split("\n");
    for (const line of lines.filter(isReason)) this.#reasons.add(line.slice(SKIPPED.length));
    return lines.filter((line) => !isReason(line)).join("\n");
  }
}

/** Prints whole lines only, since two commands print at once. */
async function passLines(stream: ReadableStream<Uint8Array>, print: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let waiting = "";
  for await (const bytes of stream) {
    const text = waiting + decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    print(text.slice(0, end));
    waiting = text.slice(end);
  }
  print(waiting);
}
