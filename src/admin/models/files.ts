// Files as operators see them: names and sizes, never contents; and deleting one.
import { type Static, Type } from "@sinclair/typebox";
import { checkUnused, FILE_FORMS, type FileUse, type StoredFile } from "../../core/batches/file.ts";
import { Fault } from "../../core/faults/fault.ts";
import { EVERYTHING, type Scope } from "../../core/people/people.ts";
import { formatInstant } from "../format.ts";
import { type ListPage, listPage, pageFields } from "../list.ts";
import { allowNull, allowWords, closeObject, count, instant, text, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";

export const filesQuery = closeObject({ ...pageFields, account: Type.Optional(text) });

export const fileSchema = Type.Object({
  id: text,
  form: allowWords(FILE_FORMS),
  account_id: text,
  key_id: text,
  member_id: allowNull(text),
  name: text,
  purpose: text,
  type: text,
  bytes: count,
  created_at: instant,
  expires_at: instant,
});
export type FileView = View<typeof fileSchema>;

/** Returns a page of files, newest first. */
export function listFiles(
  { store, clock }: AdminWorld,
  query: Static<typeof filesQuery>,
  scope: Scope = EVERYTHING,
): Promise<ListPage<FileView>> {
  const found = { accountId: query.account, scope, aliveMs: clock.nowMs(), order: "newest" } as const;
  return listPage(
    query,
    ({ limit, after }) =>
      store.files.list({ ...found, limit, after: after && { createdMs: after.atMs, id: after.id } }),
    ({ createdMs, id }) => ({ atMs: createdMs, id }),
    viewFile,
  );
}

/** Throws the Faults `not_found` for a file beyond the scope, and `file_in_use`. */
export async function deleteFile(
  { store, clock, changes }: ActingWorld & AdminWorld,
  use: FileUse,
  id: string,
  scope: Scope = EVERYTHING,
): Promise<FileView> {
  const [file] = await store.files.list({ id, scope, aliveMs: clock.nowMs(), order: "newest", limit: 1 });
  if (file === undefined) throw new Fault("not_found", "There is no file with that id.");
  await checkUnused(use, id);
  await changes.removeFile(file.owner.accountId, id);
  await store.files.pieces.remove(file.owner.accountId, id);
  return viewFile(file);
}

export function viewFile({ owner, ...file }: StoredFile): FileView {
  return {
    id: file.id,
    form: file.form,
    account_id: owner.accountId,
    key_id: file.keyId,
    member_id: owner.memberId,
    name: file.name,
    purpose: file.purpose,
    type: file.type,
    bytes: file.bytes,
    created_at: formatInstant(file.createdMs),
    expires_at: formatInstant(file.expiresMs),
  };
}
