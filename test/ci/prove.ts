// New rows prove themselves before they count: the test files that a change touches run at least twice on a quarter of a core.
import { join } from "node:path";
import { APART, beginWith, RULERS } from "../runner/apart.ts";
import { makeTestEnvironment } from "../runner/environment.ts";
import { makeCosts, SLOW_UNIT_SECONDS } from "../runner/timings.ts";
import { findBase, listChanged } from "./prove-changes.ts";
import { type Proof, planRuns, RUNS_MIN } from "./prove-plan.ts";
import { runSlowly } from "./prove-slowly.ts";

const HELP = `usage: bun test/ci/prove.ts [--base REVISION]
  Runs the test files that differ from a revision (by default where this branch left main) on a quarter of a core: those with
  new titles first, for about a minute, each at least twice. Files that it didn't reach are listed.`;

const root = join(import.meta.dir, "../..");
const LIMIT_MS = 300_000;
/** The plan counts what is computed. Rows that wait may take twice its minute, and are left then. */
const TOGETHER_MS = 120_000;

/** Returns whether the file passed. Shows what it printed if not. */
async function prove(file: string): Promise<boolean> {
  const command = [process.execPath, "test", "--timeout", String(LIMIT_MS), `./${file}`];
  const { exitCode, output } = await runSlowly({
    command,
    cwd: root,
    env: makeTestEnvironment(),
    limitMs: LIMIT_MS,
  });
  if (exitCode !== 0) console.log(output);
  const outcome = exitCode === null ? `didn't end within ${LIMIT_MS / 1000} s` : `exit code ${exitCode}`;
  console.log(exitCode === 0 ? `(pass) ${file}` : `(fail) ${file}: ${outcome}`);
  return exitCode === 0;
}

async function main([flag, revision]: readonly string[]): Promise<number> {
  if (flag === "--help" || (flag !== undefined && (flag !== "--base" || !revision))) {
    console.log(HELP);
    return flag === "--help" ? 0 : 2;
  }
  const base = revision ?? findBase(root);
  if (base === null) console.log("There is no main line to compare with.");
  // No line of a batch starts while the loop is late, as it always is on so slow a machine.
  const isApart = beginWith([...APART, ...RULERS]);
  const changed = base === null ? [] : listChanged(root, base);
  const costOf = makeCosts();
  const proofs = changed.map(({ file, newTitles }): Proof => {
    return {
      file,
      isNew: newTitles.length > 0,
      cpuMs: isApart(file) ? null : costOf(file) * SLOW_UNIT_SECONDS * 1000,
    };
  });
  const { runs, left } = planRuns(proofs);
  const beganMs = performance.now();
  const ran: string[] = [];
  let failed = 0;
  for (const file of runs) {
    if (performance.now() - beganMs > TOGETHER_MS) break;
    ran.push(file);
    if (!(await prove(file))) failed++;
  }
  const countRuns = (file: string) => ran.filter((one) => one === file).length;
  const unproven = [...left, ...new Set(runs.filter((file) => countRuns(file) < RUNS_MIN))];
  if (unproven.length > 0) console.log(`\nnot reached, for the long form:\n  ${unproven.join("\n  ")}`);
  console.log(`\n${ran.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
