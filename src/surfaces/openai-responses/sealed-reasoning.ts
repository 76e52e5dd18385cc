// Reasoning of OpenAI's that a client got by another API, under a signature of the gateway's: its items as OpenAI gave them.
import { asString, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ReasoningDetail } from "../../operations/chat/form.ts";
import { isOurSignature, openSignature, RESPONSES_FORMAT } from "../signature.ts";

export function isSealedReasoning({ type, encrypted_content: sealed }: JsonObject): boolean {
  return type === "reasoning" && isOurSignature(asString(sealed) ?? "");
}

/**
 * Returns the items that share the signature: thoughts with nothing between them are one thought to other APIs. None if it was
 * changed, or is another account's or another provider's.
 */
export function restoreReasoning(item: JsonObject, seal: Sealer): readonly JsonObject[] {
  const details = openSignature(seal, "", asString(item.encrypted_content) ?? "") ?? [];
  const own = details.filter(({ format, data }) => format === RESPONSES_FORMAT && data !== undefined);
  const isAlone = own.length === 1;
  const { id: _id, ...rest } = item;
  return own.map(({ id, data }) => ({
    ...(isAlone ? rest : { type: "reasoning", summary: listSummaries(details, id) }),
    ...(id ? { id } : {}),
    encrypted_content: data,
  }));
}

/** The client's own item has the summaries of all of them in one text. */
function listSummaries(
  details: readonly ReasoningDetail[],
  id: ReasoningDetail["id"],
): readonly JsonObject[] {
  const own = details.filter((one) => id && one.id === id && one.summary !== undefined);
  return own.map(({ summary }) => ({ type: "summary_text", text: summary }));
}
