// Sends one signal's items to a collector by OTLP/HTTP, in batches. Nothing waits for it, and what it can't send is counted.

import { parseReceived } from "../core/json/bounds.ts";
import { asCount, asObject } from "../core/json/json.ts";
import { describeNoConnection } from "../core/log/no-connection.ts";
import type { OtlpDestination } from "../core/log/telemetry-rules.ts";
import type { Clock, Fetch, Log, ReadText } from "../core/world/world.ts";
import { type ExportBatch, ExportBatches } from "./batches.ts";
import { createEnvelope, type Signal } from "./otlp-json.ts";

interface ExporterParts {
  readonly signal: Signal;
  readonly destination: OtlpDestination;
  /** The attributes of the program that sends, and its version. */
  readonly resource: Uint8Array;
  readonly version: string;
  /** The longest wait for the collector's answer. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "after" | "nowMs">;
  readonly fetch: Fetch;
  readonly readText: ReadText;
  readonly log: Log;
  /** Called with the number of items that are given up. */
  readonly onDropped: (signal: Signal, count: number) => void;
}

/** A full batch is sent at once, what is left after this time. */
const PERIOD_MS = 1000;
/** A batch is given up after as many calls, as OpenTelemetry's own exporters do. */
const CALLS_MAX = 5;
const RETRY_MS = 1000;
const RETRY_GROWTH = 1.5;
/** A collector's longer `Retry-After` counts as this. */
const RETRY_AFTER_MAX_MS = 30_000;
/** The statuses that the specification lists as temporary. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const ANSWER_BYTES_MAX = 65_536;

/** The result of a call. `waitMs` is the collector's own wish. */
type SendOutcome =
  | { readonly kind: "taken"; readonly rejected: number }
  | { readonly kind: "refused"; readonly cause: string }
  | { readonly kind: "later"; readonly cause: string; readonly waitMs: number | null };

export class Exporter {
  readonly #parts: ExporterParts;
  readonly #waiting: ExportBatches;
  #callOffFlush: (() => void) | null = null;
  /** Ends the wait before the next call at once. Null unless one is waited for. */
  #hurry: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  #isFailing = false;
  #isEnding = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
    this.#waiting = new ExportBatches(createEnvelope(parts.signal, parts.resource, parts.version));
  }

  /** The items that wait, without the batch that is being sent. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** Takes `count` items, each with a comma behind it. They are copied. */
  add(items: Uint8Array, count: number): void {
    if (!this.#waiting.add(items, count)) {
      this.#drop(count);
      return;
    }
    if (this.#waiting.hasFull) this.#send();
    else this.#callOffFlush ??= this.#parts.clock.after(PERIOD_MS, () => this.#send());
  }

  /** Sends the queue, each batch once, and drops the rest after `withinMs`. */
  async end(withinMs: number): Promise<void> {
    this.#isEnding = true;
    this.#hurry?.();
    this.#send();
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const callOff = this.#parts.clock.after(withinMs, resolve);
    const flushed = async () => {
      while (this.#sending) await this.#sending;
    };
    await Promise.race([flushed(), isLate]);
    callOff();
    this.#callOffFlush?.();
    this.#drop(this.#waiting.count);
    this.#waiting.clear();
  }

  /** Only one batch is under way. The next one follows if it is full, or after the usual time. */
  #send(): void {
    this.#callOffFlush?.();
    this.#callOffFlush = null;
    if (this.#sending !== null) return;
    const batch = this.#waiting.take();
    if (batch === null) return;
    this.#sending = this.#deliver(batch).then(() => {
      this.#sending = null;
      if (this.#waiting.hasFull || this.#isEnding) this.#send();
      else if (this.#waiting.count > 0) {
        this.#callOffFlush ??= this.#parts.clock.after(PERIOD_MS, () => this.#send());
      }
    });
  }

  async #deliver({ body, count }: ExportBatch): Promise<void> {
    for (let calls = 1; ; calls++) {
      const sent = await this.#call(body);
      if (sent.kind === "taken") {
        const rejected = Math.min(sent.rejected, count);
        this.#drop(rejected);
        this.#report(rejected > 0 ? "partial success" : null, rejected);
        return;
      }
      if (sent.kind === "refused" || calls === CALLS_MAX || this.#isEnding) {
        this.#drop(count);
        this.#report(sent.cause, count);
        return;
      }
      this.#report(sent.cause, 0);
      await this.#wait(sent.waitMs ?? RETRY_MS * RETRY_GROWTH ** (calls - 1));
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#parts.clock.after(ms, () => this.#hurry?.());
      this.#hurry = () => {
        callOff();
        this.#hurry = null;
        resolve();
      };
    });
  }

  /** Never rejects. */
  async #call(body: ExportBatch["body"]): Promise<SendOutcome> {
    const { destination, clock, timeoutMs, fetch: send } = this.#parts;
    const abort = new AbortController();
    const callOff = clock.after(timeoutMs, () => abort.abort());
    try {
      const response = await send(destination.url, {
        method: "POST",
        // A redirect could lead the headers' secret elsewhere.
        redirect: "manual",
        headers: { ...destination.headers, "content-type": "application/json" },
        body,
        signal: abort.signal,
        network: destination.network,
      });
      return await this.#read(response);
    } catch (error) {
      const cause = abort.signal.aborted ? "timeout" : describeNoConnection(error);
      return { kind: "later", cause, waitMs: null };
    } finally {
      callOff();
    }
  }

  async #read(response: Response): Promise<SendOutcome> {
    const { status, headers } = response;
    const cause = `status ${status}`;
    if (response.ok) {
      // The batch was taken even if the rest of the answer is lost.
      const answer = await this.#parts.readText(response, ANSWER_BYTES_MAX).catch(() => null);
      const { partialSuccess } = asObject(parseReceived(answer ?? ""));
      const { rejectedSpans, rejectedLogRecords } = asObject(partialSuccess);
      // 64-bit integers are strings in protobuf's JSON.
      return { kind: "taken", rejected: asCount(Number(rejectedSpans ?? rejectedLogRecords ?? 0)) };
    }
    await response.body?.cancel();
    if (!TEMPORARY.has(status)) return { kind: "refused", cause };
    return { kind: "later", cause, waitMs: readRetryAfter(headers, this.#parts.clock.nowMs()) };
  }

  #drop(count: number): void {
    if (count > 0) this.#parts.onDropped(this.#parts.signal, count);
  }

  /** One line when it begins to fail, and one when it works again: more would fill the log while the collector is down. */
  #report(cause: string | null, dropped: number): void {
    const { signal, log } = this.#parts;
    const isFailing = cause !== null;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    if (isFailing) log({ event: "telemetry_failed", level: "warn", signal, cause, dropped });
    else log({ event: "telemetry_restored", signal });
  }
}

/** Returns milliseconds, or null if the header is missing or invalid. It holds seconds or a date. */
function readRetryAfter(headers: Headers, nowMs: number): number | null {
  const header = headers.get("retry-after");
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
