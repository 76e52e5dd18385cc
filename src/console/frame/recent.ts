// The pages that the search opened before, as this browser remembers them until its user signs out.
import { readStored, writeStored } from "../browser.ts";
import type { Place } from "./places.ts";

const NAME = "recent";
const KEPT = 6;

export function listRecent(): readonly Place[] {
  const text = readStored(NAME);
  if (!text) return [];
  try {
    const places: readonly Place[] = JSON.parse(text);
    return places.slice(0, KEPT);
  } catch {
    return [];
  }
}

export function keepRecent(place: Place): void {
  const others = listRecent().filter(({ path }) => path !== place.path);
  writeStored(NAME, JSON.stringify([place, ...others].slice(0, KEPT)));
}

export function forgetRecent(): void {
  writeStored(NAME, "");
}
