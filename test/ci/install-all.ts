// Installs what the steps need, at low priority, while the gate runs.
import { type Installed, install, type Place } from "./install.ts";
import { INSTALLS, type Install } from "./installs.ts";
import type { Outcome } from "./row.ts";
import { schedule } from "./schedule.ts";

/** One unpacks while another waits for the network. */
const AT_ONCE = 2;

/** Starts them, and returns what becomes of each by its name. */
export function installAll(names: readonly string[], place: Place): ReadonlyMap<string, Promise<Outcome>> {
  const rows = INSTALLS.filter(({ name }) => names.includes(name));
  const ends = new Map(rows.map(({ name }) => [name, Promise.withResolvers<Outcome>()]));
  const tasks = rows.map((row) => ({ ...row, needs: [], cpu: 1 }));
  const run = async (row: Install) => ends.get(row.name)?.resolve(await installOne(row, place));
  void schedule(tasks, { room: AT_ONCE, ended: new Set(), expect: () => 0, run });
  return new Map([...ends].map(([name, { promise }]) => [name, promise]));
}

async function installOne(row: Install, place: Place): Promise<Outcome> {
  const startedMs = performance.now();
  const { isWhole, cpu, text } = await install(row, place).catch(describeError);
  const seconds = (performance.now() - startedMs) / 1000;
  const passed = isWhole ? 1 : 0;
  const says = isWhole ? text : `${text}\nerror: ${row.name} could not be installed`;
  return { name: row.name, passed, failed: 1 - passed, files: [], seconds, cpu, text: says };
}

function describeError(error: unknown): Installed {
  return { isWhole: false, isKept: false, cpu: 0, text: String(error) };
}
