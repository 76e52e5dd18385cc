// LiteLLM's configuration file: its models as providers, aliases and fallbacks, and all other settings in the report.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ForeignRow } from "../columns.ts";
import { Fields } from "../fields.ts";
import { readForeign } from "../foreign-text.ts";
import { Groups } from "../groups.ts";
import type { PlannedConfig } from "../plan.ts";
import { Providers } from "../providers.ts";
import type { Report } from "../report.ts";
import { addSeparately, type NamedDeployment } from "../separate.ts";
import { addSettings, listOwnerAliases } from "./database.ts";
import { addCredential, readDeployment } from "./deployment.ts";
import { isGatewayBudget, readGatewayBudget } from "./gateway-budget.ts";
import { reserveReferences } from "./references.ts";
import { describeParameter, describeSetting } from "./settings.ts";
import { NO_TABLES, type Tables } from "./tables.ts";
import { readToolServers, type ToolServerNames } from "./tool-servers.ts";

/** A parsed file, and the place of each part in it. */
export interface SourceFile {
  readonly value: unknown;
  /** Returns the line, from 1. */
  readonly findLine: (path: readonly (string | number)[]) => number;
}

/** The models behind LiteLLM's names, for the keys that are limited to some. */
export interface ModelNames {
  /** Returns the ids behind a name, or a pattern of them. Empty if it is unknown. */
  find(name: string): readonly string[];
  /** True if another name leads to one of its models, too. */
  isShared(name: string): boolean;
  /** Returns the models that take a model's place if it fails. */
  findFallbacks(id: string): readonly string[];
}

interface LiteLlmConfigParts {
  readonly file: SourceFile;
  /** True for a setting of the database. */
  readonly isStored: (section: string, field: string) => boolean;
  readonly report: Report;
  readonly providers: Providers;
  readonly groups: Groups;
  /** The names of models by the access group that they are in. */
  readonly access: Map<string, string[]>;
  readonly tables: Tables;
  /** The names that follow a name, as the file has them. */
  readonly next: ReadonlyMap<string, readonly string[]>;
}

interface ConfigReading {
  readonly config: PlannedConfig;
  readonly names: ModelNames;
  /** Null if no server was taken. */
  readonly toolNames: ToolServerNames | null;
  /** The budget of all calls together. */
  readonly budget: ForeignRow | null;
}

/** Reads the whole file. Every part of it gets a row of the report. */
export function readConfig(file: SourceFile, report: Report, tables = NO_TABLES): ConfigReading {
  const settings = addSettings(file.value, tables.settings, report);
  const root = asObject(readForeign(settings.root, report));
  const parts: LiteLlmConfigParts = {
    file,
    isStored: settings.isStored,
    report,
    providers: new Providers(),
    groups: new Groups(),
    access: new Map(),
    tables,
    next: readNext(root),
  };
  reserveReferences(root, report);
  readModels(parts, root);
  const fallbacks = readSettings(parts, root);
  const { providers, groups } = parts;
  for (const [alias, name] of listOwnerAliases(tables))
    if (groups.find(alias).length === 0) groups.rename(alias, name);
  providers.report(report);
  const overlay = { ...providers.overlay, ...mergeFallbacks(providers.overlay, fallbacks) };
  const { mcp, names: toolNames } = readToolServers(root, { report, findLine: file.findLine });
  const config = {
    providers: providers.list(),
    models: overlay,
    aliases: providers.listAliases(groups, report),
    ...(mcp && { mcp }),
  };
  const budget = readGatewayBudget(root, tables);
  return { config, budget, names: makeNames(parts, fallbacks), toolNames };
}

/** Fallbacks are lists of one name each: `[{ gpt-4: [claude] }]`. */
function listFallbacks(value: unknown): readonly (readonly [name: string, others: readonly string[]])[] {
  const all = asArray(value).flatMap((one) => Object.entries(asObject(one)));
  return all.map(([name, others]) => [name, asArray(others).map(String)] as const);
}

function readNext(root: JsonObject): LiteLlmConfigParts["next"] {
  return new Map(Object.values(root).flatMap((section) => listFallbacks(asObject(section).fallbacks)));
}

interface NamedModel extends NamedDeployment {
  readonly label: string;
  readonly weight: number | undefined;
}

function readModels(parts: LiteLlmConfigParts, root: JsonObject): void {
  const { report, providers, groups } = parts;
  const models = asArray(root.model_list);
  if (models.length === 0) report.leave(null, "model_list", "the file lists no models");
  const credentials = asArray(root.credential_list);
  const found = models.flatMap((entry, at) => readModel(parts, asObject(entry), at, credentials) ?? []);
  for (const [at, id] of addSeparately(providers, found).entries()) {
    const one = found[at];
    if (one === undefined) continue;
    const { name, label, weight, deployment } = one;
    if (name !== "") groups.add(name, id, weight);
    const isAll = id.endsWith("#*");
    report.take(deployment.line, `model ${label}`, isAll ? `every model of ${id.slice(0, -2)}` : id);
  }
}

