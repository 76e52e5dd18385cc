// new-api's channels as providers, and the models that they serve as aliases, groups and fallbacks.
import { asString } from "../../core/json/json.ts";
import { type ForeignRow, readNumber, readObject, readText, splitList } from "../columns.ts";
import type { Groups } from "../groups.ts";
import type { Providers } from "../providers.ts";
import type { Report } from "../report.ts";
import { findMeant } from "../servers.ts";
import { ENABLED, listOutlets, type Outlet, readWeight } from "./outlets.ts";
import type { ChannelTypes } from "./types.ts";

interface Parts {
  readonly report: Report;
  readonly providers: Providers;
  readonly groups: Groups;
  readonly types: ChannelTypes;
}

/** Channels of a lower priority are fallbacks. Returns them by model id. */
export function readChannels(
  channels: readonly ForeignRow[],
  parts: Parts,
): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, RankedChannel[]>();
  for (const row of channels) {
    for (const { name, id } of readChannel(row, parts)) {
      const label = readLabel(row);
      const one = { id, label, priority: readNumber(row, "priority") ?? 0, weight: readWeight(row) };
      byName.getOrInsertComputed(name, () => []).push(one);
    }
  }
  reportShared([...byName.values()], parts.report);
  return new Map([...byName].flatMap(([name, all]) => rank(name, all, parts.groups)));
}

function readLabel(row: ForeignRow): string {
  return readText(row, "name") ?? `channel ${readNumber(row, "id") ?? ""}`;
}

/** A model at one place is one model here, whichever channels it had there. */
function reportShared(names: readonly (readonly RankedChannel[])[], report: Report): void {
  const later = names.flatMap((all) =>
    all.filter(({ id, priority }) => all.some((one) => one.id === id && one.priority > priority)),
  );
  for (const label of new Set(later.map((one) => one.label)))
    report.leave(null, `channel ${label}: priority`, "the keys of one provider share the load by weight");
}

interface RankedChannel {
  readonly id: string;
  /** The channel's name, for the report. */
  readonly label: string;
  readonly priority: number;
  readonly weight: number | undefined;
}

/** Adds those of the highest priority to the group of the name. Returns the others as their fallbacks. */
function rank(
  name: string,
  all: readonly RankedChannel[],
  groups: Groups,
): readonly (readonly [string, readonly string[]])[] {
  const highest = Math.max(...all.map(({ priority }) => priority));
  const first = all.filter(({ priority }) => priority === highest);
  for (const { id, weight } of first) groups.add(name, id, weight);
  const later = all
    .filter(({ priority }) => priority !== highest)
    .toSorted((one, other) => other.priority - one.priority);
  const ids = [...new Set(later.map(({ id }) => id))];
  const withOthers = first.map(({ id }) => [id, ids.filter((other) => other !== id)] as const);
  return withOthers.filter(([, others]) => others.length > 0);
}

interface ChannelModel {
  readonly name: string;
  readonly id: string;
}

function readChannel(row: ForeignRow, parts: Parts): readonly ChannelModel[] {
  const { report, providers, types } = parts;
  const label = readLabel(row);
  const type = readNumber(row, "type") ?? 0;
  const [vendor = `type ${type}`, typed, kind] = types[type] ?? [];
  const leave = (words: string) => {
    report.leave(null, `channel ${label}`, words);
    return [];
  };
  if (typed === undefined) return leave(`${vendor} has no provider here`);
  if (readNumber(row, "status") !== ENABLED) return leave("it is disabled");
  const provider = findMeant(typed, readText(row, "base_url") ?? undefined);
  const outlets = listOutlets({ row, label, provider, kind }, report);
  if (typeof outlets === "string") return leave(outlets);
  for (const field of ["param_override", "header_override", "setting"]) {
    const isGiven = Object.keys(readObject(row, field)).length > 0;
    if (isGiven)
      report.leave(null, `channel ${label}: ${field}`, "set providers.<name>.headers or the model's entry");
  }
  if (readText(row, "system_prompt") !== null)
    report.leave(null, `channel ${label}: system_prompt`, "clients set it");
  const mapping = readObject(row, "model_mapping");
  const served = splitList(readText(row, "models"), /,/).flatMap((name) => {
    const ids = addModel(asString(mapping[name]) ?? name, { provider, outlets, providers });
    if (ids.length === 0)
      report.leave(null, `channel ${label}: model ${name}`, `its name on ${provider} isn't known here`);
    return ids.map((id) => ({ name, id }));
  });
  const places = new Set(served.map(({ id }) => id.split("#")[0]));
  const names = new Set(served.map(({ name }) => name));
  if (names.size > 0)
    report.take(null, `channel ${label}`, `${[...places].join(", ")} with ${countModels(names.size)}`);
  else report.leave(null, `channel ${label}`, "none of its models is served here");
  return served;
}

function countModels(count: number): string {
  return count === 1 ? "1 model" : `${count} models`;
}

interface Places {
  readonly provider: string;
  readonly outlets: readonly Outlet[];
  readonly providers: Providers;
}

/** Returns the model's ids, each once: at one place for all keys, unless its keys are for several. */
function addModel(real: string, { provider, outlets, providers }: Places): readonly string[] {
  const ids = outlets.flatMap(({ placed, credential, findName }) => {
    const name = findName(real);
    return name === null
      ? []
      : [providers.add({ provider, ...placed, name, model: {}, credential, line: null })];
  });
  return [...new Set(ids)];
}
