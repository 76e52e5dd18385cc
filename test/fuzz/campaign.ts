// The campaign: cases one after the other on a few lanes, until the time is over or the selected case has been played.
import { appendFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Program } from "../kill/process.ts";
import { answerCase } from "./answer-cases.ts";
import { bodyCase } from "./body-cases.ts";
import { type Case, type Kind, rollDice } from "./case.ts";
import { play } from "./client.ts";
import { findProblems } from "./judge.ts";
import { rawCase } from "./raw-cases.ts";
import { shapeCase } from "./shape-cases.ts";
import { uploadCase } from "./upload-cases.ts";
import type { FuzzWorld, Secrets } from "./world.ts";

const LANES = 6;
/** The interval at which retired credentials are renewed, as an operator would do. */
const RENEW_EVERY_MS = 3000;
const FINDINGS_SHOWN = 10;
const WEIGHTS: Readonly<Record<Kind, number>> = { raw: 3, body: 4, answer: 6, shape: 6, upload: 2 };

export interface Plan {
  readonly program: Program;
  readonly seed: number;
  readonly seconds: number;
  /** Plays only this case. */
  readonly only: number | null;
}

export interface Sums {
  readonly cases: Readonly<Record<Kind, number>>;
  readonly findings: Readonly<Record<Kind, number>>;
  /** The number of answers by status. 0 stands for a connection without an answer. */
  readonly statuses: ReadonlyMap<number, number>;
}

export function makeCase(seed: number, number: number, secrets: Secrets): Case {
  const dice = rollDice(seed, number);
  const kind = dice.weighted(WEIGHTS);
  const make = { raw: rawCase, body: bodyCase, answer: answerCase, shape: shapeCase, upload: uploadCase }[
    kind
  ];
  return make(dice, number, secrets);
}

export async function runCampaign(world: FuzzWorld, { seed, seconds, only }: Plan): Promise<Sums> {
  const cases = { raw: 0, body: 0, answer: 0, shape: 0, upload: 0 };
  const findings = { raw: 0, body: 0, answer: 0, shape: 0, upload: 0 };
  const statuses = new Map<number, number>();
  const endMs = performance.now() + seconds * 1000;
  let next = only ?? 0;
  const lane = async () => {
    while (only === null ? performance.now() < endMs : next === only) {
      const one = makeCase(seed, next++, world.secrets);
      const { found, status } = await playOne(world, one);
      cases[one.kind]++;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (found.length === 0) continue;
      findings[one.kind]++;
      const isShown = Object.values(findings).reduce((sum, count) => sum + count, 0) <= FINDINGS_SHOWN;
      if (isShown) tell(one, found, seed);
    }
  };
  const renewal = setInterval(() => world.renewCredentials(), RENEW_EVERY_MS);
  await Promise.all(Array.from({ length: only === null ? LANES : 1 }, lane));
  clearInterval(renewal);
  return { cases, findings, statuses };
}

async function playOne(world: FuzzWorld, one: Case): Promise<{ found: readonly string[]; status: number }> {
  if (one.answer) world.upstream.answers.set(one.number, one.answer);
  const played = await play(world.url, one);
  world.upstream.answers.delete(one.number);
  return { found: findProblems(one, played), status: played.answers[0]?.status ?? 0 };
}

/** Prints how to replay the case, and saves the bytes of both connections. */
function tell(one: Case, found: readonly string[], seed: number): void {
  const file = join(tmpdir(), `poundkey-fuzz-${seed}-${one.number}.bytes`);
  writeFileSync(file, Buffer.concat([...one.pieces]));
  for (const step of one.answer ?? []) {
    if (step.does === "send" || step.does === "flood") appendFileSync(file, step.bytes);
    else appendFileSync(file, `\n-- ${step.does}\n`);
  }
  console.log(`(fail) ${one.kind}, ${one.says}: npm run fuzz -- --seed ${seed} --only ${one.number}`);
  for (const problem of found.slice(0, 3)) console.log(`  ${problem}`);
  console.log(`  the bytes are in ${file}`);
}
