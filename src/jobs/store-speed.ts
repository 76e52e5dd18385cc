// The speed of the store, by the lists of batches that the runner reads: lines would queue there before single requests.
import type { JobPorts } from "./ports.ts";

/** Nothing starts while a list takes longer than this. */
const SLOW_MS = 500;

export class StoreSpeed {
  readonly #clock: Pick<JobPorts["clock"], "monotonicMs">;
  /** The beginning of the list that is being read. Null between two. */
  #beganMs: number | null = null;
  #tookMs = 0;

  constructor(clock: Pick<JobPorts["clock"], "monotonicMs">) {
    this.#clock = clock;
  }

  get isSlow(): boolean {
    return Math.max(this.#tookMs, this.#measure()) > SLOW_MS;
  }

  /** One that fails stays under way: nothing starts before the next one has been read. */
  begin(): void {
    this.#beganMs = this.#clock.monotonicMs();
  }

  end(): void {
    this.#tookMs = this.#measure();
    this.#beganMs = null;
  }

  #measure(): number {
    return this.#beganMs === null ? 0 : this.#clock.monotonicMs() - this.#beganMs;
  }
}
