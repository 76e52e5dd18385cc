// Additions of LiteLLM's database to the file: settings changed in its interface, and names for models that single owners have.
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { type ForeignRow, isEmptyCell, readObject, readText } from "../columns.ts";
import type { Report } from "../report.ts";
import type { Tables } from "./tables.ts";

/** Sections of the file. Others in the table are encrypted, or are for LiteLLM's own interface. */
const SECTIONS = ["router_settings", "litellm_settings", "general_settings"];

/** Returns the file's content with the database's settings, which come before those of the file. */
export function addSettings(value: unknown, settings: readonly ForeignRow[]): JsonObject {
  const root = asObject(value);
  const added = settings.flatMap((row) => {
    const name = readText(row, "param_name") ?? "";
    const cell = row.param_value;
    const given = asObject(typeof cell === "string" ? parseReceived(cell) : cell);
    return SECTIONS.includes(name) ? [[name, { ...asObject(root[name]), ...given }] as const] : [];
  });
  return { ...root, ...Object.fromEntries(added) };
}

/** Reports those that aren't read. */
export function reportSettings(settings: readonly ForeignRow[], report: Report): void {
  for (const row of settings) {
    const name = readText(row, "param_name") ?? "";
    if (!SECTIONS.includes(name) && !isEmptyCell(row.param_value))
      report.leave(null, `${name} of the database`, "it is encrypted, or for LiteLLM's own interface");
  }
}

/**
 * Returns names that teams or keys have for models. Here they are for all, which lets nobody use another model than before.
 * A name that several have for different models isn't among them.
 */
export function listOwnAliases({ teamAliases, keys }: Tables): ReadonlyMap<string, string> {
  const given = [
    ...(teamAliases ?? []).map((row) => readObject(row, "aliases")),
    ...keys.map((row) => readObject(row, "aliases")),
  ];
  const found = new Map<string, Set<string>>();
  for (const [alias, target] of given.flatMap((one) => Object.entries(one)))
    found.getOrInsertComputed(alias, () => new Set()).add(asString(target) ?? "");
  return new Map(
    [...found].flatMap(([alias, targets]) => {
      const [target = ""] = targets;
      return targets.size === 1 && target !== "" ? [[alias, target] as const] : [];
    }),
  );
}
