// One HTTP call to a provider: bounded in time, ended with its client, with every failure reported as a Fault.

import { Fault, toFault } from "../core/faults/fault.ts";
import { malformed } from "../core/faults/malformed.ts";
import type { DeliveredBody, Outgoing } from "../core/models/dialect.ts";
import type { Credential, Proof } from "../core/settings.ts";
import type { Ending } from "../core/world/ending.ts";
import type { NetworkRules } from "../core/world/network.ts";
import type { Clock, Deadline, Deadlines, Fetch, Latecomer } from "../core/world/world.ts";
import { type Authorize, listSecrets } from "./auth/authorize.ts";
import { isConnectFailure, isConnectionReset, isNetworkError, makeConnectionFault } from "./broken.ts";
import type { KeptConnections } from "./kept.ts";
import { type PreparedRequest, prepareRequest, toInit } from "./prepared.ts";
import { sendAuthenticated } from "./proving.ts";
import { makeUnreachable, type Reachability } from "./reachability.ts";
import { redactFault } from "./redact.ts";
import { addReport, makeTimeout, readWords } from "./report.ts";
import {
  drainReader,
  isBounded,
  isClosing,
  makeReader,
  readLarge,
  readText,
  type TextReader,
} from "./text-reader.ts";

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

const NO_WORDS: readonly string[] = [];
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

/** The parts of an attempt that its calls need. */
interface CallTerms {
  readonly client: Ending;
  readonly credential: Credential;
  readonly upstream: {
    /** Words that must not appear in messages to clients, beside the credential's own. */
    readonly redactedWords: readonly string[];
    readonly network?: NetworkRules | undefined;
  };
  /** True if the call must use a new connection even if idle ones are kept. */
  readonly fresh: boolean;
}

/** The thing that a call waits for, which decides what an error means. */
type Phase = "idle" | "sending" | "reading";

/** A running call. `close()` ends it and releases its resources, and may be called more than once. */
export class UpstreamCall implements Latecomer {
  readonly #ports: Ports;
  readonly #abort = new AbortController();
  readonly #terms: CallTerms;
  #deadline: Deadline;
  /** When it must be over, on the monotonic clock. While it may be connecting, `#deadline` is earlier. */
  #untilMs: number;
  #phase: Phase = "idle";
  #sentMs = 0;
  #connectMs = 0;
  /** True if its connection may be a kept one. */
  #mayBeStale = false;
  #reader: TextReader | null = null;
  #complete = false;
  /** True if the body was read to its end, so there is nothing to abort. */
  #read = false;
  /** Words of proofs, which must not be shown either. */
  #proofSecrets: readonly string[] = NO_WORDS;
  /** The origin under which its connection will be kept. Null if it won't be. */
  #origin: string | null = null;
  /** The URL that the call was sent to. */
  #url = "";

  /** `untilMs` is on the monotonic clock. */
  constructor(ports: Ports, terms: CallTerms, untilMs: number) {
    this.#ports = ports;
    this.#terms = terms;
    this.#untilMs = untilMs;
    this.#deadline = ports.deadlines.watch(untilMs, this);
    // Deadlines are noticed up to 250 ms late: a call that is late from the start would be sent.
    if (untilMs <= ports.deadlines.nowMs()) this.end(makeTimeout());
    terms.client.tell(this);
  }

  /** Breaks it off. */
  end(reason: Fault): void {
    this.#abort.abort(reason);
  }

