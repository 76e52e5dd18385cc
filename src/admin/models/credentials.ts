// The operator's use-cases on provider credentials added at run time, sealed in the store and shared by all nodes.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import { applyChange } from "../../core/fields/field.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { StoredCredential } from "../../core/rows.ts";
import type { Store } from "../../core/store.ts";
import type { Clock, Random, Vault } from "../../core/world/world.ts";
import { mintId } from "../../keys/secret.ts";
import { makeChangeSchema, makeNewSchema, readChange, readNew } from "../fields.ts";
import { closeObject, text } from "../schema.ts";
import type { ActingWorld } from "../world.ts";
import { CREDENTIALS_OFF, changeSwitchedOff, digestCredential } from "./switched-off.ts";

const PER_PROVIDER_MAX = 100;
/** The prefix of the ids under which the configuration's credentials are shown. */
const CONFIGURED = "configured:";

/** Makes the id of a credential of the configuration from its place there. */
export function makeConfiguredId(position: number): string {
  return `${CONFIGURED}${position}`;
}

/** Returns the place of a credential in the configuration. Null for the id of one that was added. */
export function readConfiguredId(id: string): number | null {
  return id.startsWith(CONFIGURED) ? Number(id.slice(CONFIGURED.length)) : null;
}

/** The shortest secret whose last four characters are shown. For a shorter one they would reveal too much. */
const SHOWN_CHARACTERS_MIN = 12;

export function showLast4(secret: string | null): string | null {
  return secret !== null && secret.length >= SHOWN_CHARACTERS_MIN ? secret.slice(-4) : null;
}

const secret = Type.String({
  pattern: "^\\s*[\\x21-\\x7e]{1,4096}\\s*$",
  expected: "a key of printable characters without spaces",
});
export const newCredentialSchema = makeNewSchema(CREDENTIAL_FIELDS, { key: secret });
export const credentialChangeSchema = makeChangeSchema(CREDENTIAL_FIELDS, {
  credential_id: text,
  key: Type.Optional(secret),
});
export const credentialQuery = closeObject({ credential_id: text });

/** An added credential with its secret decrypted. */
export interface AddedCredential extends Omit<StoredCredential, "sealed" | "createdAtMs"> {
  readonly secret: string;
}

/** A provider that can be given credentials. */
export interface Fillable {
  readonly name: string;
  readonly baseUrl: string;
  /** The secrets that the configuration gives it. */
  readonly secrets: readonly (string | null)[];
}

export interface CredentialParts {
  readonly store: Pick<Store, "credentials">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  readonly vault: Pick<Vault, "seal" | "open" | "digest">;
  /** Returns the known providers and those of the configuration, enabled or not. */
  readonly fillable: () => readonly Fillable[];
  /** Applies what the store holds to this process. The others find it on their own. */
  readonly refresh: () => Promise<void>;
}

interface CredentialChangeParts extends CredentialParts, Pick<ActingWorld, "changes"> {}

/** Returns the use that a credential is sealed for. In another provider's row it can't be decrypted. */
function findUse({ id, provider }: Pick<StoredCredential, "id" | "provider">): string {
  return `credential ${provider} ${id}`;
}

const REFERENCE = /\$\{[^}]*\}/;

/** Only the configuration file inserts variables and files. A key is stored as it is written here. */
function readSecret(given: string): string {
  const secret = given.trim();
  if (!REFERENCE.test(secret)) return secret;
  throw invalidValue("key", `expected the key itself: \${…} is only replaced in the configuration file`);
}

/** Adds a credential to a provider, which enables it. Returns the provider's name as it spells it. */
export async function addCredential(
  parts: CredentialChangeParts,
  name: string,
  fields: Static<typeof newCredentialSchema>,
): Promise<string> {
  const { store, changes, clock, random, vault } = parts;
  const provider = requireProvider(parts, name);
  const secret = readSecret(fields.key);
  const others = (await store.credentials()).filter((one) => one.provider === provider.name);
  if (others.length >= PER_PROVIDER_MAX) {
    throw invalidValue("key", `the provider has ${PER_PROVIDER_MAX} credentials; remove one first`);
  }
  refuseDuplicate(parts, provider, others, secret);
  const id = mintId("cred", random);
  const sealed = vault.seal(secret, findUse({ id, provider: provider.name }));
  const createdAtMs = clock.nowMs();
  await changes.putCredential({
    ...readNew(CREDENTIAL_FIELDS, fields, { nowMs: createdAtMs }),
    id,
    provider: provider.name,
    sealed,
    createdAtMs,
  });
  await parts.refresh();
  return provider.name;
}

