// A request that the guard watches: the rules that apply to it, and its placeholders.

import { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { GuardAction, GuardRule } from "../../core/models/guard.ts";
import { Placeholders, TooManyValues } from "../../guard/placeholders.ts";

const ACTING: ReadonlySet<GuardAction> = new Set(["refuse", "mask", "swap"]);

/** True if a rule does more than to report. */
export function isActing({ action }: GuardRule): boolean {
  return ACTING.has(action);
}

/** The values that a request's placeholders stand for. */
export class SwappedValues {
  readonly #placeholders: Placeholders;
  /** The detector of each placeholder. */
  readonly #detectors = new Map<string, string>();

  constructor(key: string) {
    this.#placeholders = new Placeholders(key);
  }

  /** By placeholder, without brackets. */
  get values(): ReadonlyMap<string, string> {
    return this.#placeholders.values;
  }

  /** Returns a value's placeholder, without brackets. Throws the Fault `content_blocked` beyond the most that a request may have. */
  swap(detector: string, value: string): string {
    try {
      const name = this.#placeholders.name(detector, value);
      this.#detectors.set(name, detector);
      return name;
    } catch (thrown) {
      if (!(thrown instanceof TooManyValues)) throw thrown;
      const reason = thrown.message;
      throw new Fault("content_blocked", reason, { hookReason: reason });
    }
  }

  /** Each value, with the detector that found it. */
  *list(): Generator<readonly [string, string]> {
    for (const [name, value] of this.values) yield [value, this.#detectors.get(name) ?? ""];
  }
}

interface Terms {
  /** The rules at the request and at its answer. */
  readonly asked: readonly GuardRule[];
  readonly answered: readonly GuardRule[];
  /** Null if the rules only report. */
  readonly swapped: SwappedValues | null;
}

/** The terms of the requests that some rule applies to. */
export type KnownTerms = WeakMap<object, Terms>;

/** Derives an account's key for placeholders from the store's data key. */
export type AccountKey = (key: Pick<GatewayKey, "accountId">) => string;
