// A streamed answer on the wire: server-sent events drawn by the client's reading, with signs of life in silences.
import type { ChatChunk } from "../core/chat.ts";
import { errorBody, faultOf } from "../core/fault.ts";
import type { Deadline, Deadlines } from "../gateway/deadlines.ts";
import { DONE_LINE, dataLine, KEEP_ALIVE_LINE } from "../wire/sse.ts";

/** What every chunk says of its answer; decoders give chunks without these fields. */
export interface Stamp {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
}

export interface StreamParts {
  readonly chunks: AsyncGenerator<readonly ChatChunk[]>;
  readonly deadlines: Deadlines;
  /** The longest silence, and the longest wait for the first part of the answer before the head leaves. */
  readonly keepAliveMs: number;
  /** Whether the client asked for the usage at the end. */
  readonly includeUsage: boolean;
  /** Asked for with the first chunk: which model answers may be decided late. */
  readonly stamp: () => Stamp;
  /** Fires when the connection is lost. */
  readonly client: AbortSignal;
  /** The client left before the end. */
  readonly onLeft: () => void;
  /** Called once when nothing more will be sent. */
  readonly onOver: () => void;
}

export interface StreamAnswer {
  readonly body: ReadableStream<Uint8Array>;
  /** True when the answer has not begun yet: its head leaves to keep the client waiting. */
  readonly early: boolean;
}

type Step = IteratorResult<readonly ChatChunk[]>;

/** Waits for the first part of the answer, but not too long. Throws the Fault of an answer that failed before it. */
export async function streamAnswer(parts: StreamParts): Promise<StreamAnswer> {
  const first = parts.chunks.next();
  try {
    const early = await isLate(first, parts.deadlines, parts.keepAliveMs);
    return { body: new ReadableStream(new EventStream(parts, first, early), { highWaterMark: 0 }), early };
  } catch (thrown) {
    parts.onOver();
    throw thrown;
  }
}

async function isLate(first: Promise<Step>, deadlines: Deadlines, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = deadlines.watch(deadlines.nowMs() + waitMs, () => resolve(true));
  try {
    return await Promise.race([first.then(() => false), promise]);
  } finally {
    deadline.clear();
  }
}

/** Who reads nothing for so long is taken for gone: its request would stay open, and its hold with it. */
const STALLED_MS = 600_000;

const encoder = new TextEncoder();

class EventStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #parts: StreamParts;
  #next: Promise<Step> | null;
  /** The stamp as the start of a JSON object, so that it is written once and not for every chunk. */
  #head: string | null = null;
  #silence: Deadline | null = null;
  readonly #early: boolean;
  #over = false;
  /** Since when the client has not asked for more; null: it waits for us. */
  #unreadSinceMs: number | null;

  constructor(parts: StreamParts, first: Promise<Step>, early: boolean) {
    this.#parts = parts;
    this.#next = first;
    this.#early = early;
    this.#unreadSinceMs = parts.deadlines.nowMs();
    // Until the client reads, nobody waits for the first step: its failure must not count as unhandled.
    first.catch(() => {});
    // A connection that is lost before the body was read once doesn't cancel it.
    parts.client.addEventListener("abort", () => this.cancel(), { once: true });
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    // The head leaves with the body's first byte.
    if (this.#early) controller.enqueue(encoder.encode(KEEP_ALIVE_LINE));
    this.#watchSilence(controller);
  }

  /** Called when the client has room: one batch of the gateway becomes one write. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#unreadSinceMs = null;
    try {
      for (;;) {
        const step = await (this.#next ?? this.#parts.chunks.next());
        this.#next = null;
        if (this.#silence) this.#silence.atMs = this.#quietAtMs();
        const text = step.done ? DONE_LINE : this.#textOf(step.value);
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (step.done) return this.#end(controller);
        if (text !== "") return;
      }
    } catch (thrown) {
      if (this.#over) return;
      controller.enqueue(encoder.encode(dataLine(JSON.stringify(errorBody(faultOf(thrown))))));
      this.#end(controller);
    } finally {
      this.#unreadSinceMs = this.#parts.deadlines.nowMs();
    }
  }

  /** The client left. The upstream call ends by the signal; the generator's own end settles the request. */
  cancel(): void {
    if (this.#over) return;
    this.#close();
    this.#parts.onLeft();
    void this.#parts.chunks.return(undefined).catch(() => {});
  }

  #textOf(chunks: readonly ChatChunk[]): string {
    this.#head ??= `${JSON.stringify(this.#parts.stamp()).slice(0, -1)},`;
    let text = "";
    for (const chunk of chunks) {
      if (chunk.choices.length === 0 && chunk.usage && !this.#parts.includeUsage) continue;
      text += dataLine(this.#head + JSON.stringify(chunk).slice(1));
    }
    return text;
  }

  #watchSilence(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#silence = this.#parts.deadlines.watch(this.#quietAtMs(), () => {
      if (this.#over) return;
      const nowMs = this.#parts.deadlines.nowMs();
      if (this.#unreadSinceMs !== null && nowMs - this.#unreadSinceMs > STALLED_MS) {
        this.cancel();
        controller.error(new Error("The client stopped reading."));
        return;
      }
      controller.enqueue(encoder.encode(KEEP_ALIVE_LINE));
      this.#watchSilence(controller);
    });
  }

  #quietAtMs(): number {
    return this.#parts.deadlines.nowMs() + this.#parts.keepAliveMs;
  }

  #end(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#close();
    controller.close();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#silence?.clear();
    this.#parts.onOver();
  }
}
