// One HTTP call to a provider: bounded in time, ended with its client, with every failure reported as a Fault.

import { Fault, toFault } from "../core/fault.ts";
import { LongJsonReader } from "../core/json/long.ts";
import type { DeliveredBody, Outgoing } from "../core/models/dialect.ts";
import { malformed } from "../core/models/upstream.ts";
import type { Proof, Timeouts } from "../core/settings.ts";
import type { Ending } from "../core/world/ending.ts";
import type { Clock, Deadline, Deadlines, Fetch } from "../core/world/world.ts";
import type { Authorize } from "./auth/authorize.ts";
import { isConnectFailure, isConnectionReset, isNetworkError, makeConnectionFault } from "./broken.ts";
import type { KeptConnections } from "./kept.ts";
import { type PreparedRequest, prepareRequest, toInit } from "./prepared.ts";
import { sendAuthenticated } from "./proving.ts";
import type { Reachability } from "./reachability.ts";
import { redact } from "./redact.ts";
import { addReport, makeTimeout, readWords } from "./report.ts";
import { drain, isBounded, isClosing, makeReader, type TextReader } from "./text-reader.ts";

/** Explains an error answer by its status, headers and text. */
type Explain = (status: number, headers: Headers, body: string, nowMs: number) => Fault;

export interface Ports {
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly deadlines: Deadlines;
  readonly reachability: Reachability;
  readonly kept: KeptConnections;
  readonly authorize: Authorize;
}

const ERROR_BYTES_MAX = 64 * 1024;
const ERROR_BODY_MS = 3000;
/** The longest that the connection may take to close after the answer's last event. */
const REST_MS = 2000;
/** Shorter answers are parsed as text: nothing in them is too large to be held twice. */
const SHORT_JSON_BYTES = 1024 * 1024;
/**
 * A kept connection closed by the server is reset within a round trip. After this time the server failed while working.
 */
const STALE_MS = 1000;
const FIRST_BYTE_MS = 60_000;
const FIRST_BYTE_REASONING_MS = 300_000;

/** The longest wait for the first part of a streamed answer. */
export function chooseFirstByteMs(timeouts: Timeouts, reasoning: boolean): number {
  return timeouts.firstByteMs ?? (reasoning ? FIRST_BYTE_REASONING_MS : FIRST_BYTE_MS);
}

interface UpstreamCallOptions {
  readonly client: Ending;
  /** On the monotonic clock. */
  readonly deadlineAtMs: number;
  /** Words that must not appear in messages to clients. */
  readonly redactedWords: () => readonly string[];
  /** True if the call must use a new connection even if idle ones are kept. */
  readonly fresh: boolean;
  /** Missing if the call already carries its secret or needs none. */
  readonly proof?: Proof | undefined;
}

/** A running call. `close()` ends it and releases its resources, and may be called more than once. */
export class UpstreamCall {
  readonly #ports: Ports;
  readonly #abort = new AbortController();
  readonly #options: UpstreamCallOptions;
  readonly #deadline: Deadline;
  #reader: TextReader | null = null;
  #complete = false;
  /** True if the body was read to its end, so there is nothing to abort. */
  #read = false;
  /** Words of proofs, which must not be shown either. */
  readonly #proofSecrets: string[] = [];
  /** The origin under which its connection will be kept. Null if it won't be. */
  #origin: string | null = null;
  /** The URL that the call was sent to. */
  #url = "";
  readonly #end = (reason: Fault): void => this.#abort.abort(reason);

  constructor(ports: Ports, options: UpstreamCallOptions) {
    this.#ports = ports;
    this.#options = options;
    const late = () => this.#end(makeTimeout());
    this.#deadline = ports.deadlines.watch(options.deadlineAtMs, late);
    // Deadlines are noticed up to 250 ms late: a call that is late from the start would be sent.
    if (options.deadlineAtMs <= ports.deadlines.nowMs()) late();
    options.client.tell(this.#end);
  }

  /** Moves the deadline. */
  extendTo(atMs: number): void {
    this.#deadline.atMs = atMs;
  }

  /**
   * Marks the answer as complete before the body ends: `close()` then reads the rest so that the connection can be
   * reused.
   */
  complete(): void {
    this.#complete = true;
  }

  close(): void {
    this.#options.client.forget(this.#end);
    if (this.#complete && this.#reader) {
      this.extendTo(this.#ports.deadlines.nowMs() + REST_MS);
      void drain(this.#reader).then((isRead) => {
        this.#read = isRead;
        this.#abandon();
      });
    } else this.#abandon();
  }

  #abandon(): void {
    this.#deadline.clear();
    if (!this.#read) this.#abort.abort();
    else if (this.#origin !== null) this.#ports.kept.keep(this.#origin, this.#ports.deadlines.nowMs());
    this.#origin = null;
  }

  /** Throws the reason if the call has already ended and must not be sent. */
  throwIfEnded(): void {
    if (this.#abort.signal.aborted) throw this.explain(this.#abort.signal.reason);
  }

  /** Sends the request and returns the response headers. Rejects with a Fault. */
  send(outgoing: Outgoing, connectMs: number): Promise<Response> {
    return this.#sendAuthenticated(outgoing.url, prepareRequest(outgoing), connectMs);
  }

  /** Returns the Fault of an error answer. */
  async readError(response: Response, explain: Explain): Promise<Fault> {
    if (response.status >= 300 && response.status < 400) return malformed(`redirect ${response.status}`);
    const body = await this.#errorText(response);
    const fault = explain(response.status, response.headers, body, this.#ports.clock.nowMs());
    return addReport(fault, readWords(response.headers, body, fault));
  }

  /** Reads the body as text, or as JSON without copying its long strings. Rejects if it is too long or breaks off. */
  read(response: Response, isLong: boolean, bytesMax: number): Promise<DeliveredBody["body"]> {
    const isShort = isBounded(response.headers, isLong ? SHORT_JSON_BYTES : bytesMax);
    return isShort ? this.#short(response.text()) : this.#readLarge(response, isLong, bytesMax);
  }

  async #readLarge(response: Response, isLong: boolean, bytesMax: number): Promise<DeliveredBody["body"]> {
    if (isLong) {
      const reader = new LongJsonReader();
      await this.#readBytes(response, bytesMax, (piece) => reader.push(piece));
      return reader.end();
    }
    const pieces: string[] = [];
    await this.#readText(response, bytesMax, pieces);
    return pieces.join("");
  }

  /** Appends the body's text to `pieces`. Rejects if it is too long or breaks off. */
  #readText(response: Response, bytesMax: number, pieces: string[]): Promise<void> {
    const decoder = new TextDecoder();
    return this.#readBytes(response, bytesMax, (piece) => {
      pieces.push(decoder.decode(piece, { stream: true }));
    });
  }

