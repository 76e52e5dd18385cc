// A file that came with a form.
import { createHash } from "node:crypto";

export class Attachment {
  readonly name: string;
  /** Its media type as the client named it; "" if it named none. */
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

  /** Neither the log nor a kept answer holds the bytes. */
  toJSON(): object {
    const digest = createHash("sha256").update(this.bytes).digest("hex");
    return { filename: this.name, content_type: this.type, bytes: this.bytes.length, sha256: digest };
  }
}

/** A field of a form, and its text or its file. */
export type FormEntry = readonly [name: string, value: string | Attachment];
