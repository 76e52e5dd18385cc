// Our own signatures on other providers' thinking: sealed for the account, opened when the client sends them back.
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from "../core/json/json.ts";
import type { Sealer } from "../core/world/world.ts";
import type { ReasoningDetail } from "../operations/chat/form.ts";
import { joinFragments } from "../operations/chat/prompt/details.ts";
import type { TurnPart } from "../operations/chat/turn.ts";

/** The beginning of all that is sealed for clients. */
export const PREFIX = "pk1.";

/** The formats of families' own signatures in the chat form, by OpenRouter's names. */
export const ANTHROPIC_FORMAT = "anthropic-claude-v1";
export const RESPONSES_FORMAT = "openai-responses-v1";
export const GEMINI_FORMAT = "google-gemini-v1";

/** Returns a signature that contains the provider's details of its thinking, but not the thinking's text. */
export function signThinking(seal: Sealer, text: string, details: readonly ReasoningDetail[]): string {
  return PREFIX + seal.seal(JSON.stringify(omitShown(text, details)));
}

/** Returns the joined details, of which the only one that shows the text leaves it out. */
function omitShown(text: string, details: readonly ReasoningDetail[]): readonly ReasoningDetail[] {
  const joined = joinFragments(details);
  const only = findOnlyShown(joined);
  return joined.map((one) => (one === only && one.text === text ? { ...one, text: undefined } : one));
}

/** Thinking with its provider's details. */
interface SignedThinking {
  readonly text: string;
  readonly details: readonly ReasoningDetail[];
}

/** Returns a signature that contains the thinking's text as well, for clients that may not show it. */
export function sealThinking(seal: Sealer, { text, details }: SignedThinking): string {
  return PREFIX + seal.seal(JSON.stringify({ text, details: omitShown(text, details) }));
}

/** Returns the thinking in such a signature. Null if it is another account's, was changed, or holds no text. */
export function openThinking(seal: Sealer, signature: string): SignedThinking | null {
  const opened = seal.open(signature.slice(PREFIX.length));
  const kept = opened === null ? undefined : parseJson(opened);
  if (!isObject(kept)) return null;
  const text = asString(kept.text) ?? "";
  return { text, details: restoreShown(text, asArray(kept.details).filter(isDetail)) };
}

function restoreShown(text: string, kept: readonly ReasoningDetail[]): readonly ReasoningDetail[] {
  const details = joinFragments(kept);
  const only = findOnlyShown(details);
  return details.map((one) => (one === only && one.text === undefined ? { ...one, text } : one));
}

/** Returns the only detail that shows some of the thinking: all of the text is its own. */
function findOnlyShown(details: readonly ReasoningDetail[]): ReasoningDetail | undefined {
  const [only, ...others] = details.filter(({ type }) => type !== "reasoning.encrypted");
  return others.length === 0 && only?.type === "reasoning.text" ? only : undefined;
}

/**
 * Returns a call's own signature as thinking that names the call, in OpenRouter's form. Messages and Responses have no
 * field for it in a call, and Gemini's models answer worse without it.
 */
export function readCallSignature(call: {
  readonly id?: string | undefined;
  readonly extra_content?: JsonObject | undefined;
}): readonly ReasoningDetail[] {
  const data = asString(asObject(asObject(call.extra_content).google).thought_signature) ?? "";
  if (data === "" || !call.id) return [];
  return [{ type: "reasoning.encrypted", data, id: call.id, format: GEMINI_FORMAT }];
}

/**
 * Returns an answer's parts with each signature before what it signs: a call's own, and one after the answer's end,
 * which clients would treat as the answer. Adjacent thinking is merged.
 */
export function signTurn(parts: readonly TurnPart[]): readonly TurnPart[] {
  if (parts.every(({ kind }) => kind === "text")) return parts;
  const signed: TurnPart[] = [];
  const end = parts.findLastIndex(({ kind }) => kind !== "thinking");
  const behind = end === -1 ? [] : parts.slice(end + 1).flatMap(listOwnDetails);
  for (const [at, part] of parts.entries()) {
    if (part.kind === "thinking") {
      if (at < end || end === -1 || part.text !== "") addThinking(signed, part.text, part.details);
      continue;
    }
    if (at === end) addThinking(signed, "", behind);
    if (part.kind === "call") addThinking(signed, "", readCallSignature(part.call));
    signed.push(part);
  }
  return signed;
}

/** Returns the details of thinking without text. */
function listOwnDetails(part: TurnPart): readonly ReasoningDetail[] {
  return part.kind === "thinking" && part.text === "" ? part.details : [];
}

function addThinking(parts: TurnPart[], text: string, details: readonly ReasoningDetail[]): void {
  if (text === "" && details.length === 0) return;
  const last = parts.at(-1);
  if (last?.kind !== "thinking") parts.push({ kind: "thinking", text, details });
  else parts.splice(-1, 1, { ...last, text: last.text + text, details: [...last.details, ...details] });
}

export function isOurSignature(signature: string): boolean {
  return signature.startsWith(PREFIX);
}

/**
 * Returns the provider's details with their text. Null if the signature is another account's or was changed. Signatures of
 * earlier versions hold fragments.
 */
export function openSignature(
  seal: Sealer,
  text: string,
  signature: string,
): readonly ReasoningDetail[] | null {
  const opened = seal.open(signature.slice(PREFIX.length));
  const kept = opened === null ? undefined : parseJson(opened);
  return Array.isArray(kept) ? restoreShown(text, kept.filter(isDetail)) : null;
}

function isDetail(value: unknown): value is ReasoningDetail {
  return isObject(value) && typeof value.type === "string" && value.type.startsWith("reasoning.");
}
