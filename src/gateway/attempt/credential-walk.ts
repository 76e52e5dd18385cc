// The other credentials of a model whose credential was just refused. Asking them is no retry: a refusal costs nothing and
// takes milliseconds, and one good credential among many bad ones answers the request.

import type { Attempt } from "../../core/attempt.ts";
import type { Fault } from "../../core/faults/fault.ts";
import type { Credential } from "../../core/settings.ts";
import { spread } from "../../health/order/draw.ts";
import type { Form } from "../../operations/form.ts";
import type { Call } from "../call.ts";
import { orderCredentials } from "../plan/attempt-order.ts";
import { type CredentialSource, listCredentials, type PlanPorts } from "../plan/plan-request.ts";

/** For how long a request may pass over refused credentials. */
const WALK_MS = 2000;
const LIMITED = 429;
const ROLL_BYTES = 4;

type WalkPorts = Pick<PlanPorts, "health" | "random" | "vault">;
type WalkedCall = CredentialSource & Pick<Call<Form>, "conversation">;

export class CredentialWalk {
  readonly #ports: WalkPorts;
  readonly #call: WalkedCall;
  readonly #payer: string;
  /** The credentials that the request was sent with, by model. */
  readonly #asked = new Map<string, Set<Credential>>();
  #untilMs: number | null = null;
  /** The model whose credential was refused last. Null if the last attempt failed otherwise. */
  #card: Attempt["card"] | null = null;

  constructor(ports: WalkPorts, call: WalkedCall, payer: string) {
    this.#ports = ports;
    this.#call = call;
    this.#payer = payer;
  }

  recordCall({ card, credential }: Attempt): void {
    this.#asked.getOrInsertComputed(card.id, () => new Set()).add(credential);
  }

  recordFailure(attempt: Attempt, fault: Fault, nowMs: number): void {
    this.recordCall(attempt);
    this.#card = isRefusal(fault) ? attempt.card : null;
    if (this.#card !== null) this.#untilMs ??= nowMs + WALK_MS;
  }

  /** Returns the credentials to ask next, those of the plan first. Empty unless one has just been refused. */
  list(planned: readonly Attempt[], nowMs: number): readonly Attempt[] {
    const card = this.#card;
    if (card === null || this.#untilMs === null || nowMs >= this.#untilMs) return NONE;
    const { health, random, vault } = this.#ports;
    const asked = this.#asked.get(card.id);
    const isOpen = (attempt: Attempt) =>
      asked?.has(attempt.credential) !== true &&
      !health.isRefused(attempt, nowMs, this.#payer) &&
      health.isReady(attempt, nowMs, this.#payer);
    const first = planned.filter((attempt) => attempt.card === card && isOpen(attempt));
    const all = listCredentials(this.#call, card.provider).map((credential) => ({ card, credential }));
    const seed = all.length > 1 ? this.#call.conversation.seedOrder(vault?.digest) : null;
    const others = (seed === null ? all : orderCredentials(seed, all)).filter(
      (attempt) => isOpen(attempt) && !first.some((one) => one.credential === attempt.credential),
    );
    if (first.length > 0 || seed !== null) return [...first, ...others];
    const roll = () => random.bytes(ROLL_BYTES).reduce((sum, byte) => (sum + byte) / 256, 0);
    return spread(others, health, roll, nowMs, this.#payer);
  }
}

const NONE: readonly Attempt[] = [];

/** True if the provider refused the credential or its rate, so that another one may be accepted. */
function isRefusal({ code, details }: Fault): boolean {
  if (code === "upstream_auth") return true;
  return code === "provider_busy" && details.upstreamStatus === LIMITED;
}
