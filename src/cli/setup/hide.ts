// Keys in what `poundkey setup` prints: their last four characters, and no more.
import { isObject } from "../../core/json/json.ts";
import { showInvisible } from "../../core/text/names.ts";

const SHOWN = 4;
/** Four characters of a shorter one would give too much away. */
const SHOWN_FROM = 16;
const OWN = /\bsk-[\w-]{8,}/g;
const USER_OF_URL = /(\/\/)[^/@\s]+@/g;

/** Returns `sk-…` with the key's last four characters. */
export function hideKey(key: string): string {
  return `${key.startsWith("sk-") ? "sk-" : ""}…${key.length < SHOWN_FROM ? "" : key.slice(-SHOWN)}`;
}

/** Hides what looks like a key, wherever it stands. */
function hideKeys(text: string): string {
  return text.replace(OWN, hideKey).replace(USER_OF_URL, "$1…@");
}

/** Returns a field's value for people: keys are hidden, and of a field that can hold one every text. */
export function hideValue(value: unknown, isSecret: boolean, key: string | null): unknown {
  if (typeof value === "string") {
    const hidden = key === null ? value : value.replaceAll(key, hideKey(key));
    return showInvisible(isSecret && hidden === value ? hideKey(value) : hideKeys(hidden));
  }
  if (Array.isArray(value)) return value.map((one) => hideValue(one, isSecret, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [hideKeys(name), hideValue(one, isSecret, key)]),
  );
}
