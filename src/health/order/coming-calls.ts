// The first calls of requests that are planned and haven't begun: those that come at the same moment are all planned before
// any of them calls.
import type { Attempt } from "../../core/attempt.ts";
import { identifyCredential } from "../../core/settings.ts";
import { CallsByKey } from "./calls-by-key.ts";

/** A request that neither calls nor ends within this time isn't counted any longer. */
const COMING_MAX_MS = 10_000;

/** The calls that come to one model or credential. */
class ComingPlace {
  calls = 0;
  readonly byKey = new CallsByKey();
}

/** A request's first call until it begins, or the request ends without one. */
export class ComingCall {
  readonly keyId: string;
  readonly places: readonly string[];
  readonly atMs: number;
  readonly #all: ComingCalls;

  constructor(all: ComingCalls, keyId: string, places: readonly string[], atMs: number) {
    this.#all = all;
    this.keyId = keyId;
    this.places = places;
    this.atMs = atMs;
  }

  /** May be called more than once. */
  end(): void {
    this.#all.end(this);
  }
}

/** Times are on the monotonic clock. */
export class ComingCalls {
  /** The oldest first. */
  readonly #calls = new Set<ComingCall>();
  /** Those without any aren't listed. */
  readonly #places = new Map<string, ComingPlace>();

  /** Counts a call of a gateway key at the attempt's model and credential. */
  expect(attempt: Attempt, keyId: string, nowMs: number): ComingCall {
    this.#forgetOld(nowMs);
    const call = new ComingCall(this, keyId, [nameModel(attempt), nameCredential(attempt)], nowMs);
    this.#calls.add(call);
    for (const name of call.places) {
      const place = this.#places.getOrInsertComputed(name, () => new ComingPlace());
      place.calls++;
      place.byKey.begin(keyId);
    }
    return call;
  }

  end(call: ComingCall): void {
    if (!this.#calls.delete(call)) return;
    for (const name of call.places) {
      const place = this.#places.get(name);
      if (place === undefined) continue;
      place.calls--;
      place.byKey.end(call.keyId);
      if (place.calls === 0) this.#places.delete(name);
    }
  }

  /** Returns those that come to the attempt's model, with any credential. Undefined if there are none. */
  findModel(attempt: Attempt): Readonly<ComingPlace> | undefined {
    return this.#calls.size === 0 ? undefined : this.#places.get(nameModel(attempt));
  }

  /** Returns those that come to the attempt's credential, for any model. Undefined if there are none. */
  findCredential(attempt: Attempt): Readonly<ComingPlace> | undefined {
    return this.#calls.size === 0 ? undefined : this.#places.get(nameCredential(attempt));
  }

  #forgetOld(nowMs: number): void {
    for (const call of this.#calls) {
      if (nowMs - call.atMs < COMING_MAX_MS) break;
      call.end();
    }
  }
}

function nameModel({ card }: Attempt): string {
  return `model ${card.id}`;
}

function nameCredential({ card, credential }: Attempt): string {
  return `credential ${card.provider} ${identifyCredential(credential)}`;
}
