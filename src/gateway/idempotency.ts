// Idempotency-Key: what makes two requests the same, and the answer kept for those who ask again.

import { Fault } from "../core/fault.ts";
import { isObject, parseJson } from "../core/json.ts";
import { Fold } from "../operations/chat/fold.ts";
import type { ChatReply, ChatRequest, Usage } from "../operations/chat/form.ts";
import { listChunks, type Part } from "../operations/chat/run.ts";
import type { Call } from "./call.ts";

/** Encrypts and decrypts what is kept. `open` throws when it was sealed under another key or for another use. */
export interface Vault {
  seal(text: string, use: string): string;
  open(sealed: string, use: string): string;
  /** A keyed digest. */
  digest(text: string): string;
}

/** A longer reply is not kept. */
const REPLY_BYTES_MAX = 1024 * 1024;
/** Of a stream's chunks, which are several times as long as the reply that they make up: more is not collected. */
const COPIED_CHARACTERS_MAX = 32 * REPLY_BYTES_MAX;
const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

/** The digests of an Idempotency-Key within its gateway key, and of the body; how the answer is delivered is no part of it. */
export function digestIdempotency(
  vault: Pick<Vault, "digest">,
  keyId: string,
  header: string | null,
  request: ChatRequest,
): Call["idempotency"] {
  if (header === null) return null;
  if (!KEY_SHAPE.test(header)) {
    const message = "Invalid header 'Idempotency-Key': expected 1 to 255 visible ASCII characters.";
    throw new Fault("invalid_value", message, { param: "Idempotency-Key" });
  }
  const { stream: _stream, stream_options: _options, ...body } = request;
  return { replyId: vault.digest(`${keyId} ${header}`), bodyDigest: vault.digest(JSON.stringify(body)) };
}

/** A completion as it is kept. */
export interface Kept {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly reply: ChatReply;
}

/** Null when it is too large to be kept. */
export function sealReply(vault: Vault, replyId: string, kept: Kept): string | null {
  const text = JSON.stringify(kept);
  return Buffer.byteLength(text) > REPLY_BYTES_MAX ? null : vault.seal(text, replyId);
}

export function openReply(vault: Vault, replyId: string, sealed: string): Kept {
  const kept = parseJson(vault.open(sealed, replyId));
  if (!isKept(kept)) throw new Error("A kept reply is not what was kept.");
  return kept;
}

function isKept(value: unknown): value is Kept {
  if (!isObject(value)) return false;
  const { id, created, model, reply } = value;
  const isStamped = typeof id === "string" && typeof created === "number" && typeof model === "string";
  return isStamped && isObject(reply) && Array.isArray(reply.choices);
}

/** Folds a stream while it passes, until it is too large to be kept. */
export class Copy {
  #fold: Fold | null = new Fold();
  #characters = 0;

  take(parts: readonly Part[], producedBytes: number): void {
    if (this.#fold === null) return;
    const chunks = listChunks(parts);
    this.#characters += JSON.stringify(chunks).length;
    if (producedBytes > REPLY_BYTES_MAX || this.#characters > COPIED_CHARACTERS_MAX) this.#fold = null;
    for (const chunk of chunks) this.#fold?.push(chunk);
  }

  /** undefined: it was too large. */
  reply(usage: Usage): ChatReply | undefined {
    return this.#fold ? { ...this.#fold.reply(), usage } : undefined;
  }
}
