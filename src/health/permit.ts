// One attempt as health sees it: each of its turns is told once, and its end in any case.
import type { ModelCard } from "../core/card.ts";
import type { Fault } from "../core/fault.ts";
import type { Log } from "../core/world.ts";
import type { Address } from "./address.ts";
import type { Key, RetirementBudget } from "./credential.ts";
import type { Deployment } from "./deployment.ts";

export interface PermitOf {
  readonly card: ModelCard;
  readonly deployment: Deployment;
  readonly key: Key;
  /** undefined: the provider is no longer on. */
  readonly address: Address | undefined;
  /** Its request's. */
  readonly retirements: RetirementBudget;
  readonly isProbe: boolean;
  /** It asks whether the provider takes the credential again. */
  readonly isKeyProbe: boolean;
  /** It asks whether the address takes connections again. */
  readonly isAddressProbe: boolean;
  readonly startedMs: number;
  readonly log: Log;
}

const RATE_LIMITED = 429;

/** Times are on the monotonic clock. */
export class Permit {
  readonly #of: PermitOf;
  /** It asks by a credential that had been refused, so the next attempt is owed to its request if it fails. */
  readonly isKeyProbe: boolean;
  #isProbe: boolean;
  #isKeyProbe: boolean;
  #isAddressProbe: boolean;
  #answeredMs: number | null = null;
  #over = false;
  #failed = false;

  constructor(of: PermitOf) {
    this.#of = of;
    this.isKeyProbe = of.isKeyProbe;
    this.#isProbe = of.isProbe;
    this.#isKeyProbe = of.isKeyProbe;
    this.#isAddressProbe = of.isAddressProbe;
    of.deployment.inFlight++;
    of.key.inFlight++;
  }

  /** The first part of a streamed answer is here. */
  answered(nowMs: number): void {
    if (this.#answeredMs !== null || this.#over) return;
    const { deployment, startedMs } = this.#of;
    this.#answeredMs = nowMs;
    deployment.answeredAfter(nowMs - startedMs, true, nowMs);
    this.#succeeded(nowMs);
  }

  /** The answer is whole. `waitedMs`: how long its client kept the provider waiting. */
  finished(nowMs: number, tokens: number | null, waitedMs = 0): void {
    if (this.#over) return;
    const { deployment, startedMs } = this.#of;
    if (this.#answeredMs === null) {
      deployment.answeredAfter(nowMs - startedMs, false, nowMs);
      this.#succeeded(nowMs);
    }
    if (tokens !== null) deployment.ran(nowMs, tokens, nowMs - (this.#answeredMs ?? startedMs) - waitedMs);
    this.#end();
  }

  /** It broke, before the answer or in it. What the request itself or its client was to blame for tells nothing. */
  failed(nowMs: number, fault: Fault): void {
    if (this.#failed) return;
    this.#failed = true;
    const { unsent, stale, upstreamStatus } = fault.details;
    // A kept connection that the server had closed says nothing of the server.
    if (unsent || stale) {
      if (unsent) this.#unreached(nowMs, fault);
      this.left();
      return;
    }
    if (upstreamStatus !== undefined || fault.code === "upstream_error") this.#reached(nowMs);
    if (fault.row.blame === "provider") this.#blamed(nowMs, fault);
    // A provider that answers a bad request as such is there.
    else if (upstreamStatus !== undefined && this.#isProbe) this.#laneSucceeded(nowMs);
    this.left();
  }

  /** Another one was faster: it is known to have taken at least so long. */
  outrun(nowMs: number, streamed: boolean): void {
    if (this.#over || this.#answeredMs !== null) return;
    const { deployment, startedMs } = this.#of;
    deployment.answeredAfter(nowMs - startedMs, streamed, nowMs);
    this.left();
  }

  /** Nobody waits for the rest. */
  left(): void {
    if (this.#over) return;
    this.#failed = true;
    if (this.#isProbe) this.#of.deployment.breaker.released();
    if (this.#isKeyProbe) this.#of.key.released(this.#of.deployment);
    if (this.#isAddressProbe) this.#of.address?.breaker.released();
    this.#end();
  }

  #end(): void {
    this.#over = true;
    this.#of.deployment.inFlight--;
    this.#of.key.inFlight--;
  }

  #succeeded(nowMs: number): void {
    const { deployment, key, card } = this.#of;
    this.#reached(nowMs);
    this.#laneSucceeded(nowMs);
    this.#isKeyProbe = false;
    if (key.works(card, deployment, nowMs)) this.#tell("credential_back", "info");
  }

  #laneSucceeded(nowMs: number): void {
    const closed = this.#of.deployment.succeeded(nowMs, this.#isProbe);
    this.#isProbe = false;
    if (closed) this.#tell("breaker_closed", "info");
  }

  /** A connection came about, whatever became of it. */
  #reached(nowMs: number): void {
    const closed = this.#of.address?.breaker.succeeded(nowMs, this.#isAddressProbe);
    this.#isAddressProbe = false;
    if (closed) this.#tell("provider_reached", "info");
  }

  #unreached(nowMs: number, fault: Fault): void {
    const { address, deployment } = this.#of;
    deployment.unreached(nowMs, fault);
    const opened = address?.breaker.failed(nowMs, this.#isAddressProbe);
    this.#isAddressProbe = false;
    if (opened) this.#tell("provider_unreachable", "warn", { fault: fault.code });
  }

  #blamed(nowMs: number, fault: Fault): void {
    const { deployment } = this.#of;
    const { upstreamStatus } = fault.details;
    const isProbe = this.#isProbe;
    if (fault.code === "provider_busy" && upstreamStatus === RATE_LIMITED) {
      deployment.rest(nowMs, fault);
      return;
    }
    this.#isProbe = false;
    if (fault.code === "upstream_auth") this.#refused(nowMs, upstreamStatus ?? null);
    if (!deployment.failed(nowMs, isProbe, fault)) return;
    this.#tell("breaker_opened", "warn", { fault: fault.code });
  }

  #refused(nowMs: number, status: number | null): void {
    const { deployment, key, card, retirements } = this.#of;
    const isProbe = this.#isKeyProbe;
    this.#isKeyProbe = false;
    if (!key.isRefused(deployment) && !retirements.take()) return;
    if (key.refused(card, deployment, nowMs, status, isProbe)) {
      this.#tell("credential_retired", "error", { upstream_status: status });
    }
  }

  #tell(event: string, level: "info" | "warn" | "error", more: Readonly<Record<string, unknown>> = {}): void {
    const { card, key, log } = this.#of;
    log({ event, level, provider: card.provider, model: card.id, credential: key.last4, ...more });
  }
}