/** Changes an added credential, null removing a limit, or switches one of the configuration on or off. */
export async function changeCredential(
  parts: CredentialChangeParts,
  name: string,
  fields: Static<typeof credentialChangeSchema>,
): Promise<string> {
  const { changes, clock, vault } = parts;
  const provider = requireProvider(parts, name);
  const { credential_id: id } = fields;
  const configured = findConfigured(provider, id);
  if (configured !== undefined) return switchCredential(parts, provider, configured, fields);
  const secret = fields.key === undefined ? undefined : readSecret(fields.key);
  const { own, others } = await findAddedCredential(parts, provider, id);
  if (secret !== undefined) refuseDuplicate(parts, provider, others, secret);
  const sealed = secret === undefined ? own.sealed : vault.seal(secret, findUse(own));
  const change = readChange(CREDENTIAL_FIELDS, fields, { nowMs: clock.nowMs() });
  await changes.putCredential({ ...applyChange(own, change), sealed });
  await parts.refresh();
  return provider.name;
}

export async function removeCredential(
  parts: CredentialChangeParts,
  name: string,
  { credential_id: id }: Static<typeof credentialQuery>,
): Promise<string> {
  const provider = requireProvider(parts, name);
  const { own } = await findAddedCredential(parts, provider, id);
  await parts.changes.removeCredential(own.id);
  await parts.refresh();
  return provider.name;
}

/** Throws the Fault `not_found`. */
export function requireProvider({ fillable }: Pick<CredentialParts, "fillable">, name: string): Fillable {
  const found = fillable().find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new Fault(
    "not_found",
    "No provider with that name takes a key here. Clouds such as Azure are set up in the configuration.",
  );
}

async function findAddedCredential({ store }: CredentialParts, provider: Fillable, id: string) {
  const all = (await store.credentials()).filter((one) => one.provider === provider.name);
  const own = all.find((one) => one.id === id);
  if (own) return { own, others: all.filter((one) => one !== own) };
  if (findConfigured(provider, id) !== undefined) throw explainConfigured();
  throw new Fault("not_found", "The provider has no credential with that id.");
}

/** Returns the secret of a credential of the configuration, null if it has none. Undefined if there is no such credential. */
function findConfigured({ secrets }: Fillable, id: string): string | null | undefined {
  const position = readConfiguredId(id);
  return position === null ? undefined : secrets[position - 1];
}

function explainConfigured(): Fault {
  const message =
    "This credential is defined in the configuration. Here it can only be switched on and off, by 'enabled'. Change it in the file or the environment, or add another one here.";
  return new Fault("credential_configured", message, { param: "credential_id" });
}

async function switchCredential(
  parts: CredentialChangeParts,
  { name }: Fillable,
  secret: string | null,
  { credential_id: id, enabled, ...others }: Static<typeof credentialChangeSchema>,
): Promise<string> {
  if (enabled === undefined || Object.keys(others).length > 0) throw explainConfigured();
  const digest = digestCredential(parts.vault, name, secret);
  const one = { provider: name, id, digest, last4: showLast4(secret) };
  await parts.changes.changeOperatorSetting(CREDENTIALS_OFF, (value) =>
    changeSwitchedOff(value, one, enabled),
  );
  await parts.refresh();
  return name;
}

function refuseDuplicate(
  { vault }: CredentialParts,
  { secrets }: Fillable,
  others: readonly StoredCredential[],
  secret: string,
): void {
  const isThere = secrets.includes(secret) || others.some((one) => openCredential(vault, one) === secret);
  if (!isThere) return;
  throw invalidValue("key", "the provider already has this key");
}

/** Returns the secret. Null if it was sealed with another key, or its row was altered. */
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
