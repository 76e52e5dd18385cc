// Opens the kept prompt and answer of a request: the one place that does, and it asks for the right to read them.
import { findContent, type LoggedContent, makeContentUse } from "../../core/log/content.ts";
import type { RequestRecord } from "../../core/log/record.ts";
import type { Store } from "../../core/store.ts";
import type { Vault } from "../../core/world/world.ts";
import type { Access } from "../../people/access.ts";

export interface ContentParts {
  readonly store: Pick<Store, "content" | "key">;
  /** Opens sealed prompts and answers. Missing if none are shown. */
  readonly contentVault?: Pick<Vault, "open">;
}

/** Returns null if the sender may not read it, if none was kept, or if it can no longer be decrypted. */
export async function openContent(
  { store, contentVault }: ContentParts,
  { accountId, id, keyId }: Pick<RequestRecord, "accountId" | "id" | "keyId">,
  access: Pick<Access, "mayReadContent">,
): Promise<LoggedContent | null> {
  const memberId = (await store.key(keyId))?.memberId ?? null;
  if (contentVault === undefined || !access.mayReadContent({ accountId, memberId })) return null;
  const sealed = await store.content(accountId, id);
  if (sealed === null) return null;
  try {
    return findContent(contentVault.open(sealed, makeContentUse({ accountId, id })));
  } catch {
    return null;
  }
}
