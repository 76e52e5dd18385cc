// The values that `poundkey setup` wrote, as `--undo` prints them: the key in them is hidden, the rest is shown.
import { isObject } from "../../core/json/json.ts";
import { AGENT_SETUPS, type Template } from "../../docs/site/client-setups.ts";
import { holdsKey } from "./fill-template.ts";
import { hideValue } from "./hide.ts";
import type { JournalField } from "./journal.ts";

/** Returns what the table writes in a field. Undefined for a field of another version's table. */
export function findTemplate(agent: string, { kind, path }: JournalField): Template | undefined {
  const setup = AGENT_SETUPS.find(({ name }) => name === agent);
  const field = path.join(".");
  const changes = [...(setup?.files ?? []), ...(setup?.tools ?? [])].flatMap((file) => file.changes);
  const set = changes.find((change) => "set" in change && change.set === field);
  if (set !== undefined && "to" in set) return set.to;
  const entry = changes.find((change) => "first" in change && change.first === field);
  if (entry === undefined || !("to" in entry)) return undefined;
  // The list holds entries of others too.
  return kind === "first" ? [entry.to] : entry.to;
}

/** Hides every text that no template accounts for. */
export function hideSetupValue(value: unknown, template: Template | undefined): unknown {
  if (template === undefined) return hideValue(value, true, null);
  if (!holdsKey(template)) return hideValue(value, false, null);
  if (isList(template)) {
    if (Array.isArray(value)) return value.map((one, at) => hideSetupValue(one, template[at]));
    return hideSetupValue(value, template[0]);
  }
  if (typeof template !== "object" || !isObject(value)) return hideValue(value, true, null);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hideSetupValue(one, template[name])]),
  );
}

const isList = (template: Template): template is readonly Template[] => Array.isArray(template);
