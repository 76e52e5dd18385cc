// A streamed answer on the wire: server-sent events as they come, with signs of life in silences.
import { toFault } from "../core/fault.ts";
import type { Deadline, Deadlines } from "../core/world.ts";
import { type AnswerFlow, Pause } from "../gateway/flow.ts";
import type { StreamWriter } from "../surfaces/surface.ts";
import type { ClientWatch } from "./client-watch.ts";
import { type DirectSource, directStream } from "./direct.ts";

interface StreamParts<Piece> {
  readonly answer: AnswerFlow<readonly Piece[]>;
  readonly writer: StreamWriter<Piece>;
  readonly requestId: string;
  readonly deadlines: Deadlines;
  /** The longest silence, and the longest wait for the first part of the answer before the head leaves. */
  readonly keepAliveMs: number;
  readonly client: ClientWatch;
  /** Called when all pieces were written, before the stream's own end is. */
  readonly beforeEnd?: () => Promise<void>;
  /** The client left before the end. */
  readonly onLeft: () => void;
}

interface StreamAnswer<Piece> {
  readonly body: ReadableStream<Uint8Array>;
  /** True when the answer has not begun yet: its head leaves to keep the client waiting. */
  readonly early: boolean;
  /** The first pieces; none where the answer has not begun. */
  readonly first: readonly Piece[];
}

/** Waits for the first part of the answer, but not too long. Throws the Fault of an answer that failed before it. */
export async function streamAnswer<Piece>(parts: StreamParts<Piece>): Promise<StreamAnswer<Piece>> {
  const begun = parts.answer.begin();
  const waitMs = parts.writer.keepAlive === null ? Number.POSITIVE_INFINITY : parts.keepAliveMs;
  const early = await isLate(begun, parts.deadlines, waitMs);
  const first = early ? [] : ((await begun) ?? []);
  return { body: directStream(new EventStream(parts, begun, early)), early, first };
}

async function isLate(begun: Promise<unknown>, deadlines: Deadlines, waitMs: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const deadline = deadlines.watch(deadlines.nowMs() + waitMs, () => resolve(true));
  begun.then(() => resolve(false), reject);
  try {
    return await promise;
  } finally {
    deadline.clear();
  }
}

/** A client that reads nothing for so long counts as gone: its request would stay open, and its hold with it. */
const STALLED_MS = 600_000;

/**
 * Bun's direct stream: text is handed to the connection without an encoder or a queue between, and what is written in one
 * turn of the loop leaves as one write.
 */
class EventStream<Piece> implements DirectSource {
  readonly #parts: StreamParts<Piece>;
  readonly #begun: Promise<unknown>;
  #silence: Deadline | null = null;
  readonly #early: boolean;
  #over = false;
  /** Since when the client has not taken what was written; null: it waits for us. */
  #unreadSinceMs: number | null;
  readonly #unread = new Pause();

  constructor(parts: StreamParts<Piece>, begun: Promise<unknown>, early: boolean) {
    this.#parts = parts;
    this.#begun = begun;
    this.#early = early;
    this.#unreadSinceMs = parts.deadlines.nowMs();
    // Until the client reads, nobody waits for the beginning: its failure must not count as unhandled.
    begun.catch(() => {});
    // A connection that is lost before the body was read once doesn't cancel it.
    parts.client.whenGone(() => this.cancel());
  }

  /** Called once, when the client reads: gives all of the answer, as fast as the client takes it. */
  async pull(controller: ReadableStreamDirectController): Promise<void> {
    const { answer, writer, requestId, beforeEnd } = this.#parts;
    this.#unreadSinceMs = null;
    // The head leaves with the body's first byte.
    if (this.#early && writer.keepAlive !== null) controller.write(writer.keepAlive);
    this.#watchSilence(controller);
    try {
      await this.#begun;
      await answer.pour((pieces) => this.#write(controller, pieces));
      if (this.#over) return;
      await beforeEnd?.();
      this.#end(controller, writer.end());
    } catch (thrown) {
      if (!this.#over) this.#end(controller, writer.fail(toFault(thrown), requestId));
    }
  }

  /** The client left. The upstream call ends by the signal; the answer's own end settles the request. */
  cancel(): void {
    if (this.#over) return;
    this.#close();
    this.#parts.onLeft();
    this.#parts.answer.leave();
  }

  #write(controller: ReadableStreamDirectController, pieces: readonly Piece[]): Promise<void> | null {
    if (this.#over) return null;
    const data = this.#parts.writer.write(pieces);
    const written = data.length === 0 ? 0 : controller.write(data);
    if (this.#silence) this.#silence.atMs = this.#quietAtMs();
    return typeof written === "number" ? null : this.#pause(written);
  }

  /** A client that reads slowly is waited for: nothing more is read from the provider meanwhile. */
  #pause(written: Promise<number>): Promise<void> {
    this.#unreadSinceMs = this.#parts.deadlines.nowMs();
    written.then(
      () => this.#resume(),
      () => this.cancel(),
    );
    return this.#unread.wait();
  }

  #resume(): void {
    this.#unreadSinceMs = null;
    this.#unread.end();
  }

  #watchSilence(controller: ReadableStreamDirectController): void {
    this.#silence = this.#parts.deadlines.watch(this.#quietAtMs(), () => {
      if (this.#over) return;
      const { keepAlive } = this.#parts.writer;
      if (this.#unreadSinceMs === null) controller.write(keepAlive ?? "");
      else if (this.#parts.deadlines.nowMs() - this.#unreadSinceMs > STALLED_MS) {
        this.cancel();
        controller.close(new Error("The client stopped reading."));
        return;
      }
      this.#watchSilence(controller);
    });
  }

  #quietAtMs(): number {
    return this.#parts.deadlines.nowMs() + this.#parts.keepAliveMs;
  }

  /** `last` is null where nothing can be said of a failure but that the connection breaks off. */
  #end(controller: ReadableStreamDirectController, last: string | null): void {
    this.#close();
    if (last === null) return void controller.close(new Error("The answer broke off."));
    controller.write(last);
    controller.end();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#unread.end();
    this.#silence?.clear();
    this.#parts.client.end();
  }
}
