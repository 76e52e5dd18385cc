// The positions of a request's strings and numbers, by the vendors' SDKs and by the surfaces' own schemas.
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { ObjectShape, SdkTypes, Shape } from "./types.ts";

/** A place that may hold a string or a number: `Type.field`, or the path in a surface's schema. */
export interface Position {
  readonly id: string;
  /** The way from a body to the place: the field of each object, `[]` for a list's element, `*` for a map's value. */
  readonly path: readonly Step[];
  /** The place takes a number alone, or any JSON at all. */
  readonly holds: "string" | "number" | "any";
}

/** One step down, and the object that it leaves, of which the demanded fields are filled in as well. */
export type Step = { readonly field: string; readonly of: ObjectShape } | "[]" | "*";

export const stepName = (step: Step): string => (typeof step === "string" ? step : step.field);

export class Positions {
  readonly #types: SdkTypes | null;
  /** The types that were reached, with the way to each. */
  readonly #seen = new Map<string, readonly Step[]>();
  readonly #found = new Map<string, Position>();
  /** The ways to types that were reached before. */
  readonly #again: { readonly type: string; readonly path: readonly Step[] }[] = [];

  constructor(types: SdkTypes | null) {
    this.#types = types;
  }

  /** Lists breadth first, so that each place is reached by its shortest path. */
  list(root: Shape, name: string): readonly Position[] {
    let level: Waiting[] = [{ shape: root, owner: name, path: [] }];
    while (level.length > 0) level = level.flatMap((one) => this.#visit(one));
    return [...this.#found.values()];
  }

  /** The positions once more by each other way to their type: the first of each type, of those that are asked for. */
  listAgain(isAsked: (id: string) => boolean): readonly Position[] {
    const asked = [...this.#found.values()].filter(({ id }) => isAsked(id));
    return this.#again.flatMap(({ type, path }) => {
      const first = this.#seen.get(type) ?? [];
      const below = asked.filter((one) => first.every((step, at) => step === one.path[at]));
      const [nearest] = below.toSorted((one, other) => one.path.length - other.path.length);
      return nearest ? [{ ...nearest, path: [...path, ...nearest.path.slice(first.length)] }] : [];
    });
  }

  #visit({ shape, owner, path }: Waiting): Waiting[] {
    switch (shape.kind) {
      case "string":
      case "number":
      case "any":
        this.#add(owner, shape.kind, path);
        return [];
      case "list":
        return [{ shape: shape.of, owner, path: [...path, "[]"] }];
      case "map":
        return [{ shape: shape.of, owner: `${owner}.*`, path: [...path, "*"] }];
      case "union":
        return shape.of.map((one) => ({ shape: one, owner, path }));
      case "named":
        return this.#visitNamed(shape, path);
      case "both":
      case "object":
        return this.#visitFields(flatten(shape, this.#types), owner, path);
      default:
        return [];
    }
  }

  #visitNamed({ name, within }: Shape & { kind: "named" }, path: readonly Step[]): Waiting[] {
    const found = this.#types?.find(name, within);
    if (!found) return [];
    if (this.#seen.has(found.name)) {
      this.#again.push({ type: found.name, path });
      return [];
    }
    this.#seen.set(found.name, path);
    return [{ shape: found.shape, owner: found.name, path }];
  }

  #visitFields(of: ObjectShape, owner: string, path: readonly Step[]): Waiting[] {
    return [...of.fields].flatMap(([field, { shape }]) => {
      const next = { shape, owner: `${owner}.${field}`, path: [...path, { field, of }] };
      // A string or a number behind a name of its own belongs to the field, not to the name.
      return resolvePlain(shape, this.#types).map((one) => ({ ...next, shape: one }));
    });
  }

  #add(id: string, holds: Position["holds"], path: readonly Step[]): void {
    const before = this.#found.get(id);
    if (before === undefined || before.holds === "number") this.#found.set(id, { id, path, holds });
  }
}

interface Waiting {
  readonly shape: Shape;
  readonly owner: string;
  readonly path: readonly Step[];
}

/** The members of a field's type, in which names of plain types are resolved. */
function resolvePlain(shape: Shape, types: SdkTypes | null): readonly Shape[] {
  if (shape.kind === "union") return shape.of.flatMap((one) => resolvePlain(one, types));
  if (shape.kind === "list") return resolvePlain(shape.of, types).map((of) => ({ kind: "list", of }));
  const found = shape.kind === "named" ? types?.find(shape.name, shape.within)?.shape : undefined;
  if (!found || found.kind === "object" || found.kind === "both") return [shape];
  return resolvePlain(found, types);
}

/** The fields of an object and of those that it extends. */
export function flatten(shape: Shape, types: SdkTypes | null): ObjectShape {
  const fields = new Map<string, { isOptional: boolean; shape: Shape }>();
  const add = (one: Shape): void => {
    if (one.kind === "both") one.of.forEach(add);
    else if (one.kind === "map") fields.set("*", { isOptional: true, shape: one.of });
    else if (one.kind === "named") {
      const found = types?.find(one.name, one.within);
      if (found) add(found.shape);
    } else if (one.kind === "object") {
      for (const [name, field] of one.fields) if (!fields.has(name)) fields.set(name, field);
    }
  };
  add(shape);
  return { kind: "object", fields };
}

/** Reads a JSON schema, as TypeBox writes it. */
export function readSchema(schema: unknown): Shape {
  const given = asObject(schema);
  const members = asArray(given.anyOf);
  if (members.length > 0) return { kind: "union", of: members.map(readSchema) };
  if (typeof given.const === "string") return { kind: "literal", value: given.const };
  if (Array.isArray(given.enum))
    return { kind: "union", of: given.enum.map((one) => ({ kind: "literal", value: String(one) })) };
  switch (given.type) {
    case "string":
      return { kind: "string" };
    case "integer":
    case "number":
      return { kind: "number" };
    case "array":
      return { kind: "list", of: readSchema(given.items) };
    case "object":
      return readObject(given);
    case "boolean":
    case "null":
      return { kind: "other" };
    default:
      return { kind: "any" };
  }
}

function readObject(given: JsonObject): Shape {
  const required = new Set(asArray(given.required));
  const fields = Object.entries(asObject(given.properties)).map(
    ([name, one]) => [name, { isOptional: !required.has(name), shape: readSchema(one) }] as const,
  );
  // An object of which no field is named may hold anything.
  return fields.length === 0 ? { kind: "any" } : { kind: "object", fields: new Map(fields) };
}
