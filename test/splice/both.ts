// Both paths of a streamed answer over the same bytes, for tests that compare them.

import { expect } from "bun:test";
import type { ModelCard } from "../../src/core/card.ts";
import { toFault } from "../../src/core/fault.ts";
import type { ChatLane, Dialect } from "../../src/dialects/dialect.ts";
import { AnswerReader } from "../../src/operations/chat/answer.ts";
import { Fold } from "../../src/operations/chat/fold.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { isChunk, listChunks, type Part, Run } from "../../src/operations/chat/run.ts";
import { AnswerLines } from "../../src/surfaces/openai-chat/writer.ts";
import type { Writer } from "../../src/surfaces/surface.ts";
import { findChatCodec } from "../codec.ts";
import { decoded } from "../decoded.ts";

export interface Subject {
  readonly dialect: Dialect;
  readonly card: ModelCard;
  readonly request: ChatRequest;
  /** The lane in which the client gets the provider's own events, and its writer. Missing if they are translated. */
  readonly native?: { readonly lane: ChatLane; readonly makeWriter: () => Writer<Part> };
}

interface Given {
  /** The client's bytes without the stamp. */
  readonly text: string;
  readonly reply: string;
  readonly usage: string;
  readonly isFinished: boolean;
  readonly fault: string;
  /** For the events' texts on the fast path: their number, bytes and characters. */
  readonly spliced: number;
}

function given(
  { dialect, card, request, native }: Subject,
  pieces: Iterable<Uint8Array>,
  splices: boolean,
): Given {
  const decoder = (native?.lane ?? findChatCodec(dialect)).decoder(card, request);
  const reader = new AnswerReader({
    decoder,
    request,
    choiceOffset: 0,
    stops: [],
    splices,
    verbatim: native !== undefined,
  });
  const parts: Part[] = [];
  let fault = "";
  try {
    for (const piece of decoded(pieces)) {
      const reading = reader.push(piece);
      parts.push(...(reading?.pieces ?? []));
      if (reading?.broken !== undefined) throw reading.broken;
    }
    const last = reader.end();
    parts.push(...last.pieces);
    if (last.broken !== undefined) throw last.broken;
  } catch (thrown) {
    fault = `${toFault(thrown).code} ${String(toFault(thrown).details.cause)}`;
  }
  parts.push(...reader.finish());
  const fold = new Fold();
  for (const chunk of listChunks(parts)) fold.push(chunk);
  const lines = new AnswerLines({ id: "chatcmpl-1" });
  return {
    text: native ? show(native.makeWriter(), parts) : parts.map((part) => written(part, lines)).join(""),
    reply: JSON.stringify(fold.reply()),
    usage: JSON.stringify(reader.usage),
    isFinished: reader.isFinished,
    fault,
    spliced: parts.reduce((sum, part) => sum + (part instanceof Run ? part.texts.length : 0), 0),
  };
}

function show(writer: Writer<Part>, parts: readonly Part[]): string {
  return parts.map((part) => writer.write([part])).join("") + writer.end();
}

function written(part: Part, lines: AnswerLines): string {
  if (isChunk(part)) return lines.chunk(part);
  if (!(part instanceof Run)) throw new Error("No lane shows events as they came here.");
  const texts = part.texts.map((text) => String(JSON.parse(`"${text}"`)));
  expect(part.bytes).toBe(Buffer.byteLength(texts.join("")));
  return lines.run(part);
}

/** Runs both paths on these pieces. Returns the number of events on the fast one. */
export function same(subject: Subject, pieces: Iterable<Uint8Array>): number {
  const all = [...pieces];
  const { spliced, ...fast } = given(subject, all, true);
  const { spliced: none, ...slow } = given(subject, all, false);
  expect(none).toBe(0);
  expect(fast).toEqual(slow);
  return spliced;
}
