// The accounts and keys that an import made, with what tells if anybody has changed them since.
import { createHash } from "node:crypto";
import { ACCOUNT_FIELDS } from "../core/fields/account.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";

export interface MadeOwner {
  readonly kind: "account" | "key";
  readonly id: string;
  /** The digest of its fields as they were made. */
  readonly digest: string;
}

/** An import and its undoing change these by themselves. */
const OWN = ["isPaused", "notes", "externalId"];
/** The notes of an undone key, and the id elsewhere of an undone account. */
export const UNDONE = "Its import was taken back.";

export function digestKey(key: GatewayKey): string {
  return digest(Object.values(KEY_FIELDS).map(({ property }) => [property, key[property]]));
}

export function digestAccount(account: Account): string {
  return digest(Object.values(ACCOUNT_FIELDS).map(({ property }) => [property, account[property]]));
}

function digest(fields: readonly (readonly [string, unknown])[]): string {
  const kept = fields.filter(([property]) => !OWN.includes(property));
  return createHash("sha256").update(JSON.stringify(kept)).digest("hex");
}

export function isUndoneKey({ revokedAtMs, notes }: GatewayKey): boolean {
  return revokedAtMs !== null && notes === UNDONE;
}

export function isUndoneAccount({ closingAtMs, externalId }: Account): boolean {
  return closingAtMs !== null && externalId === UNDONE;
}
