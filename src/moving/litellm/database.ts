// Additions of LiteLLM's database to the file: settings changed in its interface, and names for models that single owners have.
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { type ForeignRow, isEmptyCell, readObject, readText } from "../columns.ts";
import type { Report } from "../report.ts";
import type { Tables } from "./tables.ts";

/** Sections of the file. Others in the table are encrypted, or are for LiteLLM's own interface. */
const SECTIONS = ["router_settings", "litellm_settings", "general_settings"];

/** One setting of the database: a key of a section. */
interface StoredSetting {
  readonly section: string;
  readonly field: string;
  readonly value: unknown;
}

interface MergedSettings {
  /** The file's content with the settings that only the database has. */
  readonly root: JsonObject;
  /** True for a setting that comes from the database, and so has no line of the file. */
  readonly isStored: (section: string, field: string) => boolean;
}

/**
 * Adds the database's settings to the file's. A key that the file has is the file's, whatever the database holds for it, and a
 * stored null is none (LiteLLM 1.110.2, SettingsStore). A setting that isn't read gets a row.
 */
export function addSettings(value: unknown, rows: readonly ForeignRow[], report: Report): MergedSettings {
  const root = asObject(value);
  reportUnread(rows, report);
  const stored = rows.flatMap(listSettings);
  const added = stored.filter(({ section, field }) => !Object.hasOwn(asObject(root[section]), field));
  for (const one of stored) if (!added.includes(one)) reportShadowed(one, root, report);
  const sections = Object.entries(Object.groupBy(added, ({ section }) => section)).map(
    ([section, list = []]) => {
      const fields = Object.fromEntries(list.map(({ field, value: given }) => [field, given]));
      return [section, { ...asObject(root[section]), ...fields }] as const;
    },
  );
  return {
    root: { ...root, ...Object.fromEntries(sections) },
    isStored: (section, field) => added.some((one) => one.section === section && one.field === field),
  };
}

function listSettings(row: ForeignRow): readonly StoredSetting[] {
  const section = readText(row, "param_name") ?? "";
  if (!SECTIONS.includes(section)) return [];
  const cell = row.param_value;
  const given = Object.entries(asObject(typeof cell === "string" ? parseReceived(cell) : cell));
  return given.flatMap(([field, value]) => (value === null ? [] : [{ section, field, value }]));
}

function reportShadowed({ section, field, value }: StoredSetting, root: JsonObject, report: Report): void {
  if (Bun.deepEquals(value, asObject(root[section])[field])) return;
  report.leave(
    null,
    `${section}.${field} of the database`,
    "the file has this setting, and LiteLLM then ignores the database's",
  );
}

function reportUnread(rows: readonly ForeignRow[], report: Report): void {
  for (const row of rows) {
    const name = readText(row, "param_name") ?? "";
    if (!SECTIONS.includes(name) && !isEmptyCell(row.param_value))
      report.leave(null, `${name} of the database`, "it is encrypted, or for LiteLLM's own interface");
  }
}

/**
 * Returns names that teams or keys have for models. Here they are for all, which lets nobody use another model than before.
 * A name that several have for different models isn't among them.
 */
export function listOwnerAliases({ teamAliases, keys }: Tables): ReadonlyMap<string, string> {
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
