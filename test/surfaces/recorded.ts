// Every recorded answer as its surface's clients get it: translated from the canonical form, or passed on unchanged.

import { toFault } from "../../src/core/faults/fault.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { ChatLane } from "../../src/dialects/dialect.ts";
import { AnswerReader } from "../../src/operations/chat/answer/answer.ts";
import { unfold } from "../../src/operations/chat/answer/fold.ts";
import type { Part } from "../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import type { ChatReply } from "../../src/operations/chat/form.ts";
import type { Exchange, Incoming, Stamp } from "../../src/surfaces/surface.ts";
import { findChatCodec } from "../harness/codec.ts";
import { decoded } from "../harness/decoded.ts";
import { readTraffic } from "../recorded/load.ts";
import { decodeAnswer, encodeText, makeSubject, type Subject } from "../recorded/pipeline.ts";
import { orderInReply } from "./order.ts";

export const STAMP: Stamp = {
  id: "resp_1",
  created: 1,
  model: "Acme#model",
  countPrompt: () => 7,
  nameStored: (id) => `resp_1_at_${id}`,
  sealHistory: () => null,
};

/** Doesn't encrypt, so that the tests can read sealed text. */
export const PLAIN_SEALER = { seal: (text: string) => btoa(encodeURIComponent(text)), open: openPlain };

function openPlain(sealed: string): string | null {
  try {
    return decodeURIComponent(atob(sealed));
  } catch {
    return null;
  }
}

export function incoming(body: JsonObject, path = "/", headers: Record<string, string> = {}): Incoming {
  return {
    url: `http://gateway.test${path}`,
    headers: new Headers(headers),
    body,
    keeping: null,
    stored: null,
    limits: { choicesMax: 16, messagesMax: 10_000 },
    seal: PLAIN_SEALER,
  };
}

/** The successful recorded answers, with their content in the canonical form. */
export function recordedAnswers(): readonly { readonly subject: Subject; readonly reply: ChatReply }[] {
  return readTraffic().recordings.flatMap((recording) => {
    if (recording.status !== 200) return [];
    const subject = makeSubject(recording);
    try {
      return [{ subject, reply: decodeAnswer(subject).reply }];
    } catch {
      // Errors within a stream have their own tests.
      return [];
    }
  });
}

/** The pieces of a recorded answer as the gateway passes them to a writer, usage and cost last. */
export function decodePieces(
  { recording, dialect, card, request }: Subject,
  lane: ChatLane | null,
): readonly Part[] {
  const codec = lane ?? findChatCodec(dialect);
  const pieces: Part[] = [];
  if (recording.streamed) {
    const reader = new AnswerReader({
      decoder: codec.decoder(card, request),
      request,
      choiceOffset: 0,
      stops: [],
      splices: true,
      verbatim: lane !== null,
    });
    for (const text of decoded([encodeText(recording.body)]))
      pieces.push(...(reader.push(text)?.pieces ?? []));
    const { pieces: last, broken } = reader.end();
    if (broken !== undefined) throw toFault(broken);
    pieces.push(...last, ...reader.finish());
    const usage = reader.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    return [...pieces, { choices: [], usage: { ...usage, cost: 0.5, charged: 0.25 } }];
  }
  const reply = decodeAnswer({ recording, dialect, card, request }).reply;
  const usage = reply.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  return [
    ...unfold({ ...reply, usage: undefined }),
    { choices: [], usage: { ...usage, cost: 0.5, charged: 0.25 } },
  ];
}

type ChatExchange = Exchange<ChatForm>;

/** The text of a stream, its pieces written all at once or one by one. */
export function writeStream(exchange: ChatExchange, pieces: readonly Part[], isOneByOne: boolean): string {
  const writer = exchange.writer(() => STAMP);
  let text = "";
  if (isOneByOne) for (const piece of pieces) text += writer.write([piece]);
  else text += writer.write(pieces);
  return text + writer.end();
}

/** The content of an answer, for comparison with a client's reading. */
export interface Said {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly (readonly [string, unknown])[];
  /** The parts, in order. */
  readonly order: readonly string[];
}

export function readSaid(reply: ChatReply): Said {
  const message = reply.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).map((call): readonly [string, unknown] =>
    call.type === "custom"
      ? [call.custom.name, { input: call.custom.input }]
      : [call.function.name, parseArguments(call.function.arguments)],
  );
  const order = orderInReply(reply);
  return { text: message?.content ?? "", refusal: message?.refusal ?? "", calls, order };
}

export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}
