// Power failures: a gateway under load whose writes and syncs are recorded, and its store as found after each moment.
import { Database } from "bun:sqlite";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { clock } from "../../../src/app/world.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { createLedger } from "../../../src/ledger/ledger.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { RULES } from "../../harness/samples.ts";
import { randomFrom } from "../../kill/campaign.ts";
import { runLoad, type Told } from "../../kill/load.ts";
import { type Program, startVictim } from "../../kill/process.ts";
import { brokenRules } from "../../kill/rules.ts";
import type { KillWorld } from "../../kill/world.ts";
import { buildRecorder, readSteps, type Step, SURVIVALS, writeSurvivor } from "./recording.ts";

export interface PowerOptions {
  readonly program: Program;
  readonly world: KillWorld;
  /** The number of moments, drawn from the steps of the recording. */
  readonly moments: number;
  readonly loadMs: number;
  readonly seed: number;
}

export interface PowerSums {
  readonly steps: number;
  readonly syncs: number;
  /** The paid answers that clients had at the latest moment. */
  readonly answers: number;
  readonly problems: readonly string[];
}

/** Null if there is no C compiler. */
export async function failPower(options: PowerOptions): Promise<PowerSums | null> {
  const { world, moments, seed } = options;
  const recorder = buildRecorder(world.directory);
  if (recorder === null) return null;
  const before = join(world.directory, "before.db");
  copyFileSync(world.database, before);
  const { steps, told } = await record(options, recorder);
  const random = randomFrom(seed);
  const problems: string[] = [];
  for (let number = 0; number < moments; number++) {
    const moment = 1 + Math.floor(random() * steps.length);
    const survival = SURVIVALS[number % SURVIVALS.length] ?? "all";
    const directory = join(world.directory, "survivor");
    mkdirSync(directory);
    const path = join(directory, "poundkey.db");
    writeSurvivor(steps, before, path, { moment, survival, random });
    const atMs = steps[moment - 1]?.atMs ?? 0;
    const found = await audit(path, listPromises(told, atMs));
    problems.push(...found.map((problem) => `after ${moment} steps, ${survival} of the rest: ${problem}`));
    rmSync(directory, { recursive: true });
  }
  return {
    steps: steps.length,
    syncs: steps.filter(({ kind }) => kind === "synced").length,
    answers: listPromises(told, Number.POSITIVE_INFINITY).length,
    problems,
  };
}

async function record({ program, world, loadMs, seed }: PowerOptions, recorder: string) {
  const path = join(world.directory, "steps");
  world.configure("beyond_allowance");
  const gateway = startVictim(program, world.directory, {
    LD_PRELOAD: recorder,
    POWER_STORE: world.database,
    POWER_RECORD: path,
  });
  try {
    const url = await gateway.listens;
    const untilMs = performance.now() + loadMs;
    const isOver = () => performance.now() > untilMs;
    const { secrets } = world;
    const random = randomFrom(seed);
    const load = { url, round: 1, charge: "beyond_allowance", secrets, random, first: [], isOver } as const;
    const { told } = await runLoad(load);
    return { steps: readSteps(path) as readonly Step[], told };
  } finally {
    gateway.signal("SIGKILL");
    await gateway.exited;
  }
}

/** The paid answers that clients surely had before that time. */
function listPromises(told: readonly Told[], atMs: number): readonly Told[] {
  return told.filter(({ answer, isPaid, endedAtMs }) => answer !== null && isPaid && endedAtMs + 1 < atMs);
}

/** Opens the store as the next start does. Returns the problems as sentences. */
async function audit(path: string, promised: readonly Told[]): Promise<readonly string[]> {
  const store = await openSqliteStore({ path, decide });
  try {
    await createLedger({ store, clock, rules: () => RULES }).resolveLost();
  } finally {
    await store.close();
  }
  const database = new Database(path, { readonly: true });
  try {
    const ids = new Set(
      database
        .query<{ id: string }, []>("SELECT id FROM request")
        .all()
        .map(({ id }) => id),
    );
    const lost = promised.filter(({ answer }) => answer !== null && !ids.has(answer.id));
    return [
      ...brokenRules(database),
      ...lost.map(({ requestId }) => `${requestId} was answered, and nothing is left of its hold`),
    ];
  } finally {
    database.close();
  }
}
