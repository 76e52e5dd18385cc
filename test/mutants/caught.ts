// The test that caught each mutant when it was last tried, and what that result depends on.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";
import type { Mutant } from "./mutant.ts";

const FILE = join(import.meta.dir, "caught.data.json");

/** Runs one test alone: a title of a file, or a seed of the simulated days. */
export interface Catch {
  readonly file: string;
  readonly title?: string;
  readonly seed?: number;
  /** Of the mutant, the file that it breaks and the file of the test. */
  readonly digest: string;
}

export type Catches = Readonly<Record<string, Catch>>;

export function readCatches(): Catches {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
}

/** Keeps the order of the mutants, so that the file changes only where a result does. */
export function writeCatches(catches: Catches, mutants: readonly Mutant[]): void {
  const kept = mutants.flatMap(({ name }) => {
    const caught = catches[name];
    return caught === undefined ? [] : [[name, caught] as const];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), null, 1)}\n`);
}

export function digestCatch({ file, find, replace }: Mutant, test: string): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const path of [file, test])
    hash.update(existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path)) : "");
  return hash.update(find).update(replace).digest("hex").slice(0, 16);
}

/** Nothing that the result depends on has changed since. */
export function isUnchanged(mutant: Mutant, caught: Catch | undefined): boolean {
  return caught !== undefined && caught.digest === digestCatch(mutant, caught.file);
}

/** Reads from a run's output which test failed first. Null if it doesn't say. */
export function readCatch(mutant: Mutant, output: string): Catch | null {
  const at = output.search(/^\(fail\) /m);
  if (at < 0) return null;
  const file = [...output.slice(0, at).matchAll(/^(test\/\S+\.test\.tsx?):$/gm)].at(-1)?.[1];
  if (file === undefined) return null;
  const digest = digestCatch(mutant, file);
  const seed = /^SIM_SEED=(\d+)/m.exec(output)?.[1];
  if (seed !== undefined) return { file, seed: Number(seed), digest };
  const title = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
  return title === undefined || title.includes("(unnamed)") ? { file, digest } : { file, title, digest };
}

/** The flags and variables with which `bun test` runs only what caught the mutant. */
export function aimAt({ file, title, seed }: Catch): {
  flags: readonly string[];
  env: Record<string, string>;
} {
  if (seed !== undefined) return { flags: [`./${file}`], env: { SIM_SEED: String(seed) } };
  if (title === undefined) return { flags: [`./${file}`], env: {} };
  const pattern = `^${title.split(" > ").map(RegExp.escape).join(" ")}$`;
  return { flags: ["-t", pattern, `./${file}`], env: {} };
}
