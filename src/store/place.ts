// A hold's place as its column keeps it: JSON, of this version or the one before.
import { isObject, numberOf, objectOf, parseJson, stringOf } from "../core/json.ts";
import { PLACE_KINDS, type Place, type SlotTaken } from "../core/rows.ts";

/** A hold that version 1.0 left behind says no more of its place than `kind`, `owner` and `day`, or `taken` and `previous`. */
export function parsePlace(json: string): Place {
  const place = objectOf(parseJson(json));
  const kind = PLACE_KINDS.find((one) => one === place.kind);
  const taken = readSlotTaken(place.taken);
  if (kind === undefined || (kind === "throttle" && taken === null))
    throw new Error("The store's column place holds no place.");
  return {
    kind,
    owner: stringOf(place.owner) ?? "",
    day: stringOf(place.day) ?? "",
    places: numberOf(place.places) ?? (kind === "allowance" ? 1 : 0),
    slots: numberOf(place.slots) ?? (kind === "throttle" ? 1 : 0),
    everyMs: numberOf(place.everyMs) ?? 0,
    taken,
    previous: readSlotTaken(place.previous),
    giveBackMax: numberOf(place.giveBackMax) ?? Number.MAX_SAFE_INTEGER,
    freeNanoUsd: numberOf(place.freeNanoUsd) ?? null,
  };
}

function readSlotTaken(value: unknown): SlotTaken | null {
  if (!isObject(value)) return null;
  const { atMs, by } = value;
  return typeof atMs === "number" && typeof by === "string" ? { atMs, by } : null;
}
