// Ways to split a recorded stream into reads, and the places where it may break off.

import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { splitFrames } from "./aws-frames.ts";
import { type RecordedEvent, splitEvents } from "./events.ts";
import type { ChatApi, Recording } from "./load.ts";
import { encodeText } from "./pipeline.ts";

const BYTE_BY_BYTE_MAX = 20_000;
const RANDOM_SEEDS = [1, 2] as const;
const RANDOM_PIECE_BYTES_MAX = 400;

export interface Cut {
  readonly name: string;
  readonly pieces: Iterable<Uint8Array>;
}

/** The same stream in other pieces and with other line ends. All must give the same answer. */
export function listCuts(recording: Recording): Cut[] {
  const bytes = recording.frames ?? encodeText(recording.body);
  const exchanged = recording.body.includes("\r\n")
    ? recording.body.replaceAll("\r\n", "\n")
    : recording.body.replaceAll("\n", "\r\n");
  const cuts: Cut[] = RANDOM_SEEDS.map((seed) => ({
    name: `seed ${seed}`,
    pieces: randomPieces(bytes, seed),
  }));
  if (!recording.frames) cuts.push({ name: "line ends", pieces: randomPieces(encodeText(exchanged), 3) });
  if (bytes.length < BYTE_BY_BYTE_MAX) cuts.push({ name: "byte by byte", pieces: singleBytes(bytes) });
  return cuts;
}

function* singleBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

/** Pieces of 1 to a few hundred bytes, the same for the same seed (a linear congruential generator). */
function* randomPieces(bytes: Uint8Array, seed: number): Generator<Uint8Array> {
  let state = seed;
  for (let at = 0; at < bytes.length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const length = 1 + ((state >>> 8) % RANDOM_PIECE_BYTES_MAX);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Beginnings of the stream that must not count as a whole answer: none contains the dialect's own end. */
export function brokenOff(recording: Recording): { readonly name: string; readonly bytes: Uint8Array }[] {
  const end = endOf(recording);
  if (!end) return [];
  const middle = Math.floor((end.start + end.end) / 2);
  const places: readonly (readonly [string, number])[] = [
    ["nothing", 0],
    ["a third", Math.floor(end.start / 3)],
    ["two thirds", Math.floor((end.start * 2) / 3)],
    ["before the end event", end.start],
    ["within the end event", middle],
  ];
  const { frames } = recording;
  const cutAt = (at: number) => frames?.slice(0, at) ?? encodeText(recording.body.slice(0, at));
  return places.map(([name, at]) => ({ name, bytes: cutAt(at) }));
}

/**
 * The event without which the answer is not whole. With several choices it is the last one's first finish, because
 * every choice that began must finish.
 */
function endOf(recording: Recording): Pick<RecordedEvent, "start" | "end"> | undefined {
  if (recording.frames)
    return splitFrames(recording.frames).find(
      ({ event }) => event === "messageStop" || event === "message_stop",
    );
  const finished = new Set<unknown>();
  let last: RecordedEvent | undefined;
  for (const event of splitEvents(recording.body)) {
    const ended = endedBy(recording.api, event.json ?? {}).filter((choice) => !finished.has(choice));
    for (const choice of ended) finished.add(choice);
    if (ended.length > 0) last = event;
  }
  return last;
}

/** The indexes of the choices that an event finishes. Dialects with one choice use 0. */
function endedBy(api: ChatApi, json: JsonObject): unknown[] {
  switch (api) {
    case "openai-chat":
      return asArray(json.choices)
        .map(asObject)
        .filter((choice) => choice.finish_reason)
        .map((choice) => choice.index);
    case "anthropic-messages":
    case "vertex-rawPredict":
      return json.type === "message_stop" ? [0] : [];
    case "gemini-generateContent":
    case "gemini-streamGenerateContent":
      if (asObject(json.promptFeedback).blockReason) return [0];
      return asArray(json.candidates)
        .map(asObject)
        .filter((candidate) => candidate.finishReason)
        .map((candidate) => candidate.index ?? 0);
    case "cohere-v2":
      return json.type === "message-end" ? [0] : [];
    case "bedrock-converse":
    case "bedrock-converse-stream":
    case "bedrock-invoke":
    case "bedrock-invoke-stream":
      return [];
    case "openai-responses":
    case "perplexity-agent":
      return /^response\.(completed|incomplete)$/.test(String(json.type)) ? [0] : [];
  }
}
