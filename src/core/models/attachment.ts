// A file uploaded in a form.
import { createHash } from "node:crypto";

export class Attachment {
  readonly name: string;
  /** The media type given by the client, or "". */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(name: string, type: string, bytes: Uint8Array<ArrayBuffer>) {
    this.name = name;
    this.type = type;
    this.bytes = bytes;
  }

  toDataUrl(): string {
    const type = this.type === "" ? "application/octet-stream" : this.type;
    return `data:${type};base64,${this.bytes.toBase64()}`;
  }

  /** Keeps the bytes out of logs and stored answers. */
  toJSON(): object {
    const digest = createHash("sha256").update(this.bytes).digest("hex");
    return { filename: this.name, content_type: this.type, bytes: this.bytes.length, sha256: digest };
  }
}

/** A form field with its text or file. */
export type FormEntry = readonly [name: string, value: string | Attachment];
