// The gateway's own fields of a usage report, the same on every surface.
import type { JsonObject } from "../core/json.ts";

/** The cost of the answer and the charge for it, in USD, as far as they are known. */
export function writeCost({ cost, charged }: JsonObject): JsonObject {
  return { ...(cost === undefined ? {} : { cost }), ...(charged === undefined ? {} : { charged }) };
}
