// The client's fields that an operation's form has no place for: passed on where the server may know them, left out elsewhere.
import type { JsonObject } from "../../core/json.ts";
import { ROUTING } from "../_chat/fields.ts";

export interface Extras {
  readonly fields: JsonObject;
  /** The names of the fields that are left out. */
  readonly dropped: readonly string[];
}

/** The fields that a server takes. Those that choose another model, address or recipient are for no server. */
export function passExtras(given: Readonly<JsonObject>, passes: "all" | readonly string[]): Extras {
  const fields: JsonObject = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!ROUTING.has(name) && (passes === "all" || passes.includes(name))) fields[name] = value;
    else dropped.push(name);
  }
  return { fields, dropped };
}
