// Validates values against the configuration's schema.
import { Value } from "@sinclair/typebox/value";
import { isObject } from "../core/json.ts";
import type { Issue, Path } from "./errors.ts";
import { type Interpolated, parseTyped } from "./interpolate.ts";
import { type Config, ConfigSchema } from "./schema.ts";
import { findChild, listErrors, listIssues } from "./schema-issues.ts";

export type Validated =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Returns the value as a configuration. Interpolated texts that spell the number or boolean that a field needs are replaced in place. */
export function validate(value: unknown, sources: Interpolated["sources"]): Validated {
  const root = value ?? {};
  if (Value.Check(ConfigSchema, root)) return { ok: true, config: root };
  for (const { path } of listErrors(ConfigSchema, root)) retype(root, path, sources);
  if (Value.Check(ConfigSchema, root)) return { ok: true, config: root };
  return { ok: false, issues: listIssues(ConfigSchema, root, sources) };
}

/** Replaces an interpolated text by the number or boolean that it spells, if it spells one. */
function retype(root: unknown, path: Path, sources: Interpolated["sources"]): void {
  const last = path.at(-1);
  const parent = path.slice(0, -1).reduce(findChild, root);
  const value = last === undefined ? undefined : findChild(parent, last);
  if (last === undefined || typeof value !== "string" || !sources.has(JSON.stringify(path))) return;
  const typed = parseTyped(value);
  if (typed === undefined) return;
  if (Array.isArray(parent)) parent[Number(last)] = typed;
  else if (isObject(parent)) parent[last] = typed;
}
