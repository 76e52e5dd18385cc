// A hold's place as stored in its column: JSON, in the format of this version or of 1.0.
import { asNumber, asObject, asString, isObject, parseJson } from "../core/json.ts";
import { PLACE_KINDS, type Place, type SlotTaken } from "../core/rows.ts";
import { readLimitUses } from "./limit-columns.ts";

/** Holds written by version 1.0 have only `kind`, `owner` and `day`, or `taken` and `previous`. */
export function parsePlace(json: string): Place {
  const place = asObject(parseJson(json));
  const kind = PLACE_KINDS.find((one) => one === place.kind);
  const taken = readSlotTaken(place.taken);
  if (kind === undefined || (kind === "throttle" && taken === null))
    throw new Error("The store's column place holds an invalid value.");
  return {
    kind,
    owner: asString(place.owner) ?? "",
    day: asString(place.day) ?? "",
    places: asNumber(place.places) ?? (kind === "allowance" ? 1 : 0),
    slots: asNumber(place.slots) ?? (kind === "throttle" ? 1 : 0),
    everyMs: asNumber(place.everyMs) ?? 0,
    taken,
    previous: readSlotTaken(place.previous),
    giveBackMax: asNumber(place.giveBackMax) ?? Number.MAX_SAFE_INTEGER,
    freeNanoUsd: asNumber(place.freeNanoUsd) ?? null,
    ...(place.uses === undefined ? {} : { uses: readLimitUses(place.uses) }),
  };
}

function readSlotTaken(value: unknown): SlotTaken | null {
  if (!isObject(value)) return null;
  const { atMs, by } = value;
  return typeof atMs === "number" && typeof by === "string" ? { atMs, by } : null;
}
