// Signatures as Gemini's API carries them: bytes in base64, which Google's Python SDK decodes and refuses if they aren't.
import { asString } from "../../core/json.ts";
import type { Sealer } from "../../core/world.ts";
import type { ReasoningDetail } from "../../operations/chat/form.ts";
import { isOurSignature, signThinking } from "../signature.ts";

/** Every one of our signatures begins with the same three bytes, which are these four letters in base64. */
const OURS = Buffer.from("pk1").toString("base64");

export function writeSignature(seal: Sealer, text: string, details: readonly ReasoningDetail[]): string {
  return Buffer.from(signThinking(seal, text, details)).toString("base64");
}

/** Returns the signature of a part: one of ours as it was before it was written, any other as it came, empty if there is none. */
export function readSignature(given: unknown): string {
  const signature = asString(given) ?? "";
  if (!signature.startsWith(OURS)) return signature;
  const decoded = Buffer.from(signature, "base64").toString("latin1");
  return isOurSignature(decoded) ? decoded : signature;
}
