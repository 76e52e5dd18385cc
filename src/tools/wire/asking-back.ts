// Answers by which a server asks its client for something: none of it is passed on.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import { ASKED_BACK, type AskedBack } from "../failures.ts";
import { CODES } from "./eras.ts";

function isAskedBack(method: unknown): method is AskedBack {
  return typeof method === "string" && Object.hasOwn(ASKED_BACK, method);
}

/** Returns what a result asks for instead of being one, or null. */
export function findAskedBack(result: JsonObject): AskedBack | null {
  if (result.resultType === "task" || (result.task !== undefined && result.content === undefined))
    return "tasks";
  if (result.resultType !== "input_required") return null;
  const methods = Object.values(asObject(result.inputRequests)).map((one) => asObject(one).method);
  return methods.find(isAskedBack) ?? "elicitation/create";
}

/** By the capability that a call needs. */
const BY_CAPABILITY = new Map<string, AskedBack>([
  ["elicitation", "elicitation/create"],
  ["sampling", "sampling/createMessage"],
  ["roots", "roots/list"],
  ["tasks", "tasks"],
]);

/** Returns what an error asks for, or null if it is one of the server's own. */
export function findNeeded({ code, data }: ToolProtocolError): AskedBack | null {
  if (code === CODES.elicitation) return "elicitation/create";
  if (code !== CODES.capability) return null;
  const needed = Object.keys(asObject(asObject(data).requiredCapabilities));
  for (const name of needed) {
    const found = BY_CAPABILITY.get(name);
    if (found !== undefined) return found;
  }
  return "elicitation/create";
}