  async #readBytes(
    response: Response,
    bytesMax: number,
    onPiece: (piece: Uint8Array<ArrayBuffer>) => void,
  ): Promise<void> {
    let length = 0;
    try {
      for await (const piece of response.body ?? []) {
        onPiece(piece);
        length += piece.byteLength;
        if (length > bytesMax) throw malformed("the answer is too large");
      }
    } catch (thrown) {
      throw this.explain(thrown);
    }
    await this.#short(Promise.resolve());
  }

  /** Waits for a body whose declared length is within bounds: reading it piece by piece would cost 5 µs more. */
  async #short<Body>(reading: Promise<Body>): Promise<Body> {
    try {
      const body = await reading;
      if (this.#abort.signal.aborted) throw this.#abort.signal.reason;
      this.#read = true;
      return body;
    } catch (thrown) {
      throw this.explain(thrown);
    }
  }

  /** Reads an error's body up to ERROR_BYTES_MAX, enough to tell what kind of error it is. */
  async #errorText(response: Response): Promise<string> {
    this.extendTo(Math.min(this.#deadline.atMs, this.#ports.deadlines.nowMs() + ERROR_BODY_MS));
    const pieces: string[] = [];
    // If the body breaks off, the status and the part that arrived still explain the error.
    await this.#readText(response, ERROR_BYTES_MAX, pieces).catch(() => {});
    if (this.#options.client.reason) throw this.#options.client.reason;
    return pieces.join("").slice(0, ERROR_BYTES_MAX);
  }

  /**
   * Returns a reader of the body as it arrives, decoded by the runtime. Don't touch `body` before: that would wrap one
   * stream in another. Pass results to `piece`, and errors to `explain`.
   */
  open(response: Response, answer?: Outgoing["answer"]): TextReader {
    this.#reader = makeReader(response, answer);
    return this.#reader;
  }

  /**
   * Returns the text, or null at the end. Throws if the call was aborted, which would otherwise look like a normal end.
   */
  piece({ done, value }: Bun.ReadableStreamDefaultReadResult<string>): string | null {
    if (this.#abort.signal.aborted) throw this.#abort.signal.reason;
    if (!done) return value;
    this.#reader = null;
    this.#read = true;
    return null;
  }

  /** Returns the fault of this call as clients may see it. */
  toFault(thrown: unknown): Fault {
    const fault = redact(toFault(thrown), [...this.#options.redactedWords(), ...this.#proofSecrets]);
    return fault.row.blame === "provider" && this.#url !== ""
      ? addReport(fault, { address: new URL(this.#url).host })
      : fault;
  }

  /** Returns why the call broke off: the reason it was ended, or a broken connection. */
  explain(thrown: unknown): Fault {
    const { aborted, reason } = this.#abort.signal;
    if (aborted && reason instanceof Fault) return reason;
    // A fault has a code, too, like an error of the network.
    if (thrown instanceof Fault) return thrown;
    return isNetworkError(thrown) ? makeConnectionFault(thrown) : toFault(thrown);
  }

  /** Sends the call once. A broken call may have been served, so only failover may repeat it. */
  async #sendOnce(url: string, given: PreparedRequest, connectMs: number): Promise<Response> {
    const { kept, deadlines, reachability } = this.#ports;
    const { fresh } = this.#options;
    const origin = url.slice(0, url.indexOf("/", "https://".length));
    const sentMs = deadlines.nowMs();
    this.#url = url;
    const mayBeStale = !fresh && kept.take(origin, sentMs);
    const connecting = reachability.watch(url, connectMs, this.#end);
    try {
      const response = await this.#ports.fetch(url, toInit(given, this.#abort.signal, fresh));
      if (!fresh && !isClosing(response.headers)) this.#origin = origin;
      return response;
    } catch (error) {
      if (this.#abort.signal.aborted || !isNetworkError(error)) throw this.explain(error);
      const isStale = mayBeStale && isConnectionReset(error) && deadlines.nowMs() - sentMs < STALE_MS;
      throw makeConnectionFault(
        error,
        isStale ? { stale: true } : isConnectFailure(error) ? { unsent: true } : {},
      );
    } finally {
      connecting.clear();
    }
  }

  #sendAuthenticated(url: string, prepared: PreparedRequest, connectMs: number): Promise<Response> {
    const { proof } = this.#options;
    if (proof === undefined) return this.#sendOnce(url, prepared, connectMs);
    const { authorize, clock } = this.#ports;
    const send = (one: PreparedRequest) => this.#sendOnce(url, one, connectMs);
    const onSecret = (secret: string) => void this.#proofSecrets.push(secret);
    const { signal } = this.#abort;
    return sendAuthenticated({ proof, authorize, clock, signal, onSecret, send }, url, prepared);
  }
}
