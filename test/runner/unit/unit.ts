// The unit of cost: the CPU that the type check of a small frozen tree takes on this machine, at this time.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { own } from "../orphans.ts";

const FOLDER = import.meta.dir;
const TSC = join(FOLDER, "..", "..", "..", "node_modules", ".bin", "tsc");
/** The files that are checked. Another text, or another number of copies, is another unit, in which no kept cost is right. */
const TEXTS = ["decay", "growing"];
const COPIES = 400;
/** Nothing of the project's own settings, which may change. */
const SETTINGS = {
  compilerOptions: {
    lib: ["esnext"],
    module: "esnext",
    moduleResolution: "bundler",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    strict: true,
    target: "esnext",
    types: [],
  },
};

/** Returns the text of each file of the tree. */
export function readTree(): ReadonlyMap<string, string> {
  return new Map(TEXTS.map((name) => [`${name}.ts`, readFileSync(join(FOLDER, `${name}.txt`), "utf8")]));
}

/** Writes the tree as often as it is checked. */
function writeCopies(folder: string): void {
  const tree = readTree();
  for (let copy = 0; copy < COPIES; copy++) {
    mkdirSync(join(folder, String(copy)));
    for (const [name, text] of tree) writeFileSync(join(folder, String(copy), name), text);
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(SETTINGS));
}

/** Returns the seconds of CPU that the check takes. Throws an Error with what the compiler says if it isn't there or fails. */
export async function measureUnit(): Promise<number> {
  const folder = mkdtempSync(join(process.env.TEST_MEMORY ?? tmpdir(), "poundkey-unit-"));
  try {
    writeCopies(folder);
    // On one thread: how many run at once is the machine's, and changes what they take together.
    const child = own(
      Bun.spawn([TSC, "--singleThreaded", "-p", folder], { stdout: "pipe", stderr: "inherit" }),
    );
    const said = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`The unit can't be measured:\n${said}`);
    return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts CPU in units by what the check takes at the begin and at the end of a run. */
export class Yardstick {
  readonly #given: number;
  readonly #measured: number[] = [];

  /** `given` are the seconds that a run around this one has measured. */
  constructor(given?: string) {
    this.#given = Number(given);
  }

  /** Measures at the begin, which no other method does: without it nothing is known, and all counts are NaN. */
  async begin(): Promise<void> {
    if (!(this.#given > 0)) this.#measured.push(await measureUnit());
  }

  async end(): Promise<void> {
    if (this.#measured.length > 0) this.#measured.push(await measureUnit());
  }

  /** The seconds of a unit. */
  get seconds(): number {
    if (this.#given > 0) return this.#given;
    return this.#measured.reduce((sum, one) => sum + one, 0) / this.#measured.length;
  }

  count(cpuSeconds: number): number {
    return cpuSeconds / this.seconds;
  }

  /** Returns a sentence with the units of a run; null if none was measured here. */
  describe(cpuSeconds: number): string | null {
    if (this.#measured.length === 0) return null;
    const times = this.#measured.map((one) => one.toFixed(1)).join(" s at the begin and ");
    return `${this.count(cpuSeconds).toFixed(0)} units of ${times} s at the end: ${cpuSeconds.toFixed(0)} s of CPU`;
  }
}
