// Groups of users at new-api and One API: a channel serves those of its groups alone.
import { parseReceived } from "../../core/json/bounds.ts";
import { asObject, isObject } from "../../core/json/json.ts";
import { type ForeignRow, readText, splitList } from "../columns.ts";
import { readOption } from "./options.ts";

/** The group of users and channels that name none. */
export const DEFAULT_GROUP = "default";
/** The gateway chooses the group by itself. */
const AUTO = "auto";
/** new-api's own, which its option of this name replaces. */
const USABLE_OPTION = "UserUsableGroups";
const USABLE = [DEFAULT_GROUP, "vip"];
/** By user group: `+:name` and `name` add a group to the usable ones, `-:name` removes one. */
const SPECIAL_OPTION = "group_ratio_setting.group_special_usable_group";
/** Groups without a ratio are refused. */
const RATIO_OPTION = "GroupRatio";
const RATIOS = [DEFAULT_GROUP, "vip", "svip"];

interface GroupedModel {
  readonly id: string;
  readonly groups: readonly string[];
}

/** The models that the channels of each group serve. */
export class GroupModels {
  readonly #all: ReadonlySet<string>;
  readonly #byGroup = new Map<string, Set<string>>();

  constructor(models: readonly GroupedModel[]) {
    this.#all = new Set(models.map(({ id }) => id));
    for (const { id, groups } of models)
      for (const group of groups) this.#byGroup.getOrInsertComputed(group, () => new Set()).add(id);
  }

  /** Returns null if the group may use all of them. */
  find(group: string): readonly string[] | null {
    const models = this.#byGroup.get(group) ?? new Set();
    return models.size === this.#all.size ? null : [...models];
  }
}

/** Returns the groups of a channel. */
export function readGroups(row: ForeignRow): readonly string[] {
  const groups = splitList(readText(row, "group"), /,/);
  return groups.length === 0 ? [DEFAULT_GROUP] : groups.toSorted();
}

/** A token's group counts instead of its user's. */
interface TokenGroup {
  readonly group: string;
  /** The reason why its models aren't known, if they aren't. */
  readonly unknown: string | null;
}

export function readTokenGroup(
  token: ForeignRow,
  user: ForeignRow | undefined,
  options: readonly ForeignRow[],
): TokenGroup {
  const ofUser = (user && readText(user, "group")) ?? DEFAULT_GROUP;
  const own = readText(token, "group");
  if (own === null) return { group: ofUser, unknown: null };
  if (own === AUTO) return { group: ofUser, unknown: "its group is chosen by new-api: auto" };
  if (own !== ofUser && !listUsable(options, ofUser).includes(own))
    return { group: own, unknown: `its user may not use the group ${own}` };
  const isLive = (listNames(options, RATIO_OPTION) ?? RATIOS).includes(own);
  return { group: own, unknown: isLive ? null : `the group ${own} has no ratio, so that it is refused` };
}

function listUsable(options: readonly ForeignRow[], userGroup: string): readonly string[] {
  const usable = new Set(listNames(options, USABLE_OPTION) ?? USABLE);
  const special = readJson(options, SPECIAL_OPTION);
  const ofGroup = isObject(special) && Object.hasOwn(special, userGroup) ? special[userGroup] : undefined;
  for (const word of Object.keys(asObject(ofGroup))) {
    const [, sign, name = word] = /^([+-]):(.*)$/s.exec(word) ?? [];
    if (sign === "-") usable.delete(name);
    else usable.add(name);
  }
  return [...usable];
}

function listNames(options: readonly ForeignRow[], name: string): readonly string[] | null {
  const found = readJson(options, name);
  return isObject(found) ? Object.keys(found) : null;
}

function readJson(options: readonly ForeignRow[], name: string): unknown {
  return parseReceived(readOption(options, name) ?? "");
}
