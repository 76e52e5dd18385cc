// Drives one dialect for its tests: encodes a request for a card, and reads a stream or a body as the gateway does.

import { toFault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Capability, ModelCard } from "../../../src/core/models/card.ts";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { Normaliser, normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type { ChatReply, ChatRequest } from "../../../src/operations/chat/form.ts";
import { EventParser } from "../../../src/transport/framing/sse.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { findChatCodec } from "../../harness/codec.ts";

export const BASE = "https://upstream.example/v1";

/** A card from the catalogue unless `capabilities` is null. */
export function makeCard(
  name: string,
  capabilities: readonly Capability[] | null,
  output?: number,
): ModelCard {
  return makeModelCard(`Some#${name}`, {
    outputTokensMax: output ?? null,
    capabilities: new Set(capabilities ?? []),
    listed: capabilities !== null,
  });
}

export function makeRequest(fields: Partial<ChatRequest>): ChatRequest {
  return { model: "Some#any", messages: [{ role: "user", content: "Hi" }], ...fields };
}

export function encoded(dialect: Dialect, fields: Partial<ChatRequest>, card: ModelCard): Outgoing {
  return findChatCodec(dialect).encode(makeRequest(fields), card, {
    baseUrl: BASE,
    secret: "s3cret",
    headers: { "X-Team": "7" },
  });
}

export function functionTool(name: string, strict?: boolean) {
  const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  return { type: "function" as const, function: { name, parameters, ...(strict ? { strict } : {}) } };
}

/** Returns the bytes of a stream of these events, with `data` lines only. */
export function writeStream(events: readonly (JsonObject | string)[]): string {
  const lines = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
  return lines.map((line) => `data: ${line}\n\n`).join("");
}

/** The reply that a stream folds to, and the number of chunks sent to the client. Throws the decoder's faults. */
export function streamed(dialect: Dialect, text: string, fields: Partial<ChatRequest> = {}, name = "any") {
  const request = makeRequest(fields);
  const parser = new EventParser();
  const decoder = findChatCodec(dialect).decoder(makeCard(name, null), request);
  const normaliser = new Normaliser(request);
  const fold = new Fold();
  const events = [...parser.push(text), ...parser.end()];
  for (const event of events) for (const chunk of normaliser.push(decoder.push(event))) fold.push(chunk);
  for (const chunk of [...normaliser.push(decoder.end()), ...normaliser.end()]) fold.push(chunk);
  return fold.reply();
}

export function whole(dialect: Dialect, body: unknown, fields: Partial<ChatRequest> = {}): ChatReply {
  const request = makeRequest(fields);
  return normaliseReply(
    findChatCodec(dialect).reply(body, makeCard("any", null), request, new Headers()),
    request,
  );
}

/** The only choice's message. */
export function readMessage(reply: ChatReply) {
  const [choice] = reply.choices;
  if (!choice) throw new Error("no choice");
  return choice.message;
}

/** The code of the fault that `act` throws, or "none". */
export function catchCode(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (thrown) {
    return toFault(thrown).code;
  }
}
