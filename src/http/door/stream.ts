// Streams an answer as server-sent events as they arrive, with keep-alives during silences.
import { toFault } from "../../core/faults/fault.ts";
import { logBug } from "../../core/world/bug.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";
import { Pause, type WrittenAnswer, type WrittenPart } from "../../gateway/answer/flow.ts";
import type { HttpPorts } from "../ports.ts";
import { type DirectSource, directStream } from "../serve/direct.ts";
import type { ClientWatch } from "./client-watch.ts";

interface StreamParts {
  readonly ports: Pick<HttpPorts, "deadlines" | "server" | "log">;
  readonly answer: WrittenAnswer;
  readonly requestId: string;
  /** Null if something else watches it. */
  readonly client: ClientWatch | null;
  /** Called after all pieces are written, before the stream ends. Null for nothing. */
  readonly beforeEnd: (() => Promise<void>) | null;
  /** Ended if the client leaves before the answer does. */
  readonly ending: Ending;
}

interface StartedStream {
  readonly body: ReadableStream<Uint8Array>;
  /** True if the headers are sent before the answer has begun, so that the client keeps waiting. */
  readonly early: boolean;
}

/** Waits a limited time for the answer to begin. Throws its Fault if it fails before that. */
export async function startStream(parts: StreamParts): Promise<StartedStream> {
  const { answer, ports } = parts;
  const begun = answer.begin();
  const waitMs = answer.keepAlive === null ? Number.POSITIVE_INFINITY : ports.server.keepAliveMs;
  const early = await isLate(begun, ports.deadlines, waitMs);
  if (!early) await begun;
  return { body: directStream(new EventStream(parts, begun, early)), early };
}

function isLate(begun: Promise<unknown>, deadlines: Deadlines, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = deadlines.watch(deadlines.nowMs() + waitMs, { late: () => resolve(true) });
  const end = () => {
    deadline.clear();
    resolve(false);
  };
  begun.then(end, end);
  return promise;
}

/** A client that reads nothing for this long counts as gone. Otherwise its request and hold would stay open. */
const STALLED_MS = 600_000;

/**
 * Writes to Bun's direct stream: text goes to the connection without an encoder or a queue, and everything written in
 * one turn of the loop is sent as one write.
 */
class EventStream implements DirectSource, Latecomer {
  readonly #parts: StreamParts;
  readonly #begun: Promise<unknown>;
  #silence: Deadline | null = null;
  /** Null until the client starts to read. */
  #controller: ReadableStreamDirectController | null = null;
  readonly #early: boolean;
  #over = false;
  /** The time since which the client has left data unread. Null if it has read everything. */
  #unreadSinceMs: number | null;
  readonly #unread = new Pause();

  constructor(parts: StreamParts, begun: Promise<unknown>, early: boolean) {
    this.#parts = parts;
    this.#begun = begun;
    this.#early = early;
    this.#unreadSinceMs = parts.ports.deadlines.nowMs();
    // A failure before the client starts to read must not count as an unhandled rejection.
    begun.catch(() => {});
    // Losing the connection before the body is first read doesn't cancel the stream.
    parts.client?.whenGone(() => this.cancel());
  }

  /** Called once, when the client starts to read. Writes the whole answer as fast as the client reads it. */
  async pull(controller: ReadableStreamDirectController): Promise<void> {
    const { answer, requestId, beforeEnd } = this.#parts;
    this.#unreadSinceMs = null;
    // The headers are sent with the body's first byte.
    if (this.#early && answer.keepAlive !== null) controller.write(answer.keepAlive);
    this.#watchSilence(controller);
    try {
      if (this.#early) await this.#begun;
      const poured = answer.pour((data) => this.#write(controller, data));
      // Bun sends the head with what is written within this call. Otherwise the head alone could take ten sends.
      if (!this.#early) controller.flush();
      await poured;
      if (this.#over) return;
      await beforeEnd?.();
      this.#end(controller, answer.end());
    } catch (thrown) {
      logBug(this.#parts.ports, thrown);
      if (!this.#over) this.#end(controller, answer.fail(toFault(thrown), requestId));
    }
  }

  /** Called if the client leaves. The signal ends the upstream call, and the answer's own end settles the request. */
  cancel(): void {
    if (this.#over) return;
    this.#close();
    this.#parts.ending.end();
    this.#parts.answer.leave();
  }

  #write(controller: ReadableStreamDirectController, data: WrittenPart): Promise<void> | null {
    if (this.#over) return null;
    const written = data.length === 0 ? 0 : controller.write(data);
    if (this.#silence) this.#silence.atMs = this.#quietAtMs();
    return typeof written === "number" ? null : this.#pause(written);
  }

  /** Waits for a slow client, and reads nothing more from the provider meanwhile. */
  #pause(written: Promise<number>): Promise<void> {
    this.#unreadSinceMs = this.#parts.ports.deadlines.nowMs();
    const resume = () => {
      this.#unreadSinceMs = null;
      this.#unread.end();
    };
    written.then(resume, () => this.cancel());
    return this.#unread.wait();
  }

  #watchSilence(controller: ReadableStreamDirectController): void {
    this.#controller = controller;
    this.#silence = this.#parts.ports.deadlines.watch(this.#quietAtMs(), this);
  }

  /** The answer, or its client, has been silent. */
  late(): void {
    const controller = this.#controller;
    if (this.#over || controller === null) return;
    const { keepAlive } = this.#parts.answer;
    if (this.#unreadSinceMs === null) controller.write(keepAlive ?? "");
    else if (this.#parts.ports.deadlines.nowMs() - this.#unreadSinceMs > STALLED_MS) {
      this.cancel();
      controller.close(new Error("The client stopped reading."));
      return;
    }
    this.#watchSilence(controller);
  }

  #quietAtMs(): number {
    const { deadlines, server } = this.#parts.ports;
    return deadlines.nowMs() + server.keepAliveMs;
  }

  /** Ends the stream. A null `last` breaks off the connection, because the surface can't express the failure. */
  #end(controller: ReadableStreamDirectController, last: string | null): void {
    this.#close();
    if (last === null) return void controller.close(new Error("The answer ended early."));
    controller.write(last);
    controller.end();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#unread.end();
    this.#silence?.clear();
    this.#parts.client?.end();
  }
}
