// Rules of the guard that act, rather than report: nodes of programs from before would let pass what they find. The first
// configuration with one ends the support for these programs, and isn't put in force while one of their nodes runs.
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Changes, RowChange } from "../../core/audit/changes.ts";
import { Fault } from "../../core/fault.ts";
import { describeOlder, nameNode } from "../../core/live-nodes.ts";
import type { GuardSettings } from "../../core/models/guard.ts";
import type { Store } from "../../core/store.ts";

const FIELD = "guard.rules";
const NAME = "guard_acts";
const ACTS = "true";
const CHANGE: RowChange = { kind: "setting", name: NAME, before: null, after: ACTS };

interface Admission {
  readonly store: Pick<Store, "setting" | "changes">;
  /** True if nodes of older programs may be stopped. */
  readonly stopsOlder: boolean;
}

/** Closes the store and rejects if the rules can't be put in force. */
export async function checkActing(
  guard: GuardSettings | undefined,
  { store, stopsOlder }: Admission & { readonly store: Pick<Store, "close"> },
): Promise<void> {
  try {
    const refused = await refuseActing(guard, { store, stopsOlder });
    if (refused !== null) throw new Error(`${FIELD}: ${refused}`);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Returns why the rules can't be put in force. Null if they can. Rejects if the store can't be asked. */
async function refuseActing(
  guard: GuardSettings | undefined,
  { store, stopsOlder }: Admission,
): Promise<string | null> {
  const acting = guard?.rules.find(({ action }) => action !== "report");
  if (acting === undefined || (await store.setting(NAME)) === ACTS) return null;
  const changes = store.changes(() => [], stopsOlder ? { stopsOlder } : {});
  try {
    await changes.changeOperatorSetting(NAME, () => ACTS);
    return null;
  } catch (error) {
    if (!(error instanceof Fault && error.code === "older_nodes")) throw error;
    return explain(acting.name, await listNames(changes));
  }
}

/** The same as an error of a configuration that is read again. */
export async function refuseReloaded(
  file: string,
  guard: GuardSettings | undefined,
  admission: Admission,
): Promise<readonly ConfigError[]> {
  const message = await refuseActing(guard, admission).catch(
    () => "has a rule that acts, and the store can't be asked whether nodes of older programs run",
  );
  if (message === null) return [];
  return [createError({ file, line: 0, column: 0, field: FIELD, message })];
}

/** They may have ended meanwhile. */
async function listNames(changes: Changes): Promise<readonly string[]> {
  return (await changes.listStopped([CHANGE])).map(nameNode);
}

function explain(rule: string, names: readonly string[]): string {
  return `older_nodes: ${describeOlder(names)}, and would let pass what the rule '${rule}' finds. Replace them first, then start or reload again; or start a node with --stop-older: they refuse requests from then on`;
}
