// Sends a connection's frames in order, none of them lost: who reads slowly is waited for, who doesn't read is cut off.
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";
import { Pause } from "../../gateway/answer/flow.ts";
import type { SocketPort } from "./port.ts";

/** Beyond this much unsent, nothing more is read from providers. */
const UNSENT_BYTES_MAX = 1_048_576;
/** A client that takes nothing for this long is cut off. */
const STUCK_MS = 30_000;

export class SocketWriter implements Latecomer {
  readonly #port: SocketPort;
  readonly #deadlines: Deadlines;
  readonly #room = new Pause();
  #stuck: Deadline | null = null;
  #isOver = false;
  #isCut = false;
  bytesOut = 0;

  constructor(port: SocketPort, deadlines: Deadlines) {
    this.#port = port;
    this.#deadlines = deadlines;
  }

  /** True once a client that doesn't read was cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Returns a promise to wait for before more is sent, or null. */
  send(frame: string): Promise<void> | null {
    if (this.#isOver) return null;
    this.bytesOut += Buffer.byteLength(frame);
    // Bun drops a frame without a word where it returns 0 (1.4): its own limit is never met, since senders wait.
    if (this.#port.send(frame) === 0) this.#cut();
    return this.wait();
  }

  /** The same for several frames, which cost one call of the system. */
  sendAll(frames: readonly string[]): Promise<void> | null {
    const [only] = frames;
    if (frames.length === 1 && only !== undefined) return this.send(only);
    if (this.#isOver || frames.length === 0) return null;
    this.#port.cork(() => {
      for (const frame of frames) this.send(frame);
    });
    return this.wait();
  }

  /** Returns a promise if the client has too much to read. */
  wait(): Promise<void> | null {
    if (this.#isOver || this.#port.getBufferedAmount() <= UNSENT_BYTES_MAX) return null;
    this.#stuck ??= this.#deadlines.watch(this.#deadlines.nowMs() + STUCK_MS, this);
    return this.#room.wait();
  }

  /** Called when the client has read. */
  drain(): void {
    this.#stuck?.clear();
    this.#stuck = null;
    if (this.#port.getBufferedAmount() <= UNSENT_BYTES_MAX) this.#room.end();
    else this.#stuck = this.#deadlines.watch(this.#deadlines.nowMs() + STUCK_MS, this);
  }

  /** The client took nothing. No close frame can reach it. */
  late(): void {
    this.#cut();
  }

  close(): void {
    this.#isOver = true;
    this.#stuck?.clear();
    this.#room.end();
  }

  #cut(): void {
    this.#isCut = true;
    this.close();
    this.#port.terminate();
  }
}
