// Reads the messages of a tool server's event stream up to the response, within bounds.
import { parseExactBounded, RECEIVED_SHAPE } from "../../core/json/bounds.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { makeBrokenAnswer, makeResultTooLarge } from "../../tools/failures.ts";
import type { Redaction } from "../../tools/redaction.ts";
import { boundEntries } from "../../tools/wire/list-entries.ts";
import { type RpcId, type RpcMessage, type RpcResponse, readMessage } from "../../tools/wire/rpc.ts";
import { EventParser } from "../framing/sse.ts";
import { makeReader } from "../text-reader.ts";
import type { CallScope } from "./call-scope.ts";

export const RESULT_BYTES_MAX = 10 * 1024 * 1024;
export const RESULT_SHOWN_MAX = "10 MB";
/** All messages of one stream together: progress of hours takes a tenth. */
const STREAM_CHARACTERS_MAX = 64 * 1024 * 1024;

/** Hears what comes before the response. */
export interface MessageListener {
  notify(method: string, params: JsonObject): void;
  /** A request of the server, which is answered by a message of its own. */
  request(id: RpcId, method: string): void;
}

interface EventTerms {
  readonly server: string;
  /** The id of the request. Null for a stream that only carries notifications. */
  readonly id: number | null;
  readonly scope: CallScope;
  readonly listener: MessageListener;
  readonly parse: ParseMessage;
}

/** A response with the length of its text. */
export interface ReceivedResponse {
  readonly response: RpcResponse;
  readonly bytes: number;
}

/** Reads a message of the server's, without the credential that it was sent. */
export type ParseMessage = (text: string) => RpcMessage;

/** `lists` is true for an answer in which an entry beyond the bounds hurts no other. */
export function makeParse(redaction: Redaction, lists: boolean): ParseMessage {
  return (text) => {
    const given = parseExactBounded(text, RECEIVED_SHAPE);
    if (given !== undefined || !lists) return readMessage(redaction.hide(given, text));
    const bounded = boundEntries(text);
    return readMessage(redaction.hide(parseExactBounded(bounded, RECEIVED_SHAPE), bounded));
  };
}

/** Counts a stream's text, and hands its messages on. */
class EventReading {
  readonly #terms: EventTerms;
  readonly #events = new EventParser();
  #characters = 0;
  /** The part of them that belongs to an incomplete event. */
  #pending = 0;

  constructor(terms: EventTerms) {
    this.#terms = terms;
  }

  /** Returns the response once it is there. */
  push(text: string): ReceivedResponse | null {
    this.#characters += text.length;
    this.#pending += text.length;
    const events = this.#events.push(text);
    if (events.length > 0) this.#pending = text.length;
    this.#checkSize();
    for (const { data } of events) {
      const received = data === "" ? null : this.#read(data);
      if (received !== null) return received;
    }
    return null;
  }

  #checkSize(): void {
    const { server, id } = this.#terms;
    if (this.#pending > RESULT_BYTES_MAX + 65_536) throw makeResultTooLarge(server, RESULT_SHOWN_MAX);
    if (id !== null && this.#characters > STREAM_CHARACTERS_MAX)
      throw makeBrokenAnswer(server, "more than 64 MB of messages");
  }

  /** Answers to no question, and what isn't a message, are passed over. */
  #read(data: string): ReceivedResponse | null {
    const { server, id, listener, parse } = this.#terms;
    if (data.length > RESULT_BYTES_MAX) throw makeResultTooLarge(server, RESULT_SHOWN_MAX);
    const message = parse(data);
    if (message.kind === "notification") listener.notify(message.method, message.params);
    else if (message.kind === "request") listener.request(message.id, message.method);
    else if (message.kind === "response" && isAnswerTo(message, id))
      return { response: message, bytes: Buffer.byteLength(data) };
    return null;
  }
}

/** An error without an id answers the only request there is. */
export function isAnswerTo(response: RpcResponse, id: number | null): boolean {
  return id !== null && (response.id === id || (response.id === null && response.error !== null));
}

/**
 * Reads until the response is there or the stream ends: null if it ended without one. The rest of the stream is passed
 * over. Rejects with the reason if the scope ends before.
 */
export async function readEvents(response: Response, terms: EventTerms): Promise<ReceivedResponse | null> {
  const reading = new EventReading(terms);
  const reader = makeReader(response, undefined);
  for (;;) {
    const { done, value } = await reader.read();
    terms.scope.throwIfEnded();
    const received = reading.push(done ? "\n\n" : value);
    if (done) {
      terms.scope.endReading();
      return received;
    }
    if (received !== null) {
      terms.scope.drain(reader);
      return received;
    }
  }
}
