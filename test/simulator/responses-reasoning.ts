// OpenAI's rules for thinking that comes back: sealed as it was, and beside the items that it led to.
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { signText } from "../../src/simulator/responder.ts";
import { THOUGHT_CALL } from "../../src/simulator/responses.ts";

/** Items that one piece of thinking may lead to before a call. */
const BETWEEN: ReadonlySet<unknown> = new Set(["function_call", "web_search_call"]);

function isSealed(content: unknown): boolean {
  const [secret = "", seal] = String(content)
    .replace(/^gAAAA/, "")
    .split(".");
  return seal === signText(secret);
}

/** Thinking must come back unchanged, sealed if nothing is stored, and with the item that followed it. */
export function checkReasoning(body: JsonObject): void {
  const items = asArray(body.input).map(asObject);
  items.forEach((each, at) => {
    if (each.type !== "reasoning") return;
    const content = each.encrypted_content ?? null;
    if (content === null && body.store === false)
      reject(
        "not_found",
        `Item with id '${String(each.id)}' not found. Items are not persisted when \`store\` is set to false.`,
        ["input"],
      );
    if (content !== null && !isSealed(content))
      reject(
        "value",
        `The encrypted content for item ${String(each.id)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        ["input", at],
        "invalid_encrypted_content",
      );
    const next = items[at + 1];
    if (next === undefined || next.role === "user" || String(next.type).endsWith("_output"))
      reject(
        "value",
        `Item '${String(each.id)}' of type 'reasoning' was provided without its required following item.`,
        ["input", at],
      );
  });
  items.forEach((each, at) => {
    if (!String(each.id).startsWith(THOUGHT_CALL)) return;
    const before = items.slice(0, at).findLast(({ type }) => !BETWEEN.has(type));
    if (before?.type !== "reasoning")
      reject(
        "value",
        `Item '${String(each.id)}' of type 'function_call' was provided without its required 'reasoning' item.`,
        ["input", at],
      );
  });
}
