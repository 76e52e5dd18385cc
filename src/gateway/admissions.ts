// Asking to be let in, and waiting while the same request is being answered for somebody else.
import type { Granted } from "../core/demand.ts";
import type { Ending } from "../core/ending.ts";
import { Fault } from "../core/fault.ts";
import type { Clock } from "../core/world.ts";
import type { Ledger, Ticket } from "../ledger/ledger.ts";

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
   * Lets a request in, or gives what answered the same one before: while that one is being answered it asks `again`.
   * Throws the reason for which one of `endings` ended, and `upstream_timeout` when the one that it waits for takes longer
   * than `timeoutMs`.
   */
  async admit(
    first: Ticket,
    again: () => Ticket,
    endings: readonly Ending[],
    timeoutMs: number | null,
  ): Promise<Granted | { readonly kind: "replayed"; readonly sealed: string }> {
    const untilMs = this.#ports.clock.monotonicMs() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    for (let ticket = first; ; ticket = again()) {
      const admitted = await this.#ports.ledger.admit(ticket);
      if (admitted.kind !== "pending") return admitted;
      const waitMs = untilMs - this.#ports.clock.monotonicMs();
      if (waitMs <= 0) throw new Fault("upstream_timeout", "The same request's answer did not come in time.");
      await this.#change(admitted.id, endings, Math.min(LOOK_MS, waitMs));
      const reason = endings.find((one) => one.reason)?.reason;
      if (reason) throw reason;
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
