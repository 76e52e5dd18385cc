// Ids that follow from the other gateway's, so that a second import finds what the first one made.
import { createHash } from "node:crypto";
import { mintId } from "../keys/secret.ts";

/** Returns the id of what another gateway knows by an id or digest of its own. It reveals nothing of that. */
export function deriveId(kind: "key" | "acct", gateway: string, foreignId: string): string {
  const digest = createHash("sha256").update(`poundkey import ${gateway} ${kind} ${foreignId}`).digest();
  return mintId(kind, { bytes: (count) => digest.subarray(0, count) });
}

/** Returns the id that follows an id of an import that was taken back. */
export function deriveNext(id: string): string {
  return deriveId(id.startsWith("key_") ? "key" : "acct", "again", id);
}
