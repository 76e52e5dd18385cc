// Requests that continue from earlier responses: the ids they name, their whole input, and what is kept of an answer.
import { Fault } from "../../core/faults/fault.ts";
import { followEarlier } from "../../core/json/growing.ts";
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { Earlier, EarlierAnswers, KeptExchange, StoredAnswer } from "../../core/log/kept.ts";
import { refersToItem } from "./lane.ts";

/** Returns the ids of the response and the items that a request continues from. */
export function findEarlier(body: unknown): Earlier {
  const { previous_response_id: id, input } = asObject(body);
  const itemIds = asArray(input).flatMap((item) => findReference(asObject(item)) ?? []);
  return { id: asString(id) ?? null, itemIds };
}

/** Returns the id that an item refers to, or null for an item itself. */
function findReference(item: JsonObject): string | null {
  return typeof item.id === "string" && refersToItem(item) ? item.id : null;
}

interface StoredHistory {
  readonly keeping: EarlierAnswers | null;
  readonly stored: StoredAnswer | null;
}

/**
 * Returns the request with the whole conversation as its input, so that any provider can answer it. Throws a Fault if
 * it refers to an item that isn't kept, or twice to the same: with 10,000 references to a long item, 60 KB would become
 * gigabytes.
 */
export function joinEarlier(given: JsonObject, { keeping, stored }: StoredHistory): JsonObject {
  const { previous_response_id: _id, ...rest } = given;
  if (keeping === null) return stored ? rest : given;
  const { previous, items } = keeping;
  const taken = new Set<string>();
  const input = listItems(given.input).map((one, index) => {
    const id = findReference(asObject(one));
    if (id === null) return one;
    const item = items.get(id);
    if (item && !taken.has(id)) {
      taken.add(id);
      return item;
    }
    const [shown, param] = [id.slice(0, 100), `input[${index}]`];
    if (!item) throw new Fault("not_found", `Item with id '${shown}' not found.`, { param });
    throw new Fault("invalid_value", `Duplicate item found with id '${shown}'.`, { param });
  });
  if (previous === null) return Array.isArray(given.input) ? { ...rest, input } : rest;
  const whole = [...previous.input, ...asArray(previous.response.output), ...input];
  followEarlier(previous.input, whole);
  return { ...rest, input: whole };
}

/** Returns an input as items. A text becomes a user's message. */
function listItems(input: unknown): readonly unknown[] {
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : asArray(input);
}

/** Returns what is kept of an answer. `given` contains the whole input. */
export function makeKept(given: JsonObject, response: JsonObject): KeptExchange {
  const itemIds = asArray(response.output).flatMap((item) => asString(asObject(item).id) ?? []);
  return { id: asString(response.id) ?? "", itemIds, input: listItems(given.input), response };
}
