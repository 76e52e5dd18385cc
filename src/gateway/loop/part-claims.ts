// The Idempotency-Key of a response with tools: each of its questions and calls has a claim of its own, so that a repeat finds
// every one of them answered.
import type { Claim } from "../../core/demand.ts";
import type { GatewayToolCall } from "../../core/tools/gateway-tool-calls.ts";
import type { Vault } from "../../core/world/world.ts";

export class PartClaims {
  readonly #vault: Pick<Vault, "digest">;
  readonly #first: Claim;
  /** Differs as soon as the model has called anything else: then nothing is repeated. */
  #course: string;

  constructor(vault: Pick<Vault, "digest">, first: Claim) {
    this.#vault = vault;
    this.#first = first;
    this.#course = first.replyId;
  }

  follow(calls: readonly GatewayToolCall[]): void {
    this.#course = this.#vault.digest(`${this.#course} ${JSON.stringify(calls)}`);
  }

  /** `place` tells a call from the others of its turn. Empty for a question. */
  make(place: string): Claim {
    const { bodyDigest } = this.#first;
    return { replyId: this.#vault.digest(`part of a response ${this.#course} ${place}`), bodyDigest };
  }
}
