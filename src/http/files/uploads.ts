// Uploads of files: a form is read as it arrives, and its file goes on into the store piece by piece.

import type { FileForm, StoredFile } from "../../core/batches/file.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { namePayer } from "../../core/keys/payer.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { UploadFields } from "../../surfaces/files/upload-fields.ts";
import { decodeUtf8, refuseEncoded } from "../body/body.ts";
import { tooLarge } from "../body/body-bytes.ts";
import { findBoundary, PARTS_MAX, readFilename } from "../body/form-body.ts";
import { badForm } from "../body/multipart.ts";
import { readPaced } from "../body/paced-bytes.ts";
import { type PartStream, streamParts } from "../body/part-streams.ts";
import type { HttpPorts } from "../ports.ts";

/** The most that a form may have beside its file. */
const REST_BYTES = 65_536;
const FIELD_BYTES_MAX = 1024;
const TYPE_CHARACTERS_MAX = 100;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const ANY_TYPE = "application/octet-stream";
const ID_PREFIX: Readonly<Record<FileForm, string>> = { openai: "file-", anthropic: "file_" };

type UploadPorts = Pick<HttpPorts, "files" | "fileRules" | "deadlines" | "clock" | "random">;

export class Uploads {
  readonly #ports: UploadPorts;

  constructor(ports: UploadPorts) {
    this.#ports = ports;
  }

  /** Returns once the file would survive a power failure. Nothing is left of an upload that fails. */
  async receive(request: Request, key: GatewayKey, form: FileForm): Promise<StoredFile> {
    const release = await this.#ports.files.uploads.take(namePayer(key), this.#ports.deadlines.nowMs());
    try {
      return await this.#receive(request, key, form);
    } finally {
      await release();
    }
  }

  async #receive(request: Request, key: GatewayKey, form: FileForm): Promise<StoredFile> {
    const { files, fileRules, deadlines, clock, random } = this.#ports;
    const { fileBytesMax, keepMs } = fileRules();
    refuseEncoded(request.headers);
    const boundary = findBoundary(request.headers.get("content-type") ?? "");
    const bytes = readPaced(request, fileBytesMax + REST_BYTES, deadlines);
    const upload = new UploadForm(streamParts(bytes, boundary), form, fileBytesMax);
    const createdMs = clock.nowMs();
    const file = {
      id: ID_PREFIX[form] + mintOrderedId(random, createdMs),
      form,
      owner: { accountId: key.accountId, memberId: key.memberId },
      keyId: key.id,
      createdMs,
    };
    return files.saveForm(file, upload.readFile(), () => {
      const { purpose, expiresAfterMs } = upload.fields.finish(keepMs);
      return { ...upload.readName(), purpose, expiresMs: createdMs + expiresAfterMs };
    });
  }
}

/** A form with one file, whose fields may stand before it or behind it. */
class UploadForm {
  readonly fields: UploadFields;
  readonly #parts: AsyncIterable<PartStream>;
  readonly #bytesMax: number;
  #name: { readonly name: string; readonly type: string } | null = null;

  constructor(parts: AsyncIterable<PartStream>, form: FileForm, bytesMax: number) {
    this.#parts = parts;
    this.#bytesMax = bytesMax;
    this.fields = new UploadFields(form);
  }

  /** Yields the file's bytes, and ends once the whole form is read. */
  async *readFile(): AsyncGenerator<Uint8Array> {
    let count = 0;
    for await (const part of this.#parts) {
      if (++count > PARTS_MAX) throw badForm(`it has more than ${PARTS_MAX} parts`);
      if (part.name === "file") yield* this.#readFile(part);
      else this.fields.add(part.name, await readField(part));
    }
    if (this.#name === null) throw missingParameter("file");
  }

  /** Throws the Fault of a form without a file. */
  readName() {
    if (this.#name === null) throw missingParameter("file");
    return this.#name;
  }

  async *#readFile({ filename, type, bytes }: PartStream): AsyncGenerator<Uint8Array> {
    if (filename === null) throw invalidValue("file", "expected a file, with a file name");
    if (this.#name !== null) throw invalidValue("file", "it appears twice");
    this.#name = { name: readFilename("file", filename), type: readType(type) };
    let read = 0;
    for await (const piece of bytes) {
      read += piece.length;
      if (read > this.#bytesMax) throw tooLarge(this.#bytesMax);
      yield piece;
    }
  }
}

/** Types are repeated in the header of a download. */
function readType(given: string): string {
  const [type = ""] = given.toLowerCase().split(";");
  const named = type.trim();
  return named.length <= TYPE_CHARACTERS_MAX && MEDIA_TYPE.test(named) ? named : ANY_TYPE;
}

async function readField({ name, bytes }: PartStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  let read = 0;
  for await (const piece of bytes) {
    read += piece.length;
    if (read > FIELD_BYTES_MAX) throw invalidValue(name, `it is longer than ${FIELD_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return decodeUtf8(Buffer.concat(pieces), (why) => invalidValue(name, why));
}
