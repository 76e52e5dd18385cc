// A conversation's summary as an item: sealed for its account, and opened in its place for every model. A provider's own is
// sealed with its place, since nobody else reads it.
import { Fault } from "../../../core/faults/fault.ts";
import { ElementWork, followMade } from "../../../core/json/growing.ts";
import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../core/json/json.ts";
import { type EncryptedHistory, readHistory } from "../../../core/models/encrypted-history.ts";
import type { Sealer } from "../../../core/world/world.ts";
import { escapeNoteMark, writeNote } from "../../../operations/chat/prompt/note.ts";
import { isOurSignature, PREFIX } from "../../signature.ts";
import type { Stamp } from "../../surface.ts";

/** Items that hold the conversation so far. */
const SUMMARIES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary"]);

export function isSummary(item: unknown): boolean {
  return SUMMARIES.has(asObject(item).type);
}

const INTRODUCTION = "This is a summary of the conversation up to here:";

export function makeSummaryItem(id: string, seal: Sealer, summary: string): JsonObject {
  return { id, type: "compaction", encrypted_content: PREFIX + seal.seal(JSON.stringify({ summary })) };
}

/** Returns a provider's item with its place sealed in it. All other items stay as they are. */
export function wrapSummary(item: unknown, stamp: Pick<Stamp, "sealHistory">): unknown {
  const content = asString(asObject(item).encrypted_content) ?? "";
  if (!isSummary(item) || content === "" || isOurSignature(content)) return item;
  const sealed = stamp.sealHistory(content);
  return sealed === null ? item : { ...asObject(item), encrypted_content: PREFIX + sealed };
}

/** Returns a provider's response with its summaries wrapped: the same object if it has none. */
export function wrapSummaries(response: JsonObject, stamp: Pick<Stamp, "sealHistory">): JsonObject {
  const output = asArray(response.output);
  if (!output.some(isSummary)) return response;
  return { ...response, output: output.map((item) => wrapSummary(item, stamp)) };
}

interface OpenedInput {
  readonly input: unknown;
  /** The first item that a provider has encrypted. Undefined for none. */
  readonly history: EncryptedHistory | undefined;
}

/**
 * Returns the input with our own summaries as marked texts of the user's, which every model reads, and with those of a provider
 * as it made them. Throws the Fault `invalid_encrypted_content` for one of ours that is another account's or was changed, and
 * `unsupported_capability` if two can't be read at one place.
 */
export function openSummaries(input: unknown, seal: Sealer): OpenedInput {
  if (!Array.isArray(input) || !input.some(isSummary)) return { input, history: undefined };
  const open = (item: unknown, index: number): OpenedItem =>
    isSummary(item) ? openItem(asObject(item), seal, `input[${index}]`) : { item, history: null };
  const items = OPENED.listResults(input, open) ?? input.map(open);
  let history: EncryptedHistory | undefined;
  for (const one of items) {
    if (one.history === null) continue;
    if (history && !isSamePlace(history, one.history)) throw refuseSecond(one.history.path);
    history ??= one.history;
  }
  const opened = items.map(({ item }) => item);
  followMade(input, opened, OPENED);
  return { input: opened, history };
}

interface OpenedItem {
  readonly item: unknown;
  readonly history: EncryptedHistory | null;
}

const OPENED = new ElementWork<OpenedItem>();

function openItem(item: JsonObject, seal: Sealer, path: string): OpenedItem {
  const sealed = asString(item.encrypted_content) ?? "";
  if (!isOurSignature(sealed)) return { item, history: { path, place: null } };
  const opened = seal.open(sealed.slice(PREFIX.length));
  const found = opened === null ? null : readHistory(opened);
  if (found) {
    const { content, ...place } = found;
    return { item: { ...item, encrypted_content: content }, history: { path, place } };
  }
  const summary = opened === null ? undefined : asString(asObject(parseJson(opened)).summary);
  if (summary === undefined) throw refuseSealed(`${path}.encrypted_content`);
  const text = writeNote(`${INTRODUCTION}\n${escapeNoteMark(summary)}`);
  const message = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  return { item: message, history: null };
}

function isSamePlace({ place: one }: EncryptedHistory, { place: other }: EncryptedHistory): boolean {
  return one?.provider === other?.provider && one?.credential === other?.credential;
}

function refuseSecond(path: string): Fault {
  const message = `The history in '${path}' was encrypted elsewhere than that before it: no model can read both.`;
  return new Fault("unsupported_capability", message, { param: path });
}

function refuseSealed(param: string): Fault {
  const message = `Invalid '${param}': it was changed, or belongs to another account. Start again from the conversation itself.`;
  return new Fault("invalid_encrypted_content", message, { param });
}
