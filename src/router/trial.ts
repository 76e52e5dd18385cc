// One attempt as health sees it: each of its turns is told once, and its end in any case.
import type { ModelCard } from "../core/card.ts";
import type { Fault } from "../core/fault.ts";
import type { Log } from "../core/world.ts";
import type { Key } from "./key.ts";
import type { Lane } from "./lane.ts";

export interface TrialOf {
  readonly card: ModelCard;
  readonly lane: Lane;
  readonly key: Key;
  readonly isProbe: boolean;
  readonly startedMs: number;
  readonly log: Log;
}

const RATE_LIMITED = 429;

/** Times are on the monotonic clock. */
export class Trial {
  readonly #of: TrialOf;
  #isProbe: boolean;
  #answeredMs: number | null = null;
  #over = false;
  #failed = false;

  constructor(of: TrialOf) {
    this.#of = of;
    this.#isProbe = of.isProbe;
    of.lane.inFlight++;
    of.key.inFlight++;
  }

  /** The first part of a streamed answer is here. */
  answered(nowMs: number): void {
    if (this.#answeredMs !== null || this.#over) return;
    const { lane, startedMs } = this.#of;
    this.#answeredMs = nowMs;
    lane.answeredAfter(nowMs - startedMs, true, nowMs);
    this.#succeeded(nowMs);
  }

  /** The answer is whole. `waitedMs`: how long its client kept the provider waiting. */
  finished(nowMs: number, tokens: number | null, waitedMs = 0): void {
    if (this.#over) return;
    const { lane, startedMs } = this.#of;
    if (this.#answeredMs === null) {
      lane.answeredAfter(nowMs - startedMs, false, nowMs);
      this.#succeeded(nowMs);
    }
    if (tokens !== null) lane.ran(nowMs, tokens, nowMs - (this.#answeredMs ?? startedMs) - waitedMs);
    this.#end();
  }

  /** It broke, before the answer or in it. What the request itself or its client was to blame for tells nothing. */
  failed(nowMs: number, fault: Fault): void {
    if (this.#failed) return;
    this.#failed = true;
    if (fault.row.blame === "provider") this.#blamed(nowMs, fault);
    // A provider that answers a bad request as such is there.
    else if (fault.details.upstreamStatus !== undefined && this.#isProbe) this.#succeeded(nowMs);
    this.left();
  }

  /** Another one was faster: it is known to have taken at least so long. */
  outrun(nowMs: number, streamed: boolean): void {
    if (this.#over || this.#answeredMs !== null) return;
    const { lane, startedMs } = this.#of;
    lane.answeredAfter(nowMs - startedMs, streamed, nowMs);
    this.left();
  }

  /** Nobody waits for the rest. */
  left(): void {
    if (this.#over) return;
    this.#failed = true;
    if (this.#isProbe) this.#of.lane.breaker.released();
    this.#end();
  }

  #end(): void {
    this.#over = true;
    this.#of.lane.inFlight--;
    this.#of.key.inFlight--;
  }

  #succeeded(nowMs: number): void {
    const { lane, key, card } = this.#of;
    const closed = lane.succeeded(nowMs, this.#isProbe);
    this.#isProbe = false;
    if (closed) this.#tell("breaker_closed", "info");
    if (key.works(card, lane)) this.#tell("credential_back", "info");
  }

  #blamed(nowMs: number, fault: Fault): void {
    const { lane, key, card } = this.#of;
    const { upstreamStatus } = fault.details;
    const isProbe = this.#isProbe;
    if (fault.code === "provider_busy" && upstreamStatus === RATE_LIMITED) {
      lane.rest(nowMs, fault);
      return;
    }
    this.#isProbe = false;
    if (fault.code === "upstream_auth" && key.refused(card, lane, nowMs, upstreamStatus ?? null)) {
      this.#tell("credential_retired", "error", { upstream_status: upstreamStatus ?? null });
    }
    if (!lane.failed(nowMs, isProbe, fault)) return;
    this.#tell("breaker_opened", "warn", { fault: fault.code });
  }

  #tell(event: string, level: "info" | "warn" | "error", more: Readonly<Record<string, unknown>> = {}): void {
    const { card, key, log } = this.#of;
    log({ event, level, provider: card.provider, model: card.id, credential: key.last4, ...more });
  }
}
