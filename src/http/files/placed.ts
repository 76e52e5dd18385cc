// Files that a request names by their ids: their contents are put in their places, as if the client had sent them.

import type { StoredFile } from "../../core/batches/file.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Family } from "../../core/models/dialect.ts";
import { FileMissing } from "../../files/port.ts";
import { findMediaType } from "../../operations/media-types.ts";
import { type FileContent, fillFiles, listFileIds } from "../../surfaces/files/places.ts";
import { tooLarge } from "../body/body-bytes.ts";
import type { HeldBody } from "../body/body-memory.ts";
import type { HttpPorts } from "../ports.ts";

/** More ids than any client names. Each is looked up. */
const IDS_MAX = 100;
const ANY_TYPE = "application/octet-stream";
/** Names of texts, which some SDKs upload without a type. */
const TEXT_NAME = /\.(txt|md|csv|tsv|jsonl?|xml|html?|ya?ml|log)$/i;
/** Bytes of base64 for each byte. */
const BASE64_SHARE = 4 / 3;

type FilePorts = Pick<HttpPorts, "files" | "server">;

/**
 * Returns the body with the files that the key may see in the places of their ids. Without a promise, and the same body, if it
 * names none. Other ids stay: the surface refuses them.
 */
export function placeFiles(
  ports: FilePorts,
  family: Family,
  key: GatewayKey,
  body: unknown,
  held: HeldBody,
): unknown | Promise<unknown> {
  const ids = listFileIds(family, body, IDS_MAX);
  return ids.length === 0 ? body : placeNamed(ports, { family, key, body, held }, ids);
}

interface NamingRequest {
  readonly family: Family;
  readonly key: GatewayKey;
  readonly body: unknown;
  readonly held: HeldBody;
}

async function placeNamed(
  ports: FilePorts,
  { family, key, body, held }: NamingRequest,
  ids: readonly string[],
): Promise<unknown> {
  const owner = { accountId: key.accountId, memberId: key.memberId };
  const found: StoredFile[] = [];
  for (const id of ids) {
    const file = await ports.files.find(id, owner);
    if (file !== null) found.push(file);
  }
  if (found.length === 0) return body;
  const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > ports.server.bodyBytesMax) throw tooLarge(ports.server.bodyBytesMax);
  held.grow(Math.ceil(bytes * BASE64_SHARE));
  const contents = new Map<string, FileContent>();
  for (const file of found) contents.set(file.id, await readContent(ports, file));
  return fillFiles(family, body, contents);
}

async function readContent({ files }: Pick<HttpPorts, "files">, file: StoredFile): Promise<FileContent> {
  try {
    const bytes = Buffer.concat(await Array.fromAsync(files.read(file, 0, file.bytes)));
    const base64 = bytes.toString("base64");
    return { name: file.name, base64, type: findMediaType(base64, declareType(file)) };
  } catch (thrown) {
    throw thrown instanceof FileMissing ? await reportMissing(files, file, thrown) : thrown;
  }
}

function declareType({ name, type }: StoredFile): string {
  return type === ANY_TYPE && TEXT_NAME.test(name) ? "text/plain" : type;
}

/** Returns the Fault for a file whose bytes aren't there. The operator hears of it, unless it has been deleted meanwhile. */
export async function reportMissing(
  files: HttpPorts["files"],
  { id, owner }: StoredFile,
  cause: FileMissing,
): Promise<Fault> {
  const { accountId } = owner;
  if ((await files.find(id, owner)) !== null) files.missing.note({ accountId, object: id }, cause.message);
  const message = `The bytes of the file '${id}' are missing. Please upload it again.`;
  return new Fault("file_not_found", message, { param: "file_id", cause });
}
