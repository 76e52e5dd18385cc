// A file as clients see it, in the form in which it was made.
import type { FileForm, StoredFile } from "../../core/batches/file.ts";

const MS = 1000;

/** OpenAI's File (OpenAPI document of August 2026). Every file ends, so it always says when. */
function viewOpenaiFile({ id, bytes, createdMs, expiresMs, name, purpose }: StoredFile) {
  return {
    id,
    object: "file",
    bytes,
    created_at: Math.floor(createdMs / MS),
    expires_at: Math.floor(expiresMs / MS),
    filename: name,
    purpose,
    // Deprecated, but the SDKs' `waitForProcessing` reads it.
    status: "processed",
    status_details: null,
  };
}

/** Anthropic's FileMetadata (the SDK's types of November 2026). */
function viewAnthropicFile({ id, bytes, createdMs, expiresMs, name, type }: StoredFile) {
  return {
    id,
    type: "file",
    filename: name,
    mime_type: type,
    size_bytes: bytes,
    created_at: new Date(createdMs).toISOString(),
    downloadable: true,
    expires_at: new Date(expiresMs).toISOString(),
  };
}

export function viewFile(file: StoredFile) {
  return file.form === "anthropic" ? viewAnthropicFile(file) : viewOpenaiFile(file);
}

export function viewDeletedFile(form: FileForm, id: string) {
  return form === "anthropic" ? { id, type: "file_deleted" } : { id, object: "file", deleted: true };
}

/** Returns a page of a list, behind which there is another if `hasMore`. */
export function viewFileList(form: FileForm, files: readonly StoredFile[], hasMore: boolean) {
  const ids = { first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null, has_more: hasMore };
  if (form === "openai") return { object: "list", data: files.map(viewOpenaiFile), ...ids };
  // Older SDKs go on by `has_more` and `last_id`, newer ones by `next_page`.
  return { data: files.map(viewAnthropicFile), ...ids, next_page: hasMore ? ids.last_id : null };
}
