// new-api's channels as providers, and the models that they serve as aliases, groups and fallbacks.
import { asString } from "../../core/json/json.ts";
import { type ForeignRow, readNumber, readObject, readText, splitList } from "../columns.ts";
import type { Groups } from "../groups.ts";
import type { ImportedDeployment, Providers } from "../providers.ts";
import type { Report } from "../report.ts";
import { addSeparately } from "../separate.ts";
import { findMeant } from "../servers.ts";
import { GroupModels, readGroups } from "./groups.ts";
import { type ChannelOutlet, ENABLED, listOutlets, readWeight } from "./outlets.ts";
import type { ChannelTypes } from "./types.ts";

interface ChannelParts {
  readonly report: Report;
  readonly providers: Providers;
  readonly groups: Groups;
  readonly types: ChannelTypes;
}

interface ChannelsReading {
  /** By model id: channels of a lower priority are fallbacks. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  readonly models: GroupModels;
}

export function readChannels(
  channels: readonly ForeignRow[],
  { providers, groups, report, types }: ChannelParts,
): ChannelsReading {
  const served = channels.flatMap((row) => readChannel(row, { report, types }));
  const byName = [...Map.groupBy(served, ({ name }) => name).values()];
  const next = new Map(byName.flatMap(listNext));
  const named = served.map((one) => ({
    ...one,
    rank: `${one.priority} ${one.groups}`,
    next: next.get(one) ?? null,
  }));
  const ids = addSeparately(providers, named);
  const placed = served.map((one, at) => ({ ...one, id: ids[at] ?? "" }));
  for (const [label, all] of Map.groupBy(placed, (one) => one.label)) {
    const places = new Set(all.map(({ id }) => id.split("#")[0]));
    const names = new Set(all.map(({ name }) => name));
    const members = new Set(all.flatMap((one) => one.groups));
    const words = `${[...places].join(", ")} with ${countModels(names.size)}`;
    report.take(null, `channel ${label}`, `${words}, for the group ${[...members].join(", ")}`);
  }
  const placedByName = Map.groupBy(placed, ({ name }) => name);
  const fallbacks = new Map([...placedByName].flatMap(([name, all]) => rank(name, all, groups)));
  return { fallbacks, models: new GroupModels(placed) };
}

/** Splits the channels of a name: those that come first for anybody, and those that only follow. */
function split<Model extends ChannelModel>(all: readonly Model[]) {
  const isFirst = ({ groups, priority }: Model) =>
    groups.some((group) => all.every((one) => !one.groups.includes(group) || one.priority <= priority));
  return { first: all.filter(isFirst), later: all.filter((one) => !isFirst(one)) };
}

/** Returns what follows each model of a name, to be compared: the channels of lower priorities. */
function listNext(all: readonly ChannelModel[]): readonly (readonly [ChannelModel, string])[] {
  const { first, later } = split(all);
  const next = later.map(({ priority, deployment: { provider, place, name, credential } }) => [
    priority,
    provider,
    place,
    name,
    credential?.key,
  ]);
  return first.map((one) => [one, JSON.stringify(next)] as const);
}

function readLabel(row: ForeignRow): string {
  return readText(row, "name") ?? `channel ${readNumber(row, "id") ?? ""}`;
}

interface PlacedModel extends ChannelModel {
  readonly id: string;
}

/** Adds those of the highest priorities to the group of the name. Returns the others as their fallbacks. */
function rank(
  name: string,
  all: readonly PlacedModel[],
  groups: Groups,
): readonly (readonly [string, readonly string[]])[] {
  const { first, later } = split(all);
  const seen = new Set<string>();
  for (const { id, label, weight } of first) {
    // The keys of a channel have its weight together.
    const key = `${id} ${label}`;
    if (!seen.has(key)) groups.add(name, id, weight);
    seen.add(key);
  }
  const sorted = later.toSorted((one, other) => other.priority - one.priority);
  const ids = [...new Set(sorted.map(({ id }) => id))];
  const withOthers = first.map(({ id }) => [id, ids.filter((other) => other !== id)] as const);
  return withOthers.filter(([, others]) => others.length > 0);
}

interface ChannelModel {
  /** That clients ask for. */
  readonly name: string;
  /** The channel's name, for the report. */
  readonly label: string;
  readonly priority: number;
  readonly weight: number | undefined;
  /** The groups of users whom it serves. */
  readonly groups: readonly string[];
  readonly deployment: ImportedDeployment;
}

function readChannel(
  row: ForeignRow,
  { report, types }: Pick<ChannelParts, "report" | "types">,
): readonly ChannelModel[] {
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
  reportLost(row, label, report);
  const mapping = readObject(row, "model_mapping");
  const channel = {
    label,
    priority: readNumber(row, "priority") ?? 0,
    weight: readWeight(row),
    groups: readGroups(row),
  };
  const served = splitList(readText(row, "models"), /,/).flatMap((name) => {
    const deployments = listDeployments(asString(mapping[name]) ?? name, provider, outlets);
    if (deployments.length === 0)
      report.leave(null, `channel ${label}: model ${name}`, `its name on ${provider} isn't known here`);
    return deployments.map((deployment) => ({ ...channel, name, deployment }));
  });
  return served.length > 0 ? served : leave("none of its models is served here");
}

function reportLost(row: ForeignRow, label: string, report: Report): void {
  for (const field of ["param_override", "header_override", "setting"]) {
    const isGiven = Object.keys(readObject(row, field)).length > 0;
    if (isGiven)
      report.leave(null, `channel ${label}: ${field}`, "set providers.<name>.headers or the model's entry");
  }
  if (readText(row, "system_prompt") !== null)
    report.leave(null, `channel ${label}: system_prompt`, "clients set it");
}

function countModels(count: number): string {
  return count === 1 ? "1 model" : `${count} models`;
}

/** Returns the model at each of the channel's places: one for each key. */
function listDeployments(
  real: string,
  provider: string,
  outlets: readonly ChannelOutlet[],
): readonly ImportedDeployment[] {
  return outlets.flatMap(({ placed, credential, findName }) => {
    const name = findName(real);
    return name === null ? [] : [{ provider, ...placed, name, model: {}, credential, line: null }];
  });
}
