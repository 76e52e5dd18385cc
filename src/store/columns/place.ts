// A hold's place as stored in its column: JSON, in the format of this version or of 1.0.
import { asNumber, asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import { PLACE_KINDS, type Place, type SlotTaken } from "../../core/rows.ts";
import type { Column } from "./columns.ts";
import { readText } from "./found.ts";
import { readLimitUses } from "./limit-columns.ts";

export const PLACE: Column<Place> = {
  type: "text",
  write: writePlace,
  read: (found, column) => parsePlace(readText(found, column)),
};

/** Leaves out each field that `parsePlace` reads as it was if it is missing. A long hold takes a page of SQLite to itself. */
function writePlace(place: Place): string {
  const { kind, places, slots, everyMs } = place;
  return JSON.stringify({
    kind,
    owner: place.owner,
    day: place.day,
    places: places === countMissing(kind, "allowance") ? undefined : places,
    slots: slots === countMissing(kind, "throttle") ? undefined : slots,
    everyMs: everyMs === 0 ? undefined : everyMs,
    taken: place.taken ?? undefined,
    previous: place.previous ?? undefined,
    giveBackMax: place.giveBackMax,
    freeNanoUsd: place.freeNanoUsd ?? undefined,
    uses: place.uses,
  });
}

/** The places or slots of a hold that doesn't say how many it has. */
function countMissing(kind: Place["kind"], counted: "allowance" | "throttle"): number {
  return kind === counted ? 1 : 0;
}

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
    places: asNumber(place.places) ?? countMissing(kind, "allowance"),
    slots: asNumber(place.slots) ?? countMissing(kind, "throttle"),
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
