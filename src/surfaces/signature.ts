// Signatures of our own on thinking that another provider made: sealed for the account, opened when the client sends it back.
import { asObject, asString, isObject, type JsonObject, parseJson } from "../core/json.ts";
import type { Sealer } from "../core/world.ts";
import type { ReasoningDetail } from "../operations/chat/form.ts";

const PREFIX = "pk1.";

/** The formats in which families' own signatures travel in the chat form (OpenRouter's names for them). */
export const ANTHROPIC_FORMAT = "anthropic-claude-v1";
export const RESPONSES_FORMAT = "openai-responses-v1";
export const GEMINI_FORMAT = "google-gemini-v1";

/** A signature that holds what the provider gave with its thinking; the thinking's own text stays outside. */
export function signThinking(seal: Sealer, text: string, details: readonly ReasoningDetail[]): string {
  const kept = details.map((detail) => (detail.text === text ? { ...detail, text: undefined } : detail));
  return PREFIX + seal.seal(JSON.stringify(kept));
}

/**
 * Returns a call's own signature as thinking that names the call, in OpenRouter's form: the calls of Messages and
 * Responses have no place for it, and Gemini's models answer worse without.
 */
export function readCallSignature(call: {
  readonly id?: string | undefined;
  readonly extra_content?: JsonObject | undefined;
}): readonly ReasoningDetail[] {
  const data = asString(asObject(asObject(call.extra_content).google).thought_signature) ?? "";
  if (data === "" || !call.id) return [];
  return [{ type: "reasoning.encrypted", data, id: call.id, format: GEMINI_FORMAT }];
}

export function isOurSignature(signature: string): boolean {
  return signature.startsWith(PREFIX);
}

/** The provider's own details, with the text put back; null: the signature is another account's, or was changed. */
export function openSignature(
  seal: Sealer,
  text: string,
  signature: string,
): readonly ReasoningDetail[] | null {
  const opened = seal.open(signature.slice(PREFIX.length));
  const kept = opened === null ? undefined : parseJson(opened);
  if (!Array.isArray(kept)) return null;
  return kept
    .filter(isDetail)
    .map((detail) =>
      detail.type === "reasoning.text" && detail.text === undefined ? { ...detail, text } : detail,
    );
}

function isDetail(value: unknown): value is ReasoningDetail {
  return isObject(value) && typeof value.type === "string" && value.type.startsWith("reasoning.");
}
