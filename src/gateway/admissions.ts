// Waiting to be let in while the same request is being answered for somebody else.
import type { Ending } from "../core/ending.ts";
import { Fault } from "../core/fault.ts";
import type { Clock } from "../core/world.ts";
import type { Admitted, Ledger, Ticket } from "../ledger/ledger.ts";

/** The interval at which another node is asked whether it has finished the answer. */
const LOOK_MS = 250;
/** More twins than this are a mistake, or meant to fill the gateway. */
const TWINS_MAX = 100;

interface AdmissionPorts {
  readonly ledger: Pick<Ledger, "admit">;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
}

export class Admissions {
  readonly #ports: AdmissionPorts;
  /** The requests that wait for a completion of this process, by its id. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
  }

  /**
   * Waits while the request `id`, the same one, is being answered, and asks `again` until it is let in or answered too.
   * Throws the reason for which one of `endings` ended, and `upstream_timeout` when the one that it waits for takes longer
   * than `timeoutMs`.
   */
  async wait(
    id: string,
    again: () => Ticket,
    endings: readonly Ending[],
    timeoutMs: number | null,
  ): Promise<Exclude<Admitted, { kind: "pending" }>> {
    const untilMs = this.#ports.clock.monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    for (let same = id; ; ) {
      const waitMs = untilMs - this.#ports.clock.monotonicMs();
      if (waitMs <= 0) throw new Fault("upstream_timeout", "The same request's answer did not come in time.");
      await this.#change(same, endings, Math.min(LOOK_MS, waitMs));
      const reason = endings.find((one) => one.reason)?.reason;
      if (reason) throw reason;
      const admitted = await this.#ports.ledger.admit(again());
      if (admitted.kind !== "pending") return admitted;
      same = admitted.id;
    }
  }

  /** The completion is settled: those that wait for it look again. */
  over(id: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves when there may be news of a completion, at the latest after `withinMs`. */
  async #change(id: string, endings: readonly Ending[], withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(id) ?? new Set();
    if (waiting.size >= TWINS_MAX) {
      throw new Fault("overloaded", "Too many requests wait for the answer to the same Idempotency-Key.");
    }
    this.#waiting.set(id, waiting.add(resolve));
    const callOff = this.#ports.clock.after(withinMs, resolve);
    const onEnd = () => resolve();
    for (const ending of endings) ending.tell(onEnd);
    await promise;
    callOff();
    for (const ending of endings) ending.forget(onEnd);
    waiting.delete(resolve);
    if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
  }
}
