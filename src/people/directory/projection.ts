// The attributes of a resource that an answer shows: those that are asked for, or all but some.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { type AttributeName, ENTERPRISE, ENTERPRISE_SCHEMA, readName } from "./names.ts";

/** Always shown. */
const ALWAYS: ReadonlySet<string> = new Set(["schemas", "id"]);
const NAMES_MAX = 100;

export interface Projection {
  /** Null for all. */
  readonly only: readonly AttributeName[] | null;
  readonly except: readonly AttributeName[];
}

/** Reads the query's `attributes` and `excludedAttributes`: names with commas between them. */
export function readProjection(attributes: string | null, excluded: string | null): Projection {
  const only = readNames(attributes);
  return { only: only.length === 0 ? null : only, except: readNames(excluded) };
}

function readNames(text: string | null): readonly AttributeName[] {
  const names = (text ?? "").split(",").map((one) => one.trim());
  return names
    .filter((one) => one !== "")
    .slice(0, NAMES_MAX)
    .map(readName);
}

/** True if the attribute would be shown at all, so that it has to be read. */
export function isShown({ only, except }: Projection, attribute: string): boolean {
  const isWhole = (one: AttributeName) => one.attribute === attribute && one.part === null;
  return (only === null || only.some((one) => one.attribute === attribute)) && !except.some(isWhole);
}

export function projectResource(resource: JsonObject, projection: Projection): JsonObject {
  const shown = Object.entries(resource).flatMap(([name, value]) => {
    if (ALWAYS.has(name)) return [[name, value] as const];
    const attribute = name === ENTERPRISE_SCHEMA ? ENTERPRISE : name.toLowerCase();
    if (!isShown(projection, attribute)) return [];
    const kept = keepParts(value, listParts(projection, attribute));
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(shown);
}

interface AttributeSets {
  readonly only: ReadonlySet<string> | null;
  readonly except: ReadonlySet<string>;
}

function listParts({ only, except }: Projection, attribute: string): AttributeSets {
  const partsOf = (names: readonly AttributeName[]) => names.filter((one) => one.attribute === attribute);
  const wanted = partsOf(only ?? []);
  const isWhole = wanted.length === 0 || wanted.some(({ part }) => part === null);
  return {
    only: isWhole ? null : new Set(wanted.flatMap(({ part }) => part ?? [])),
    except: new Set(partsOf(except).flatMap(({ part }) => part ?? [])),
  };
}

function keepParts(value: unknown, parts: AttributeSets): unknown {
  if (parts.only === null && parts.except.size === 0) return value;
  if (Array.isArray(value)) return value.map((one) => keepParts(one, parts));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => {
    const part = name.toLowerCase();
    return (parts.only === null || parts.only.has(part)) && !parts.except.has(part);
  });
  return Object.fromEntries(kept);
}
