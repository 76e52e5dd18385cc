// Finds what a whole secret proves, for somebody who met one where it shouldn't be. The secret is digested, and kept nowhere.
import type { Store } from "../../core/store.ts";
import { checkSecret, checkTokenSecret, digestSecret } from "../../keys/secret.ts";
import type { Access } from "../../people/access.ts";
import { type ResultView, viewKey } from "./search-result.ts";

export interface SecretParts {
  readonly store: Pick<Store, "key" | "keyByDigest"> & {
    readonly people: Pick<Store["people"], "members" | "tokenByDigest">;
    readonly devices: Pick<Store["devices"], "agentByDigest">;
  };
  readonly pepper: Uint8Array;
}

/** Null for a text that is no secret of this gateway's. Nothing for one of which the viewer doesn't see the owner. */
export async function findSecretOwner(
  { store, pepper }: SecretParts,
  given: string,
  access: Access,
): Promise<readonly ResultView[] | null> {
  if (checkTokenSecret(given)) {
    const token = await store.people.tokenByDigest(digestSecret(given, pepper));
    if (token === null || !access.may("tokens.write")) return [];
    return [
      { type: "token", id: token.id, name: `${token.name} (…${token.last4})`, url: "/#/settings/tokens" },
    ];
  }
  if (!checkSecret(given)) return null;
  const digest = digestSecret(given, pepper);
  const found = (await store.keyByDigest(digest)) ?? (await store.devices.agentByDigest(digest));
  const key = found && (await store.key(found.key.id, access.scope("keys.read")));
  return key === null ? [] : [{ ...viewKey(key), url: `${viewKey(key).url}?leaked=yes` }];
}
