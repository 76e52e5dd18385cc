// Rules of the guard that act, rather than report: nodes of programs from before would let pass what they find. The first
// configuration with one ends the support for these programs, and isn't put in force while one of their nodes runs.
import { type ConfigError, createError } from "../../config/errors.ts";
import type { RowChange } from "../../core/changes.ts";
import { describeOlder, nameNode } from "../../core/live-nodes.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Store } from "../../core/store.ts";

const FIELD = "guard.rules";
const NAME = "guard_acts";
const ACTS = "true";
const CHANGE: RowChange = { kind: "setting", name: NAME, before: null, after: ACTS };

interface ActingAdmission {
  readonly store: Pick<Store, "setting" | "changes">;
  /** True if nodes of older programs may be stopped. */
  readonly stopsOlder: boolean;
}

/** Closes the store and rejects if the rules can't be put in force. */
export async function checkActing(
  guard: GuardSettings | undefined,
  { store, stopsOlder }: ActingAdmission & { readonly store: Pick<Store, "close"> },
): Promise<void> {
  try {
    const refused = await refuseActing(guard, { store, stopsOlder });
    if (refused !== null) throw new Error(`${FIELD}: ${refused}`);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Returns why the rules can't be put in force. Null if they can. Rejects if the store can't tell, or a node has just come. */
async function refuseActing(
  guard: GuardSettings | undefined,
  { store, stopsOlder }: ActingAdmission,
): Promise<string | null> {
  const acting = guard?.rules.find(({ action }) => action !== "report");
  if (acting === undefined || (await store.setting(NAME)) === ACTS) return null;
  const changes = store.changes(() => [], stopsOlder ? { stopsOlder } : {});
  const older = stopsOlder ? [] : await changes.listStopped([CHANGE]);
  if (older.length > 0) return explain(acting.name, older.map(nameNode));
  await changes.changeOperatorSetting(NAME, () => ACTS);
  return null;
}

/** The same as an error of a configuration that is read again. */
export async function refuseReloaded(
  file: string,
  guard: GuardSettings | undefined,
  admission: ActingAdmission,
): Promise<readonly ConfigError[]> {
  const message = await refuseActing(guard, admission).catch(
    (error: unknown) =>
      `a rule acts, and it isn't known whether nodes of older programs run: ${error instanceof Error ? error.message : error}`,
  );
  if (message === null) return [];
  return [createError({ file, line: 0, column: 0, field: FIELD, message })];
}

function explain(rule: string, names: readonly string[]): string {
  return `older_nodes: ${describeOlder(names)}, and would let pass what the rule '${rule}' finds. Replace them first, then start or reload again; or start a node with --stop-older: they refuse requests from then on`;
}
