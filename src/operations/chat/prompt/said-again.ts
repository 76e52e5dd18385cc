// The gateway's own words at the end of a prompt, kept in the thinking of the answer to it: when that comes back, they are
// said again in their place, since a model that binds its thinking to what stood before it would drop it otherwise.
import { parseReceived } from "../../../core/json/bounds.ts";
import { asArray, asString, isObject, type JsonObject } from "../../../core/json/json.ts";
import type { Said } from "../../../core/models/dialect.ts";
import type { AnswerCodec } from "../../codec.ts";
import { foldChunks, unfold } from "../answer/fold.ts";
import type { ChatForm, Decoder } from "../decoder.ts";
import type { AssistantMessage, ChatChunk, Delta, ReasoningDetail } from "../form.ts";

/** The format of the detail that holds it. No provider has it, so no dialect sends it on. */
const FORMAT = "poundkey-said-v1";
/** Longer words, such as a schema, aren't kept. */
const TEXT_BYTES_MAX = 2048;
/** Signatures of one thinking differ from those of any other in their last characters, too. */
const END_CHARACTERS = 24;

/** Null if the words are too long to be kept. */
export function keepSaid(said: Said): Said | undefined {
  return Buffer.byteLength(said.text) <= TEXT_BYTES_MAX ? said : undefined;
}

function readSignature({ format, signature, data }: ReasoningDetail): string {
  return format === FORMAT ? "" : (signature ?? data ?? "");
}

/** The detail belongs to the thinking with this signature, and nowhere else. */
function makeSaidDetail({ text, removed, added }: Said, signature: string): ReasoningDetail {
  const id = signature.slice(-END_CHARACTERS);
  return { type: "reasoning.encrypted", format: FORMAT, is_foreign: true, said: text, removed, added, id };
}

export function isSaidDetail({ format }: JsonObject): boolean {
  return format === FORMAT;
}

/** Returns what stood before an answer of the history. Null if nothing did, or if its thinking isn't there any more. */
export function findSaid({ reasoning_details: details }: AssistantMessage): Said | null {
  if (details === undefined) return null;
  const kept = details.find(isSaidDetail);
  return kept === undefined ? null : readSaid(details, kept);
}

function readSaid(details: readonly ReasoningDetail[], kept: ReasoningDetail): Said | null {
  const id = kept.id ?? "";
  if (id === "" || !details.some((one) => readSignature(one).endsWith(id))) return null;
  return { text: asString(kept.said) ?? "", removed: listNames(kept.removed), added: listNames(kept.added) };
}

function listNames(names: unknown): readonly string[] {
  return asArray(names).filter((name) => typeof name === "string");
}

/** Adds the detail to the first signed thinking of each answer. */
export function addSaid(codec: AnswerCodec<ChatForm>, said: Said): AnswerCodec<ChatForm> {
  return {
    ...codec,
    decoder: (card, ask, headers) => wrapDecoder(codec.decoder(card, ask, headers), said),
    reply: (body, card, ask, headers) => {
      const reply = codec.reply(body, card, ask, headers);
      const hasThinking = reply.choices.some(({ message }) => message.reasoning_details !== undefined);
      return hasThinking ? foldChunks(addToChunks(unfold(reply), said, new Set())) : reply;
    },
  };
}

function wrapDecoder(inner: Decoder, said: Said): Decoder {
  const done = new Set<number>();
  return {
    get done() {
      return inner.done;
    },
    push: (event) => addToChunks(inner.push(event), said, done),
    end: () => addToChunks(inner.end(), said, done),
  };
}

/** `done` are the choices that have it. */
function addToChunks(chunks: readonly ChatChunk[], said: Said, done: Set<number>): readonly ChatChunk[] {
  return chunks.map((chunk) => {
    const choices = chunk.choices.map((choice) => {
      const delta = done.has(choice.index) ? choice.delta : addToDelta(choice.delta, said);
      if (delta === choice.delta) return choice;
      done.add(choice.index);
      return { ...choice, delta };
    });
    return { ...chunk, choices };
  });
}

function addToDelta(delta: Delta, said: Said): Delta {
  const details = delta.reasoning_details ?? [];
  const at = details.findIndex((one) => readSignature(one) !== "");
  const signed = details[at];
  if (signed === undefined) return delta;
  const own = makeSaidDetail(said, readSignature(signed));
  return { ...delta, reasoning_details: details.toSpliced(at + 1, 0, own) };
}

/** Writes the detail as JSON, for the chat form: it has no signature in which it could lie. */
export function packSaid({ said, removed, added, id }: JsonObject): string {
  return JSON.stringify({ said, removed, added, id });
}

/** Null if it is something else. */
export function unpackSaid(packed: string | null): ReasoningDetail | null {
  const kept = packed === null ? null : parseReceived(packed);
  if (!isObject(kept) || typeof kept.said !== "string" || typeof kept.id !== "string") return null;
  const { said, removed, added, id } = kept;
  return { type: "reasoning.encrypted", format: FORMAT, is_foreign: true, said, removed, added, id };
}
