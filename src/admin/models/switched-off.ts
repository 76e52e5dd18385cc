// The configuration's credentials that an operator has switched off at run time. The store knows them by digests, so that one
// that leaves the configuration and comes back is still off.
import { asArray, asObject, asString, parseJson } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Vault } from "../../core/world/world.ts";

/** The setting's name in the store. */
export const CREDENTIALS_OFF = "credentials_off";
/** Every process reads all of them at each change. */
const CREDENTIALS_MAX = 1000;

export interface SwitchedOff {
  readonly provider: string;
  /** The id that it was shown under when it was switched off. */
  readonly id: string;
  readonly digest: string;
  /** Null if the secret is too short to show a part of it. */
  readonly last4: string | null;
}

export function readSwitchedOff(stored: string | null): readonly SwitchedOff[] {
  return asArray(parseJson(stored ?? "[]")).flatMap((row) => {
    const { provider, id, digest, last4 } = asObject(row);
    if (typeof provider !== "string" || typeof id !== "string" || typeof digest !== "string") return [];
    return [{ provider, id, digest, last4: asString(last4) ?? null }];
  });
}

/** Returns the text by which a credential of the configuration is known without its secret. */
export function digestCredential(
  vault: Pick<Vault, "digest">,
  provider: string,
  secret: string | null,
): string {
  return vault.digest(`configured credential of ${provider}: ${secret ?? ""}`);
}

/** Returns the setting with a credential switched on or off. */
export function changeSwitchedOff(stored: string | null, one: SwitchedOff, isOn: boolean): string {
  const others = readSwitchedOff(stored).filter(({ digest }) => digest !== one.digest);
  const all = isOn ? others : [...others, one];
  if (all.length > CREDENTIALS_MAX)
    throw invalidValue("enabled", `at most ${CREDENTIALS_MAX} credentials of the configuration can be off`);
  return JSON.stringify(all);
}
