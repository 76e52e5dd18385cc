// Signatures in Gemini's API are base64: Google's Python SDK decodes them and refuses any other text.
import { asString } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ReasoningDetail } from "../../operations/chat/form.ts";
import { isOurSignature, signThinking } from "../signature.ts";

/** Our signatures all begin with the same three bytes, which are these four letters in base64. */
const OURS = Buffer.from("pk1").toString("base64");

export function writeSignature(seal: Sealer, text: string, details: readonly ReasoningDetail[]): string {
  return encodeSignature(signThinking(seal, text, details));
}

/** Returns a signature of ours as base64. */
export function encodeSignature(signature: string): string {
  return Buffer.from(signature).toString("base64");
}

/** Returns a part's signature: one of ours decoded, any other unchanged, "" if it has none. */
export function readSignature(value: unknown): string {
  const signature = asString(value) ?? "";
  if (!signature.startsWith(OURS)) return signature;
  const decoded = Buffer.from(signature, "base64").toString("latin1");
  return isOurSignature(decoded) ? decoded : signature;
}
