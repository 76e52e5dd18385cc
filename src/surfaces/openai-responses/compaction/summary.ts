// A conversation's summary as an item: sealed for its account, and opened in its place for every model.
import { Fault } from "../../../core/fault.ts";
import { asObject, asString, type JsonObject, parseJson } from "../../../core/json/json.ts";
import type { Sealer } from "../../../core/world/world.ts";
import { escapeNoteMark, writeNote } from "../../../operations/chat/prompt/note.ts";
import { mapList } from "../../../operations/text-json.ts";
import { isOurSignature, PREFIX } from "../../signature.ts";

/** Items that hold the conversation so far. */
const SUMMARIES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary"]);

export function isSummary(item: unknown): boolean {
  return SUMMARIES.has(asObject(item).type);
}

const INTRODUCTION = "This is a summary of the conversation up to here:";

export function makeSummaryItem(id: string, seal: Sealer, summary: string): JsonObject {
  return { id, type: "compaction", encrypted_content: PREFIX + seal.seal(JSON.stringify({ summary })) };
}

/**
 * Returns the input with our own summaries as marked texts of the user's, which every model reads. Those of a provider stay as
 * they are. Throws the Fault `invalid_encrypted_content` for one of ours that is another account's or was changed.
 */
export function openSummaries(input: unknown, seal: Sealer): unknown {
  if (!Array.isArray(input) || !input.some(isSummary)) return input;
  return mapList(input, (item, index) => {
    const sealed = asString(asObject(item).encrypted_content) ?? "";
    if (!isSummary(item) || !isOurSignature(sealed)) return item;
    const summary = openSummary(seal, sealed);
    if (summary === null) throw refuseSealed(`input[${index}].encrypted_content`);
    const text = writeNote(`${INTRODUCTION}\n${escapeNoteMark(summary)}`);
    return { type: "message", role: "user", content: [{ type: "input_text", text }] };
  });
}

function openSummary(seal: Sealer, sealed: string): string | null {
  const opened = seal.open(sealed.slice(PREFIX.length));
  return opened === null ? null : (asString(asObject(parseJson(opened)).summary) ?? null);
}

function refuseSealed(param: string): Fault {
  const message = `Invalid '${param}': it was changed, or belongs to another account. Start again from the conversation itself.`;
  return new Fault("invalid_encrypted_content", message, { param });
}
