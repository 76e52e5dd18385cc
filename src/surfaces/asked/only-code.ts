// Finds a request whose only tools are those by which a provider runs the model's code.
import { asArray, asObject, asString } from "../../core/json/json.ts";
import type { FamilyNeed } from "../../operations/operation.ts";

const CODE = /^code_(interpreter|execution)/;

/** Undefined for a request with other tools or with none, and for one that wants no call. */
export function findOnlyCode(tools: unknown, choice: unknown): FamilyNeed | undefined {
  if (tools === undefined || choice === "none" || asObject(choice).type === "none") return undefined;
  const types = asArray(tools).map((tool) => asString(asObject(tool).type) ?? "");
  const isOnly = types.length > 0 && types.every((type) => CODE.test(type));
  return isOnly ? { path: "tools[0]", what: "code" } : undefined;
}
