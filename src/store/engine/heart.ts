// Admits requests only while this process beats, and while the store supports its version.
import type { Beat } from "../../core/store.ts";
import { explainUnsupported } from "../schema/schema-step.ts";
import { UnusableError, unavailable } from "./unavailable.ts";

/** The rows that a beat has read. */
interface Pulse extends Pick<Beat, "olderNodes"> {
  readonly oldestSupported: number;
}

interface HeartParts {
  /** The version of the schema that this program knows. */
  readonly version: number;
  readonly beat: () => Promise<Pulse>;
  /**
   * A request is admitted only within this time of a successful beat: others give up the holds of a node that was silent
   * for longer, and can't see that it is back before it has beaten.
   */
  readonly aliveMs: number;
}

export class Heart {
  readonly #parts: HeartParts;
  #beating: Promise<Beat> | null = null;
  #beatMs = Number.NEGATIVE_INFINITY;
  #unsupported: string | null = null;

  constructor(parts: HeartParts) {
    this.#parts = parts;
  }

  /** Concurrent calls share a beat. */
  readonly beat = (): Promise<Beat> => {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  };

  /** Runs the work once requests may be admitted. Throws the Fault `store_unavailable` if they may not. */
  admit<T>(work: () => Promise<T>): Promise<T> {
    const waiting = this.wait();
    return waiting === null ? work() : waiting.then(work);
  }

  /** Returns null if requests may be admitted, as usual, or what resolves once they may. It rejects if they may not. */
  wait(): Promise<void> | null {
    if (this.#unsupported !== null) return Promise.reject(this.#refuse(this.#unsupported));
    return performance.now() - this.#beatMs < this.#parts.aliveMs ? null : this.#waitForBeat();
  }

  async #waitForBeat(): Promise<void> {
    const { unsupported } = await this.beat();
    if (unsupported !== null) throw this.#refuse(unsupported);
  }

  async #beat(): Promise<Beat> {
    const { version, beat } = this.#parts;
    // The time at which it began: the store's own is later.
    const beganMs = performance.now();
    const { oldestSupported, olderNodes } = await beat();
    this.#beatMs = beganMs;
    this.#unsupported = explainUnsupported(version, oldestSupported);
    return { olderNodes, unsupported: this.#unsupported };
  }

  #refuse(reason: string) {
    return unavailable(new UnusableError(reason));
  }
}