  late(): void {
    const { deadlines } = this.#ports;
    if (deadlines.nowMs() >= this.#untilMs) {
      this.end(makeTimeout());
      return;
    }
    this.#deadline = deadlines.watch(this.#untilMs, this);
    if (this.#phase === "sending") this.#testHost(this.#sentMs, this.#connectMs);
  }

  /** Ends the call if its host accepts no connection in the second half of the time for connecting. */
  #testHost(sentMs: number, connectMs: number): void {
    // Behind a proxy, a direct connection says nothing about the provider.
    if (typeof this.#terms.upstream.network?.proxy === "string") return;
    void this.#ports.reachability.isReached(this.#url, sentMs, connectMs / 2).then((isReached) => {
      const isWaiting = this.#phase === "sending" && this.#sentMs === sentMs;
      if (!isReached && isWaiting) this.end(makeUnreachable(connectMs));
    });
  }

  /** Moves the deadline. */
  extendTo(atMs: number): void {
    this.#untilMs = atMs;
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
    this.#terms.client.forget(this);
    if (this.#complete && this.#reader) this.#drain(this.#reader);
    else this.#abandon();
  }

  #drain(reader: TextReader): void {
    this.extendTo(this.#ports.deadlines.nowMs() + REST_MS);
    void drainReader(reader).then((isRead) => {
      this.#read = isRead;
      this.#abandon();
    });
  }

  #abandon(): void {
    this.#phase = "idle";
    this.#deadline.clear();
    if (!this.#read) this.#abort.abort();
    else if (this.#origin !== null) this.#ports.kept.keep(this.#origin, this.#ports.deadlines.nowMs());
    this.#origin = null;
  }

  /** Throws the reason if the call has already ended and must not be sent. */
  throwIfEnded(): void {
    if (this.#abort.signal.aborted) throw this.explain(this.#abort.signal.reason);
  }

  /**
   * Sends the request and resolves with the answer's head. Rejects with what broke it off, which `toFault` explains. Hand
   * the answer to one of `read`, `open` and `readError` at once.
   */
  send(outgoing: Outgoing, connectMs: number): Promise<Response> {
    const prepared = prepareRequest(outgoing);
    const { proof } = this.#terms.credential;
    return proof === undefined
      ? this.#request(outgoing.url, prepared, connectMs)
      : this.#sendAuthenticated(proof, outgoing.url, prepared, connectMs);
  }

  /** Sends the call once. A broken call may have been served, so only failover may repeat it. */
  #request(url: string, prepared: PreparedRequest, connectMs: number): Promise<Response> {
    const { kept, deadlines } = this.#ports;
    const { fresh, upstream } = this.#terms;
    const sentMs = deadlines.nowMs();
    this.#url = url;
    this.#origin = url.slice(0, url.indexOf("/", "https://".length));
    this.#sentMs = sentMs;
    this.#connectMs = connectMs;
    this.#mayBeStale = !fresh && kept.take(this.#origin, sentMs);
    this.#deadline.atMs = Math.min(sentMs + connectMs / 2, this.#untilMs);
    this.#phase = "sending";
    return this.#ports.fetch(url, toInit(prepared, this.#abort.signal, fresh, upstream.network));
  }

  #sendAuthenticated(proof: Proof, url: string, prepared: PreparedRequest, connectMs: number) {
    const { authorize, clock } = this.#ports;
    const send = async (one: PreparedRequest) => {
      const response = await this.#request(url, one, connectMs);
      this.#receive(response);
      return response;
    };
    const { signal } = this.#abort;
    const onSecret = (secret: string) => {
      this.#proofSecrets = [...this.#proofSecrets, secret];
    };
    return sendAuthenticated({ proof, authorize, clock, signal, onSecret, send }, url, prepared);
  }

  /** The answer has begun: the host was reached. */
  #receive({ headers }: Response): void {
    if (this.#phase !== "sending") return;
    this.#phase = "idle";
    this.#deadline.atMs = this.#untilMs;
    if (this.#terms.fresh || isClosing(headers)) this.#origin = null;
  }

  /** Returns the Fault of an error answer. */
  async readError(response: Response, explain: Explain): Promise<Fault> {
    this.#receive(response);
    if (response.status >= 300 && response.status < 400) return malformed(`redirect ${response.status}`);
    const body = await this.#errorText(response);
    const fault = explain(response.status, response.headers, body, this.#ports.clock.nowMs());
    return addReport(fault, readWords(response.headers, body, fault));
  }

  /**
   * Reads the body as text, or as JSON without copying its long strings. Rejects if it is too long or breaks off. Call
   * `finishBody` next.
   */
  read(response: Response, isLong: boolean, bytesMax: number): Promise<DeliveredBody["body"]> {
    this.#receive(response);
    this.#phase = "reading";
    const isShort = isBounded(response.headers, isLong ? SHORT_JSON_BYTES : bytesMax);
    // Reading it piece by piece would cost 5 µs more.
    return isShort ? response.text() : readLarge(response, isLong, bytesMax);
  }

  /** The body was read to its end. Throws the reason if the call was ended meanwhile. */
  finishBody(): void {
    this.#phase = "idle";
    this.throwIfEnded();
    this.#read = true;
  }

  /** Reads an error's body up to ERROR_BYTES_MAX, enough to tell what kind of error it is. */
  async #errorText(response: Response): Promise<string> {
    this.extendTo(Math.min(this.#untilMs, this.#ports.deadlines.nowMs() + ERROR_BODY_MS));
    const pieces: string[] = [];
    // If the body breaks off, the status and the part that arrived still explain the error.
    const reading = readText(response, ERROR_BYTES_MAX, pieces).then(() => this.finishBody());
    await reading.catch(() => {});
    const { reason } = this.#terms.client;
    if (reason) throw reason;
    return pieces.join("").slice(0, ERROR_BYTES_MAX);
  }

  /**
   * Returns a reader of the body as it arrives, decoded by the runtime. Don't touch `body` before: that would wrap one
   * stream in another. Pass results to `piece`, and errors to `explain`.
   */
  open(response: Response, answer?: Outgoing["answer"]): TextReader {
    this.#receive(response);
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
    const { credential, upstream } = this.#terms;
    const words = [...listSecrets(credential), ...upstream.redactedWords, ...this.#proofSecrets];
    const fault = redactFault(this.#explainThrown(thrown), words);
    return fault.row.blame === "provider" && this.#url !== ""
      ? addReport(fault, { address: new URL(this.#url).host })
      : fault;
  }

  #explainThrown(thrown: unknown): Fault {
    switch (this.#phase) {
      case "sending":
        return this.#explainSending(thrown);
      case "reading":
        return this.explain(thrown);
      case "idle":
        return toFault(thrown);
    }
  }

  #explainSending(thrown: unknown): Fault {
    if (this.#abort.signal.aborted || !isNetworkError(thrown)) return this.explain(thrown);
    const tookMs = this.#ports.deadlines.nowMs() - this.#sentMs;
    const isStale = this.#mayBeStale && isConnectionReset(thrown) && tookMs < STALE_MS;
    return makeConnectionFault(
      thrown,
      isStale ? { stale: true } : isConnectFailure(thrown) ? { unsent: true } : {},
    );
  }

  /** Returns why the call broke off: the reason it was ended, or a broken connection. */
  explain(thrown: unknown): Fault {
    const { aborted, reason } = this.#abort.signal;
    if (aborted && reason instanceof Fault) return reason;
    // A fault has a code, too, like an error of the network.
    if (thrown instanceof Fault) return thrown;
    return isNetworkError(thrown) ? makeConnectionFault(thrown) : toFault(thrown);
  }
}
