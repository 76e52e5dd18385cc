// Both paths of a streamed answer over the same bytes, for tests that compare them.

import { expect, spyOn } from "bun:test";
import { type Fault, toFault } from "../../../../src/core/faults/fault.ts";
import type { ModelCard } from "../../../../src/core/models/card.ts";
import type { ChatLane, Dialect } from "../../../../src/dialects/dialect.ts";
import { splitEvents } from "../../../../src/http/sockets/frames.ts";
import { AnswerReader } from "../../../../src/operations/chat/answer/answer.ts";
import { Fold } from "../../../../src/operations/chat/answer/fold.ts";
import { listChunks, type Part, Run } from "../../../../src/operations/chat/answer/run.ts";
import type { ChatRequest } from "../../../../src/operations/chat/form.ts";
import type { Reading } from "../../../../src/operations/operation.ts";
import { makeChunkWriter } from "../../../../src/surfaces/openai-chat/writer.ts";
import type { Writer } from "../../../../src/surfaces/surface.ts";
import { findChatCodec } from "../../../harness/codec.ts";
import { decoded } from "../../../harness/decoded.ts";
import { PLAIN_SEALER, STAMP } from "../../../surfaces/recorded.ts";

export interface Subject {
  readonly dialect: Dialect;
  readonly card: ModelCard;
  readonly request: ChatRequest;
  /** The lane in which the client gets the provider's own events. Missing if they are translated. */
  readonly lane?: ChatLane;
  /** The client's surface. Missing for chunks. */
  readonly makeWriter?: () => Writer<Part>;
}

interface Given {
  /** The client's bytes. */
  readonly text: string;
  /** The same as a socket's frames. */
  readonly frames: readonly string[];
  /** The whole answer that is kept. */
  readonly kept: string;
  readonly reply: string;
  readonly usage: string;
  readonly isFinished: boolean;
  readonly fault: string;
  /** The number of texts on the fast path. */
  readonly spliced: number;
  /** The number of those that were parsed all the same. */
  readonly parsed: number;
}

const makeChunks = () =>
  makeChunkWriter(() => STAMP, { includeUsage: true, offersFunctions: false, seal: PLAIN_SEALER });

function given(
  { dialect, card, request, lane, makeWriter = makeChunks }: Subject,
  pieces: Iterable<Uint8Array>,
  splices: boolean,
): Given {
  const decoder = (lane ?? findChatCodec(dialect)).decoder(card, request);
  const verbatim = lane !== undefined;
  const reader = new AnswerReader({ decoder, request, choiceOffset: 0, stops: [], splices, verbatim });
  const writer = makeWriter();
  const parts: Part[] = [];
  const frames: string[] = [];
  let text = "";
  const show = (written: string) => {
    text += written;
    frames.push(...splitEvents(written));
  };
  const take = (read: readonly Part[]) => {
    parts.push(...read);
    show(writer.write(read));
  };
  const chunks = spyOn(Run.prototype, "chunk");
  let fault: Fault | null = null;
  try {
    for (const piece of decoded(pieces)) takeReading(reader.push(piece), take);
    takeReading(reader.end(), take);
    take(reader.finish());
  } catch (thrown) {
    fault = toFault(thrown);
  }
  show(fault === null ? writer.end() : (writer.fail(fault, "req_1") ?? ""));
  const parsed = chunks.mock.calls.length;
  chunks.mockRestore();
  const fold = new Fold();
  for (const chunk of listChunks(parts)) fold.push(chunk);
  for (const part of parts) if (part instanceof Run) expect(part.bytes).toBe(measureTexts(part));
  return {
    text,
    frames,
    kept: fault === null ? JSON.stringify(writer.finish?.()) : "",
    reply: JSON.stringify(fold.reply()),
    usage: JSON.stringify(reader.usage),
    isFinished: reader.isFinished,
    fault: fault === null ? "" : `${fault.code} ${String(fault.details.cause)}`,
    spliced: parts.reduce((sum, part) => sum + (part instanceof Run ? part.texts.length : 0), 0),
    parsed,
  };
}

function takeReading(reading: Reading<Part> | null, take: (parts: readonly Part[]) => void): void {
  take(reading?.pieces ?? []);
  if (reading?.broken !== undefined) throw reading.broken;
}

function measureTexts({ texts }: Run): number {
  return Buffer.byteLength(texts.map((text) => String(JSON.parse(`"${text}"`))).join(""));
}

/** Runs both paths on these pieces. Returns the numbers of texts on the fast one, and of those that it parsed all the same. */
export function compare(subject: Subject, pieces: Iterable<Uint8Array>): Pick<Given, "spliced" | "parsed"> {
  const all = [...pieces];
  const { spliced, parsed, ...fast } = given(subject, all, true);
  const { spliced: none, parsed: _, ...slow } = given(subject, all, false);
  expect(none).toBe(0);
  expect(fast).toEqual(slow);
  return { spliced, parsed };
}

/** The same, for tests that only want to know how many were on the fast path. */
export function same(subject: Subject, pieces: Iterable<Uint8Array>): number {
  return compare(subject, pieces).spliced;
}
