// The gateway's own words before an answer, among the details of its thinking in the chat form: sealed for the account.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { isSaidDetail, packSaid, unpackSaid } from "../../operations/chat/prompt/said-again.ts";
import { PREFIX } from "../signature.ts";

/** OpenRouter's word for data that clients don't read, and only send back. */
const FORMAT = "unknown";
/** The newest entries of a request. Others aren't opened. */
const OPENED_MAX = 64;

export function hasSaid(details: unknown): boolean {
  return asArray(details).some((one) => isSaidDetail(asObject(one)));
}

/** Returns the message or delta as a client gets it. The same one if nothing was said before it. */
export function sealDetails<Message extends JsonObject>(message: Message, seal: Sealer): Message {
  const { reasoning_details: details } = message;
  if (!hasSaid(details)) return message;
  const sealed = asArray(details).map((one) => {
    const detail = asObject(one);
    if (!isSaidDetail(detail)) return one;
    return { type: "reasoning.encrypted", format: FORMAT, data: PREFIX + seal.seal(packSaid(detail)) };
  });
  return { ...message, reasoning_details: sealed };
}

/**
 * Returns a message of the client's with what is sealed in it opened. An entry that can't be opened is left out. The same one if there is
 * nothing. `listLater` lists the messages behind it.
 */
export function openDetails(
  message: JsonObject,
  listLater: () => readonly unknown[],
  seal: Sealer,
): JsonObject {
  if (!holdsSealed(message)) return message;
  let left = countLeft(listLater());
  const open = (given: unknown): readonly unknown[] => {
    const detail = asObject(given);
    // Nobody but the gateway may say what it has said.
    if (isSaidDetail(detail)) return [];
    if (!isSealed(detail)) return [given];
    if (left <= 0) return [];
    left--;
    const opened = unpackSaid(seal.open(String(detail.data).slice(PREFIX.length)));
    return opened === null ? [] : [opened];
  };
  return { ...message, reasoning_details: asArray(message.reasoning_details).flatMap(open) };
}

/** Returns how many entries may be opened beside those of later messages. */
function countLeft(later: readonly unknown[]): number {
  let left = OPENED_MAX;
  for (const message of later) {
    for (const detail of asArray(asObject(message).reasoning_details)) if (isSealed(asObject(detail))) left--;
    if (left <= 0) return 0;
  }
  return left;
}

function holdsSealed({ reasoning_details: details }: JsonObject): boolean {
  return asArray(details).some((one) => isSaidDetail(asObject(one)) || isSealed(asObject(one)));
}

function isSealed({ format, data }: JsonObject): boolean {
  return format === FORMAT && typeof data === "string" && data.startsWith(PREFIX);
}
