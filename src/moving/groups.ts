// Names that clients ask for, each with the models behind it: aliases, groups and fallbacks.

import { omitUndefined } from "../core/json/json.ts";
import { ALIAS_EXPECTED, ALIAS_NAME, GROUP_MAX, WEIGHT_MAX, WEIGHT_MIN } from "../core/models/alias.ts";
import { showControl } from "../core/text/control.ts";
import { hasInvisible } from "../core/text/names.ts";

interface WeightedMember {
  readonly id: string;
  readonly weight: number | undefined;
}

export class Groups {
  readonly #members = new Map<string, WeightedMember[]>();

  add(name: string, id: string, weight?: number): void {
    this.#members.getOrInsertComputed(name, () => []).push({ id, weight });
  }

  /** Adds another name for the models of a name. Returns false if there is no such name. */
  rename(alias: string, name: string): boolean {
    const members = this.#members.get(name);
    if (members !== undefined) this.#members.set(alias, members);
    return members !== undefined;
  }

  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Returns the ids behind a name, each once. `openai/*` may be such a name, and then stands for all that fit. */
  find(name: string): readonly string[] {
    const members = this.#members.get(name);
    return members === undefined ? this.#findFitting(name) : [...new Set(members.map(({ id }) => id))];
  }

  #findFitting(name: string): readonly string[] {
    for (const [pattern, members] of this.#members) {
      const head = pattern.slice(0, -1);
      if (!pattern.endsWith("*") || !name.startsWith(head)) continue;
      const rest = name.slice(head.length);
      return [...new Set(members.map(({ id }) => id.replace(/#\*$/, `#${rest}`)))];
    }
    return [];
  }

  /**
   * Returns the configuration's section, in which a model alone is a group too, since only groups are in the lists that
   * clients ask for. A name that is a model's id already can't be an alias too, and neither can one that stands for all
   * models of a provider. `onLeft` is called with the names that are lost, and the reason.
   */
  list(
    findId: (name: string) => string | null,
    onLeft: (name: string, words: string) => void,
  ): Readonly<Record<string, readonly object[]>> {
    const aliases = [...this.#members].flatMap(([name, members]) => {
      const ids = this.find(name);
      const [only] = ids;
      const id = findId(name);
      if (only === undefined || name.includes("*") || (ids.length === 1 && only === id)) return [];
      const reason = refuseAlias(name, id);
      if (reason !== null) {
        onLeft(name, reason);
        return [];
      }
      if (ids.length > GROUP_MAX)
        onLeft(`${name}: ${ids.length - GROUP_MAX} models`, `a group has up to ${GROUP_MAX}`);
      const isAlone = ids.length === 1;
      const group = ids
        .slice(0, GROUP_MAX)
        .map((one) => (isAlone ? { model: one } : writeMember(one, members)));
      return [[name, group] as const];
    });
    return Object.fromEntries(aliases);
  }
}

function refuseAlias(name: string, id: string | null): string | null {
  if (id !== null) return `clients get ${id}, whose id it is`;
  if (hasInvisible(name) || showControl(name) !== name)
    return "a name has no control characters, and none that are invisible";
  return ALIAS_NAME.test(name) ? null : `a name has ${ALIAS_EXPECTED}`;
}

/** A model that stands there several times has the sum of the weights. */
function writeMember(id: string, members: readonly WeightedMember[]): object {
  const own = members.filter((member) => member.id === id);
  const isWeighted = members.some(({ weight }) => weight !== undefined) || own.length > 1;
  const sum = own.reduce((all, one) => all + (one.weight ?? 1), 0);
  return omitUndefined({ model: id, weight: isWeighted ? clampWeight(sum) : undefined });
}

export function clampWeight(weight: number): number {
  return Math.min(WEIGHT_MAX, Math.max(WEIGHT_MIN, weight));
}
