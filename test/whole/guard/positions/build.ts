// The smallest body that has a given value at a position.
import { asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import type { Position } from "./list.ts";
import { flatten } from "./list.ts";
import type { SdkTypes, Shape } from "./types.ts";

const DEPTH_MAX = 6;

/** Objects on the way have their demanded fields too. */
export function buildBody({ path }: Position, value: unknown, types: SdkTypes | null): JsonObject {
  const built = path.reduceRight<unknown>((inner, step) => {
    if (step === "[]") return [inner];
    if (step === "*") return { held: inner };
    const demanded = fillDemanded(step.of, types, 0);
    return { ...demanded, [step.field === "*" ? "held" : step.field]: inner };
  }, value);
  return asObject(built);
}

function fillDemanded(shape: Shape, types: SdkTypes | null, depth: number): JsonObject {
  const { fields } = flatten(shape, types);
  const demanded = [...fields].filter(([, { isOptional }]) => !isOptional);
  return Object.fromEntries(demanded.map(([name, one]) => [name, fill(one.shape, types, depth + 1, name)]));
}

/** An example of a shape. */
function fill(shape: Shape, types: SdkTypes | null, depth: number, name: string): unknown {
  switch (shape.kind) {
    case "string":
      return EXAMPLES[name] ?? "a";
    case "number":
      return 1;
    case "literal":
      return shape.value;
    case "any":
    case "map":
      return name === "input_schema" || name === "parameters" ? { type: "object" } : {};
    case "list":
      return depth > DEPTH_MAX || name === "content" ? [] : [fill(shape.of, types, depth + 1, name)];
    case "union":
      return fill(shape.of[0] ?? { kind: "other" }, types, depth, name);
    case "named":
      return fillNamed(shape, types, depth, name);
    case "both":
    case "object":
      return depth > DEPTH_MAX ? {} : fillDemanded(shape, types, depth);
    default:
      return false;
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  arguments: "{}",
  url: "https://example.com/a.png",
  data: "aGVsbG8=",
  media_type: "text/plain",
};

function fillNamed(
  shape: Shape & { kind: "named" },
  types: SdkTypes | null,
  depth: number,
  name: string,
): unknown {
  const found = types?.find(shape.name, shape.within);
  return found ? fill(found.shape, types, depth, name) : "a";
}
