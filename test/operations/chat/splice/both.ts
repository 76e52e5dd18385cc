// Both paths of a streamed answer over the same bytes, for tests that compare them.

import { expect } from "bun:test";
import { toFault } from "../../../../src/core/fault.ts";
import type { ModelCard } from "../../../../src/core/models/card.ts";
import type { ChatLane, Dialect } from "../../../../src/dialects/dialect.ts";
import { AnswerReader } from "../../../../src/operations/chat/answer/answer.ts";
import { Fold } from "../../../../src/operations/chat/answer/fold.ts";
import { listChunks, type Part, Run } from "../../../../src/operations/chat/answer/run.ts";
import type { ChatRequest } from "../../../../src/operations/chat/form.ts";
import { makeChunkWriter } from "../../../../src/surfaces/openai-chat/writer.ts";
import type { Writer } from "../../../../src/surfaces/surface.ts";
import { findChatCodec } from "../../../harness/codec.ts";
import { decoded } from "../../../harness/decoded.ts";
import { PLAIN_SEALER, STAMP } from "../../../surfaces/recorded.ts";

export interface Subject {
  readonly dialect: Dialect;
  readonly card: ModelCard;
  readonly request: ChatRequest;
  /** The lane in which the client gets the provider's own events, and its writer. Missing if they are translated. */
  readonly native?: { readonly lane: ChatLane; readonly makeWriter: () => Writer<Part> };
}

interface Given {
  /** The client's bytes. */
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
  for (const part of parts) if (part instanceof Run) expect(part.bytes).toBe(measureTexts(part));
  const writer =
    native?.makeWriter() ??
    makeChunkWriter(() => STAMP, { includeUsage: true, offersFunctions: false, seal: PLAIN_SEALER });
  return {
    text: writer.write(parts) + writer.end(),
    reply: JSON.stringify(fold.reply()),
    usage: JSON.stringify(reader.usage),
    isFinished: reader.isFinished,
    fault,
    spliced: parts.reduce((sum, part) => sum + (part instanceof Run ? part.texts.length : 0), 0),
  };
}

function measureTexts({ texts }: Run): number {
  return Buffer.byteLength(texts.map((text) => String(JSON.parse(`"${text}"`))).join(""));
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