/** Returns null for an entry that isn't taken. */
function readModel(
  { file, report, access, next }: LiteLlmConfigParts,
  entry: JsonObject,
  at: number,
  credentials: readonly unknown[],
): NamedModel | null {
  const line = file.findLine(["model_list", at]);
  const beside = new Fields(entry);
  const name = beside.takeText("model_name") ?? "";
  const params = new Fields(addCredential(asObject(beside.take("litellm_params")), credentials));
  const info = new Fields(asObject(beside.take("model_info")));
  const label = name === "" ? `model_list[${at}]` : name;
  const deployment = readDeployment({ params, info, beside, line, label }, report);
  if (typeof deployment === "string") {
    report.leave(line, `model ${label}`, deployment);
    return null;
  }
  const weight = name === "" ? undefined : params.takeNumber("weight");
  for (const group of asArray(info.take("access_groups")))
    access.getOrInsertComputed(String(group), () => []).push(name);
  const reportUnread = (fields: Fields, path: readonly string[]) => {
    for (const field of fields.listUnread()) {
      const { outcome, words } = describeParameter(field);
      const place = file.findLine(["model_list", at, ...path, field]);
      report.add({ line: place, item: `${label}: ${field}`, outcome, words });
    }
  };
  reportUnread(params, ["litellm_params"]);
  reportUnread(info, ["model_info"]);
  reportUnread(beside, []);
  return { name, rank: "", next: JSON.stringify(next.get(name) ?? []), deployment, label, weight };
}

const READ_APART: ReadonlySet<string> = new Set(["model_list", "credential_list", "mcp_servers"]);

/** Returns the fallbacks, and puts all other settings into the report. */
function readSettings(parts: LiteLlmConfigParts, root: JsonObject): ReadonlyMap<string, readonly string[]> {
  const fallbacks = new Map<string, readonly string[]>();
  for (const [section, content] of Object.entries(root)) {
    if (READ_APART.has(section)) continue;
    const fields = isObject(content) ? Object.entries(content) : [["", content] as const];
    for (const [field, value] of fields) readSetting(parts, { section, field, value }, fallbacks);
  }
  return fallbacks;
}

interface ConfigSetting {
  readonly section: string;
  readonly field: string;
  readonly value: unknown;
}

function readSetting(
  parts: LiteLlmConfigParts,
  setting: ConfigSetting,
  fallbacks: Map<string, readonly string[]>,
): void {
  const { section, field, value } = setting;
  const path = field === "" ? [section] : [section, field];
  const line = parts.isStored(section, field) ? null : parts.file.findLine(path);
  if (field === "fallbacks") readFallbacks(parts, { line, value }, fallbacks);
  else if (field === "model_group_alias") readAliases(parts, { line, value });
  else if (isGatewayBudget(section, field, parts.tables))
    parts.report.narrow(line, path.join("."), "each key has an equal share of the budget");
  else {
    parts.report.add({ line, item: path.join("."), ...describeSetting(section, field) });
  }
}

interface PlacedValue {
  /** Null for a setting of the database. */
  readonly line: number | null;
  readonly value: unknown;
}

function readFallbacks(
  parts: LiteLlmConfigParts,
  { line, value }: PlacedValue,
  fallbacks: Map<string, readonly string[]>,
): void {
  const { groups, report } = parts;
  for (const [name, others] of listFallbacks(value)) {
    const item = `fallbacks of ${name}`;
    const found = groups.find(name).filter((id) => !id.endsWith("#*"));
    const next = others.flatMap((other) => groups.find(other));
    const shared = findShared(parts, name, found);
    if (shared !== undefined)
      report.leave(
        line,
        item,
        `they would be those of ${shared} too, which is the same model and has others`,
      );
    else if (found.length === 0 || next.length === 0)
      report.leave(line, item, "a name in them isn't in model_list");
    else {
      for (const id of found)
        fallbacks.set(
          id,
          [...new Set(next)].filter((one) => one !== id && !one.endsWith("#*")),
        );
      report.take(line, item, `models.${found.join(", ")}.fallbacks`);
    }
  }
}

/** Returns another name for one of the models, with other fallbacks. There is one if `name` is an alias or fits a pattern. */
function findShared(
  { groups, next }: LiteLlmConfigParts,
  name: string,
  ids: readonly string[],
): string | undefined {
  const own = JSON.stringify(next.get(name) ?? []);
  return groups.names.find(
    (other) =>
      other !== name &&
      JSON.stringify(next.get(other) ?? []) !== own &&
      groups.find(other).some((id) => ids.includes(id)),
  );
}

function readAliases({ groups, report }: LiteLlmConfigParts, { line, value }: PlacedValue): void {
  for (const [alias, target] of Object.entries(asObject(value))) {
    const name = asString(target) ?? asString(asObject(target).model) ?? "";
    if (groups.rename(alias, name)) report.take(line, `alias ${alias}`, `the models of ${name}`);
    else report.leave(line, `alias ${alias}`, `'${name}' isn't in model_list`);
  }
}

function mergeFallbacks(
  overlay: Readonly<Record<string, object>>,
  fallbacks: ReadonlyMap<string, readonly string[]>,
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    [...fallbacks]
      .filter(([, list]) => list.length > 0)
      .map(([id, list]) => [id, { ...overlay[id], fallbacks: list }]),
  );
}

function makeNames(
  { groups, access }: LiteLlmConfigParts,
  fallbacks: ReadonlyMap<string, readonly string[]>,
): ModelNames {
  const find = (name: string) => {
    const members = access.get(name);
    return members === undefined ? groups.find(name) : members.flatMap((one) => groups.find(one));
  };
  return {
    find,
    isShared: (name) => {
      const ids = find(name);
      return groups.names.some((other) => other !== name && groups.find(other).some((id) => meets(id, ids)));
    },
    findFallbacks: (id) => fallbacks.get(id) ?? [],
  };
}

/** True if it is one of the ids, or stands for all models of a provider that has one. */
function meets(id: string, ids: readonly string[]): boolean {
  return ids.includes(id) || (id.endsWith("#*") && ids.some((one) => one.startsWith(id.slice(0, -1))));
}
