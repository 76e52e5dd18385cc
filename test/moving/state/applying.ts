// Applies states to a store and exports them again, as the commands do, with what is put on record on the way.
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import type { AdminWorld } from "../../../src/admin/world.ts";
import { makeStateWorld } from "../../../src/cli/state/state-world.ts";
import { YamlText } from "../../../src/config/yaml.ts";
import type { Store } from "../../../src/core/store.ts";
import { derivePepper } from "../../../src/keys/master.ts";
import type { Change, Plan } from "../../../src/moving/state/draft.ts";
import { readStateFile } from "../../../src/moving/state/file.ts";
import type { StateWorld } from "../../../src/moving/state/known.ts";
import { performPlan } from "../../../src/moving/state/perform.ts";
import { planState } from "../../../src/moving/state/plan.ts";
import { writeState, writeStateText } from "../../../src/moving/state/write.ts";
import { TESTER } from "../../harness/acting.ts";
import { NOON, standingClock } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";

const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const pepper = derivePepper(new Uint8Array(32).fill(9));
const settings = readSettings("");

export function makeWorld(store: Store): StateWorld {
  const world: AdminWorld = { store, clock: standingClock(NOON), random, pepper };
  return makeStateWorld(actAs(world, TESTER), settings);
}

/** Plans a file's text. Throws if it is refused. */
export async function planText(world: StateWorld, text: string, isPruning = true): Promise<Plan> {
  const yaml = new YamlText(text);
  const { state, issues } = readStateFile(yaml.value());
  const plan = await planState(world, state, { file: state.name ?? "made", isPruning });
  const all = [...yaml.problems(), ...issues, ...plan.issues];
  if (all.length > 0) throw new Error(JSON.stringify(all));
  return plan;
}

export interface Applied {
  readonly plan: Plan;
  readonly made: readonly Change[];
}

export async function applyText(world: StateWorld, text: string): Promise<Applied> {
  const plan = await planText(world, text);
  const made: Change[] = [];
  await performPlan(world, plan, { keep: () => {}, onChange: (change) => void made.push(change) });
  return { plan, made };
}

export async function exportText(world: StateWorld): Promise<string> {
  return writeStateText(await writeState(world));
}
