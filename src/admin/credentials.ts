// The operator's use-cases on providers' credentials that are added at run time: sealed in the store, known to all nodes.
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { StoredCredential } from "../core/rows.ts";
import { PER_MINUTE_MAX } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Clock, Random } from "../core/world.ts";
import { mintId } from "../keys/secret.ts";
import {
  optional,
  orNull,
  type Read,
  readBoolean,
  readFields,
  readText,
  readWeight,
  readWhole,
  required,
} from "./input.ts";

const SECRET_SHAPE = /^[\x21-\x7e]{1,4096}$/;
const PER_PROVIDER_MAX = 100;
/** The name of credentials of the configuration. */
export const CONFIGURED = "configured:";

/** A credential that was added, opened. */
export interface AddedCredential {
  readonly id: string;
  readonly provider: string;
  readonly secret: string;
  readonly weight: number;
  /** null: no limit is known. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly enabled: boolean;
}

/** A provider that may be given credentials. */
export interface Fillable {
  readonly name: string;
  /** Those that the configuration gives it. */
  readonly secrets: readonly (string | null)[];
}

export interface CredentialParts {
  readonly store: Pick<Store, "credentials" | "putCredential" | "removeCredential">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  readonly vault: { seal(text: string, use: string): string; open(sealed: string, use: string): string };
  /** The known providers and those of the configuration, on or off. */
  readonly fillable: () => readonly Fillable[];
  /** Puts what the store holds in force in this process; the others find it by themselves. */
  readonly refresh: () => Promise<void>;
}

/** The use that a credential is sealed for: moved to another provider's row, it can't be opened. */
export function findUse({ id, provider }: Pick<StoredCredential, "id" | "provider">): string {
  return `credential ${provider} ${id}`;
}

/** Adds `{ key, weight?, requests_per_minute?, tokens_per_minute? }` to a provider, which is on from then. Returns the provider's name in its own spelling. */
export async function addCredential(parts: CredentialParts, name: string, body: unknown): Promise<string> {
  const { store, clock, random, vault } = parts;
  const provider = fillableNamed(parts, name);
  const fields = readFields(body, ["key", "weight", ...LIMITS]);
  const secret = required(fields, "key", readSecret);
  const weight = optional(fields, "weight", readWeight) ?? 1;
  const limits = readLimits(fields);
  const others = (await store.credentials()).filter((one) => one.provider === provider.name);
  if (others.length >= PER_PROVIDER_MAX) {
    const message = `Invalid 'key': the provider has ${PER_PROVIDER_MAX} credentials; remove one first.`;
    throw new Fault("invalid_value", message, { param: "key" });
  }
  refuseTwice(parts, provider, others, secret);
  const id = mintId("cred", random);
  const sealed = vault.seal(secret, findUse({ id, provider: provider.name }));
  const createdAtMs = clock.nowMs();
  const { requestsPerMinute = null, tokensPerMinute = null } = limits;
  await store.putCredential({
    ...{ id, provider: provider.name, sealed, weight, requestsPerMinute, tokensPerMinute },
    ...{ enabled: true, createdAtMs },
  });
  await parts.refresh();
  return provider.name;
}

/** Changes a credential that was added by `{ credential_id, key?, weight?, enabled? }` and its limits; null takes one away. */
export async function changeCredential(parts: CredentialParts, name: string, body: unknown): Promise<string> {
  const { store, vault } = parts;
  const provider = fillableNamed(parts, name);
  const fields = readFields(body, ["credential_id", "key", "weight", "enabled", ...LIMITS]);
  const id = required(fields, "credential_id", readText);
  const secret = optional(fields, "key", readSecret);
  const weight = optional(fields, "weight", readWeight);
  const enabled = optional(fields, "enabled", readBoolean);
  const { requestsPerMinute, tokensPerMinute } = readLimits(fields);
  const { own, others } = await foundIn(parts, provider, id);
  if (secret !== undefined) refuseTwice(parts, provider, others, secret);
  await store.putCredential({
    ...own,
    sealed: secret === undefined ? own.sealed : vault.seal(secret, findUse(own)),
    weight: weight ?? own.weight,
    requestsPerMinute: requestsPerMinute === undefined ? own.requestsPerMinute : requestsPerMinute,
    tokensPerMinute: tokensPerMinute === undefined ? own.tokensPerMinute : tokensPerMinute,
    enabled: enabled ?? own.enabled,
  });
  await parts.refresh();
  return provider.name;
}

/** Removes a credential that was added. */
export async function removeCredential(
  parts: CredentialParts,
  name: string,
  query: unknown,
): Promise<string> {
  const provider = fillableNamed(parts, name);
  const id = required(readFields(query, ["credential_id"]), "credential_id", readText);
  const { own } = await foundIn(parts, provider, id);
  await parts.store.removeCredential(own.id);
  await parts.refresh();
  return provider.name;
}

/** Throws the Fault `not_found`. */
export function fillableNamed({ fillable }: Pick<CredentialParts, "fillable">, name: string): Fillable {
  const found = fillable().find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new Fault("not_found", "There is no known or configured provider of that name.");
}

async function foundIn({ store }: CredentialParts, { name, secrets }: Fillable, id: string) {
  const all = (await store.credentials()).filter(({ provider }) => provider === name);
  const own = all.find((one) => one.id === id);
  if (own) return { own, others: all.filter((one) => one !== own) };
  const index = id.startsWith(CONFIGURED) ? Number(id.slice(CONFIGURED.length)) : 0;
  if (index >= 1 && index <= secrets.length) {
    const message =
      "This credential is defined by the configuration: change it in the file or the environment, or add another one here.";
    throw new Fault("credential_configured", message, { param: "credential_id" });
  }
  throw new Fault("not_found", "The provider has no credential with that id.");
}

function refuseTwice(
  { vault }: CredentialParts,
  { secrets }: Fillable,
  others: readonly StoredCredential[],
  secret: string,
): void {
  const isThere = secrets.includes(secret) || others.some((one) => openCredential(vault, one) === secret);
  if (!isThere) return;
  throw new Fault("invalid_value", "Invalid 'key': the provider has this key already.", { param: "key" });
}

/** The secret; null when it was sealed under another key, or its row was changed. */
export function openCredential(
  vault: Pick<CredentialParts["vault"], "open">,
  credential: StoredCredential,
): string | null {
  try {
    return vault.open(credential.sealed, findUse(credential));
  } catch {
    return null;
  }
}

/** The mistake is named without any of the secret. */
const readSecret: Read<string> = (value, param) => {
  const secret = readText(value, param).trim();
  if (SECRET_SHAPE.test(secret)) return secret;
  const message = `Invalid '${param}': expected a key of printable characters without spaces.`;
  throw new Fault("invalid_value", message, { param });
};

const LIMITS = ["requests_per_minute", "tokens_per_minute"] as const;

/** A limit that is left out is undefined. */
function readLimits(fields: JsonObject) {
  const readLimit = orNull(readWhole(1, PER_MINUTE_MAX));
  return {
    requestsPerMinute: optional(fields, "requests_per_minute", readLimit),
    tokensPerMinute: optional(fields, "tokens_per_minute", readLimit),
  };
}
