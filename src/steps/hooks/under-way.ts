// Counts the calls to hooks under way, so that neither an account nor one of its keys takes all that a hook has to give.
import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";

const ACCOUNT_CALLS_MAX = 64;
const KEY_CALLS_MAX = ACCOUNT_CALLS_MAX / 2;

export class UnderWay {
  readonly #accounts = new OwnerPlaces(ACCOUNT_CALLS_MAX);
  readonly #keys = new OwnerPlaces(KEY_CALLS_MAX);

  /** Returns what ends the call. Throws the Fault `too_many_parallel_requests`. */
  enter({ id, accountId }: Pick<GatewayKey, "id" | "accountId">): () => void {
    if (this.#keys.isFull(id)) throw refuse(KEY_CALLS_MAX, "a key");
    if (this.#accounts.isFull(accountId)) throw refuse(ACCOUNT_CALLS_MAX, "an account");
    this.#keys.take(id);
    this.#accounts.take(accountId);
    return () => {
      this.#keys.giveBack(id);
      this.#accounts.giveBack(accountId);
    };
  }
}

function refuse(max: number, whose: string): Fault {
  const message = `At most ${max} requests of ${whose} wait for hooks at the same time.`;
  return new Fault("too_many_parallel_requests", message, { retryAfterMs: 1000 });
}

/** The places that each owner has taken. */
class OwnerPlaces {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  isFull(owner: string): boolean {
    return (this.#taken.get(owner) ?? 0) >= this.#max;
  }

  take(owner: string): void {
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
  }

  giveBack(owner: string): void {
    const left = (this.#taken.get(owner) ?? 1) - 1;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}
