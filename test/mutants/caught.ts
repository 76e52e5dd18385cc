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
  /** Of the mutant, the code around it, and the test that caught it. */
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

/**
 * Returns the statement of a file's top level that holds the words, or the whole text if it isn't a single one: a change
 * elsewhere in the file says little of them. The functions that it calls aren't looked at, in this file or in others: the long
 * form tries all mutants.
 */
export function takeStatement(text: string, words: string): string {
  const holding = text.split(/^(?=[^\s})\]])/m).filter((statement) => statement.includes(words));
  return holding.length === 1 && holding[0] !== undefined ? holding[0] : text;
}

type Catcher = Pick<Catch, "file" | "title" | "seed">;

export function digestCatch(mutant: Mutant, catcher: Catcher, readText = readFromRoot): string {
  const { file, find, replace } = mutant;
  const hash = new Bun.CryptoHasher("sha256").update(takeStatement(readText(file), find));
  // A day is lived through by its seed, whatever the file says that asks for it.
  if (catcher.seed === undefined) {
    const [outermost = ""] = catcher.title?.split(" > ") ?? [];
    const text = readText(catcher.file);
    hash.update(outermost === "" ? text : takeStatement(text, outermost));
  }
  return hash.update(find).update(replace).digest("hex").slice(0, 16);
}

function readFromRoot(path: string): string {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";
}

/** Nothing that the result depends on has changed since. */
export function isUnchanged(mutant: Mutant, caught: Catch | undefined): boolean {
  return caught !== undefined && caught.digest === digestCatch(mutant, caught);
}

/** Reads from a run's output which test failed first. Null if it doesn't say. */
export function readCatch(mutant: Mutant, output: string): Catch | null {
  const at = output.search(/^\(fail\) /m);
  if (at < 0) return null;
  const file = [...output.slice(0, at).matchAll(/^(test\/\S+\.test\.tsx?):$/gm)].at(-1)?.[1];
  if (file === undefined) return null;
  const catcher = { file, ...readTitle(output) };
  return { ...catcher, digest: digestCatch(mutant, catcher) };
}

function readTitle(output: string): Pick<Catch, "title" | "seed"> {
  const seed = /^SIM_SEED=(\d+)/m.exec(output)?.[1];
  if (seed !== undefined) return { seed: Number(seed) };
  const title = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
  return title === undefined || title.includes("(unnamed)") ? {} : { title };
}

/** Leaves out that a seed's day can be lived twice, which takes two days more. */
export const DAYS_ALONE: readonly string[] = ["-t", "^simulated days "];

/** The flags and variables with which `bun test` runs only what caught the mutant. */
export function aimAt({ file, title, seed }: Catch): {
  flags: readonly string[];
  env: Record<string, string>;
} {
  if (seed !== undefined) return { flags: [...DAYS_ALONE, `./${file}`], env: { SIM_SEED: String(seed) } };
  if (title === undefined) return { flags: [`./${file}`], env: {} };
  const pattern = `^${title.split(" > ").map(RegExp.escape).join(" ")}$`;
  return { flags: ["-t", pattern, `./${file}`], env: {} };
}
