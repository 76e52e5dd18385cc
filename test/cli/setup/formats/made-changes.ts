// Made changes of settings, and what undoes each.
import type { SettingChange, SettingPath } from "../../../../src/cli/setup/formats/format.ts";
import { readField } from "../../../../src/cli/setup/formats/values.ts";
import { isObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { Dice } from "../../../sim/dice.ts";

const OURS = { name: "Poundkey", url: "http://127.0.0.1:8080/v1", auth: { x: "cat", y: ["/a b", 'c"d'] } };
const ENTRY = { id: "ours", url: "http://127.0.0.1:8080/v1", tags: ["chat", 1] };
const PATHS: readonly SettingPath[] = [
  ["model"],
  ["env", "A"],
  ["env", "ours"],
  ["env"],
  ["provider", "ours"],
  ["provider", "ours", "name"],
  ["provider", "ours", "auth", "x"],
  ["provider", "weird.key"],
  ["deep", "x", "y"],
  ["deep", "x", "new", "z"],
  ["a b"],
  ["new", "one", "two"],
];
const VALUES: readonly unknown[] = ["Router#best", 'a "b" \\ c', true, 3, ["x", "y"], {}, OURS, OURS];
const TEXTS = ["sk-test", "http://127.0.0.1:8080", "a b#c", 'q"', "$HOME"];

export function makeChanges(dice: Dice): readonly SettingChange[] {
  return Array.from({ length: dice.int(1, 4) }, () => {
    const kind = dice.weighted({ set: 5, remove: 2, first: 2, drop: 1 });
    const path = dice.pick(PATHS);
    if (kind === "set") return { kind, path, value: dice.pick(VALUES) };
    if (kind === "remove") return { kind, path };
    const value = { ...ENTRY, url: dice.pick([ENTRY.url, "http://127.0.0.1:9999/v1"]) };
    if (kind === "drop") return { kind, path: ["list"], value };
    return { kind, path: ["list"], value, same: dice.pick([["id"], ["id", "url"], []]) };
  });
}

export function makeVariableChanges(dice: Dice): readonly SettingChange[] {
  return Array.from({ length: dice.int(1, 4) }, () => {
    const path = [dice.pick(["A", "B", "ours", "NEW"])];
    return dice.chance(0.7) ? { kind: "set", path, value: dice.pick(TEXTS) } : { kind: "remove", path };
  });
}

/** Returns the change that brings back what stood there before. */
export function undoChange(change: SettingChange, before: JsonObject, after: JsonObject): SettingChange {
  const { path } = change;
  const value = readField(before, path);
  const entries = readField(after, path);
  const isOnlyMore = Array.isArray(value) && Array.isArray(entries) && entries.length === value.length + 1;
  if (change.kind === "first" && isOnlyMore) return { kind: "drop", path, value: change.value };
  return value === undefined ? { kind: "remove", path } : { kind: "set", path, value };
}

/** Returns the value without what is empty: what an undone change made around its field stays. */
export function pruneEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value;
  if (!isObject(value)) return value;
  const fields = Object.entries(value)
    .map(([key, field]) => [key, pruneEmpty(field)] as const)
    .filter(([, field]) => field !== null);
  return fields.length === 0 ? null : Object.fromEntries(fields);
}
