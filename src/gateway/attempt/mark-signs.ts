// The signs that a request is a turn of a conversation that goes on, so that marks for the provider's cache pay.
import type { ModelCard } from "../../core/models/card.ts";
import type { Deadlines } from "../../core/world/world.ts";
import type { Caches } from "../../health/caches.ts";
import { type ChatRequest, readOutputLimit } from "../../operations/chat/form.ts";
import type { MarkSigns } from "../../operations/codec.ts";
import type { Form } from "../../operations/form.ts";
import { findSideCall } from "../../selectors/text/side-calls.ts";
import type { Call } from "../call.ts";

interface SignPorts {
  readonly caches: Caches;
  readonly deadlines: Deadlines;
}

export class AttemptSigns<F extends Form> implements MarkSigns {
  readonly #ports: SignPorts;
  readonly #call: Call<F>;
  readonly #card: ModelCard;

  constructor(ports: SignPorts, call: Call<F>, card: ModelCard) {
    this.#ports = ports;
    this.#call = call;
    this.#card = card;
  }

  get isLine(): boolean {
    return (this.#call.line ?? null) !== null;
  }

  isSideCall(request: ChatRequest): boolean {
    return findSideCall(request, readOutputLimit(request) ?? null) !== null;
  }

  goesOn(): boolean {
    const { conversation } = this.#call;
    if (conversation.sign === "every turn") return true;
    const { caches, deadlines } = this.#ports;
    const isRecent = conversation.opening.noteTurn(caches.turns, this.#card.id, deadlines.nowMs());
    return isRecent || conversation.goesOn;
  }

  isResting(): boolean {
    const { caches, deadlines } = this.#ports;
    return caches.savings.isResting(this.#call.key.id, this.#card, deadlines.nowMs());
  }
}
