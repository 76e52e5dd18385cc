// Groups of users at new-api and One API: a channel serves those of its groups alone.
import { parseReceived } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";
import { type ForeignRow, readText, splitList } from "../columns.ts";

/** The group of users and channels that name none. */
const DEFAULT = "default";
/** The gateway chooses the group by itself. */
const AUTO = "auto";
/** new-api's own, which its option of this name replaces. */
const USABLE_OPTION = "UserUsableGroups";
const USABLE = [DEFAULT, "vip"];

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
  return groups.length === 0 ? [DEFAULT] : groups.toSorted();
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
  const ofUser = (user && readText(user, "group")) ?? DEFAULT;
  const own = readText(token, "group");
  if (own === null || own === ofUser) return { group: ofUser, unknown: null };
  if (own === AUTO) return { group: ofUser, unknown: "its group is chosen by new-api: auto" };
  const isUsable = listUsable(options).includes(own);
  return { group: own, unknown: isUsable ? null : `its user may not use the group ${own}` };
}

function listUsable(options: readonly ForeignRow[]): readonly string[] {
  const found = options.find((row) => readText(row, "key") === USABLE_OPTION);
  const usable = found && parseReceived(readText(found, "value") ?? "");
  return isObject(usable) ? Object.keys(usable) : USABLE;
}
