// The permit for one attempt: its outcome is recorded once, and its end in any case.

import { describeFailure } from "../core/faults/failure.ts";
import type { Fault } from "../core/faults/fault.ts";
import { type Evidence, findEvidence, namesKey, type Passage } from "../core/health/evidence.ts";
import type { JsonObject } from "../core/json/json.ts";
import { NOBODY } from "../core/keys/payer.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Level, Log } from "../core/world/world.ts";
import type { Absence } from "./absence.ts";
import type { Address } from "./address.ts";
import type { Key, KeyProbe, RequestRefusals } from "./credential.ts";
import type { Deployment } from "./deployment.ts";
import type { PayerNotices } from "./payer-notices.ts";
import type { PayerSpeeds } from "./payer-speeds.ts";
import type { Load } from "./rate.ts";
import type { Trouble } from "./trouble.ts";

interface PermitParts {
  readonly card: ModelCard;
  readonly deployment: Deployment;
  /** The speeds of the payer's answers there. Its call counts as begun. */
  readonly speeds: PayerSpeeds;
  readonly key: Key;
  /** Undefined if the provider is no longer configured. */
  readonly address: Address | undefined;
  readonly trouble: Trouble;
  readonly absence: Absence;
  /** Those of the request that the attempt belongs to. Null if it belongs to none: a refusal counts at once. */
  readonly refusals: RequestRefusals | null;
  /** The attempt's use of the credential's limits. */
  readonly load: Load;
  /** The way it has passed the deployment's breaker. */
  readonly passage: Passage;
  /** The breakers by which the attempt tests whether the provider accepts the credential again. */
  readonly keyProbes: readonly KeyProbe[];
  /** The way it has passed the address's breaker. */
  readonly addressPassage: Passage;
  readonly startedMs: number;
  readonly log: Log;
  readonly notices: PayerNotices;
  /** Called when the outlook of the model may have changed. */
  readonly changed: () => void;
}

const RATE_LIMITED = 429;
const NONE: readonly KeyProbe[] = [];

/** Times are on the monotonic clock. */
export class Permit {
  readonly #parts: PermitParts;
  /** True if the credential had been refused. If the attempt fails, its request gets another one. */
  readonly isKeyProbe: boolean;
  /** `free` once its outcome is recorded. */
  #passage: Passage;
  /** Empty once their outcome is recorded. */
  #keyProbes: readonly KeyProbe[];
  #addressPassage: Passage;
  #answeredMs: number | null = null;
  #isOver = false;
  #hasFailed = false;
  /** Tokens counted against the credential's limit that the provider has not reported yet. */
  #uncountedTokens: number;
  /** Its calls that count against the credential's limit on parallel ones. */
  readonly #callsAtOnce: number;

  constructor(parts: PermitParts) {
    this.#parts = parts;
    this.isKeyProbe = parts.keyProbes.length > 0;
    this.#passage = parts.passage;
    this.#keyProbes = parts.keyProbes;
    this.#addressPassage = parts.addressPassage;
    parts.deployment.inFlight++;
    parts.key.inFlight++;
    parts.key.recordCall(parts.startedMs, this.#payer);
    parts.key.limits.take(parts.load, parts.startedMs);
    if (parts.load.isLine || parts.load.keyId !== undefined) beginApart(parts);
    this.#callsAtOnce = parts.key.limits.parallel?.begin(parts.load) ?? 0;
    this.#uncountedTokens = parts.load.tokens;
  }

  /** Counts the tokens that the provider reported for a call of the attempt instead of the expected ones. */
  recordUsage(tokens: number, nowMs: number): void {
    this.#parts.key.limits.correct(this.#uncountedTokens, tokens, nowMs);
    this.#uncountedTokens = 0;
  }

  /** Reads what the provider says of its limits, if lines go there. */
  recordResponse(headers: Headers, nowMs: number): void {
    this.#parts.deployment.lines?.headroom.read(headers, nowMs);
  }

  /** The first part of a streamed answer has arrived. */
  recordFirstPart(nowMs: number): void {
    if (this.#answeredMs !== null || this.#isOver) return;
    const { deployment, speeds, startedMs } = this.#parts;
    this.#answeredMs = nowMs;
    deployment.recordWait(speeds, nowMs - startedMs, true, nowMs);
    this.#recordSuccess(nowMs);
    deployment.breaker.beginAnswer(this.#payer);
    this.#parts.changed();
  }

  /** The answer is complete. `waitedMs` is how long the client kept the provider waiting. */
  finish(nowMs: number, tokens: number | null, waitedMs = 0): void {
    if (this.#isOver) return;
    const { deployment, speeds, startedMs } = this.#parts;
    if (this.#answeredMs === null) {
      deployment.recordWait(speeds, nowMs - startedMs, false, nowMs);
      this.#recordSuccess(nowMs);
    }
    if (tokens !== null)
      speeds.recordSpeed(nowMs, tokens, nowMs - (this.#answeredMs ?? startedMs) - waitedMs);
    this.#end();
  }

  /** The attempt failed, before the answer or in it. Faults of the request or its client don't count against the model. */
  fail(nowMs: number, fault: Fault): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#parts.changed();
    const { unsent, stale, upstreamStatus } = fault.details;
    // A kept connection that the server had closed is no sign of a failing server.
    if (unsent || stale) {
      if (unsent) this.#recordUnreached(nowMs, fault);
      this.#parts.key.limits.giveBack(this.#parts.load);
      this.abandon();
      return;
    }
    if (upstreamStatus !== undefined || fault.code === "upstream_error") this.#recordReached(nowMs);
    const { card, refusals } = this.#parts;
    if (fault.code !== "upstream_auth" && refusals?.isAny) refusals.recordOther(card.id);
    if (fault.details.gone) this.#recordGone(nowMs, fault);
    const evidence = findEvidence(fault);
    if (fault.row.blame === "provider" && evidence !== "none") this.#recordFailure(nowMs, fault, evidence);
    // A provider that refuses a bad request as such, or whose model gave up, is working.
    else if (upstreamStatus !== undefined && this.#passage !== "free") this.#recordModelSuccess(nowMs);
    this.abandon();
  }

  /** Another attempt was faster. The time so far is recorded as a lower bound of this one's wait. */
  lose(nowMs: number, streamed: boolean): void {
    if (this.#isOver || this.#answeredMs !== null) return;
    const { deployment, speeds, startedMs } = this.#parts;
    deployment.recordWait(speeds, nowMs - startedMs, streamed, nowMs);
    this.abandon();
  }

  /** The attempt was abandoned, because the rest of its answer isn't needed. */
  abandon(): void {
    if (this.#isOver) return;
    this.#hasFailed = true;
    if (this.#passage !== "free") this.#parts.deployment.breaker.release(this.#payer, this.#passage);
    this.#parts.key.release(this.#keyProbes, this.#payer);
    if (this.#addressPassage !== "free") this.#parts.address?.release(this.#payer, this.#addressPassage);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    if (this.#answeredMs !== null) this.#parts.deployment.breaker.endAnswer(this.#payer);
    this.#parts.deployment.inFlight--;
    this.#parts.speeds.inFlight--;
    this.#parts.key.inFlight--;
    if (this.#parts.load.isLine || this.#parts.load.keyId !== undefined) endApart(this.#parts);
    if (this.#callsAtOnce > 0) this.#parts.key.limits.parallel?.end(this.#callsAtOnce);
    this.#parts.changed();
  }

  #recordSuccess(nowMs: number): void {
    const { deployment, key, card, trouble, absence, refusals } = this.#parts;
    trouble.recordSuccess();
    if (!absence.isUnknown) absence.recordSuccess();
    if (refusals?.isAny) refusals.recordOther(card.id);
    this.#recordReached(nowMs);
    this.#recordModelSuccess(nowMs);
    this.#keyProbes = NONE;
    if (key.recordSuccess(card, deployment, nowMs, this.#payer)) this.#logEvent("credential_back", "info");
  }

  #recordModelSuccess(nowMs: number): void {
    const { deployment } = this.#parts;
    deployment.lines?.answer();
    const closed = deployment.recordSuccess(nowMs, this.#payer, this.#passage);
    this.#passage = "free";
    if (closed === "all") this.#logEvent("breaker_closed", "info");
  }

  /** Records that a connection was made, whatever its outcome. */
  #recordReached(nowMs: number): void {
    const closed = this.#parts.address?.recordSuccess(nowMs, this.#payer, this.#addressPassage);
    this.#addressPassage = "free";
    if (closed) this.#logEvent("provider_reached", "info");
  }

  #recordUnreached(nowMs: number, fault: Fault): void {
    const { address, deployment } = this.#parts;
    deployment.recordUnreached(nowMs, fault);
    this.#recordTrouble(nowMs, fault);
    const opened = address?.recordFailure(nowMs, this.#payer, this.#addressPassage, "shared");
    this.#addressPassage = "free";
    if (opened) this.#logEvent("provider_unreachable", "warn", describe(fault));
  }

  get #payer(): string {
    return this.#parts.refusals?.payer ?? NOBODY;
  }

  #recordFailure(nowMs: number, fault: Fault, evidence: Evidence): void {
    const { deployment } = this.#parts;
    const { upstreamStatus } = fault.details;
    const passage = this.#passage;
    if (fault.code === "provider_busy" && upstreamStatus === RATE_LIMITED) {
      deployment.rest(nowMs, fault);
      deployment.lines?.slow(this.#parts.startedMs, nowMs);
      return;
    }
    this.#recordTrouble(nowMs, fault);
    this.#passage = "free";
    if (fault.code === "upstream_auth") this.#recordRefusal(nowMs, fault, evidence);
    const opened = deployment.recordFailure(nowMs, this.#payer, passage, fault, evidence);
    if (opened === "all") this.#logEvent("breaker_opened", "warn", describe(fault));
    else if (opened === "payer" && this.#parts.notices.take(this.#payer, nowMs)) {
      const account = this.#parts.refusals?.accountId ?? null;
      this.#logEvent("breaker.payer", "warn", { account, ...describe(fault) });
    }
  }

  #recordTrouble(nowMs: number, fault: Fault): void {
    const { card, key, trouble } = this.#parts;
    trouble.recordFailure(nowMs, { model: card.id, last4: key.last4 }, fault);
  }

  #recordGone(nowMs: number, fault: Fault): void {
    const { absence, refusals } = this.#parts;
    const isSaid = fault.details.gone === "said";
    const isNew = absence.recordGone(nowMs, refusals?.accountId ?? "", isSaid);
    if (isNew) this.#logEvent("model_gone", "error", describe(fault));
  }

  /** Words that name the credential, and its being refused again, count at once; all else once the request has ended. */
  #recordRefusal(nowMs: number, fault: Fault, evidence: Evidence): void {
    const { deployment, key, card, refusals } = this.#parts;
    const probes = this.#keyProbes;
    this.#keyProbes = NONE;
    const retire = () => this.#retire(nowMs, fault, evidence, probes);
    if (refusals === null || namesKey(fault) || key.isRefused(deployment, nowMs, this.#payer)) retire();
    else refusals.add(card.id, fault, retire);
  }

  #retire(nowMs: number, fault: Fault, evidence: Evidence, probes: readonly KeyProbe[]): void {
    const { deployment, key, card } = this.#parts;
    const status = fault.details.upstreamStatus ?? null;
    const met = { payer: this.#payer, evidence, status, probes };
    const isRetired = key.recordRefusal(card, deployment, nowMs, met);
    if (evidence === "caller") key.suspect();
    if (!isRetired) return;
    const { upstreamCode, message } = describeFailure(fault);
    const words = { upstream_status: status, upstream_code: upstreamCode, message };
    this.#logEvent("credential_retired", "error", words);
  }

  #logEvent(event: string, level: Level, more: JsonObject = {}): void {
    const { card, key, log } = this.#parts;
    log({ event, level, provider: card.provider, model: card.id, credential: key.last4, ...more });
  }
}

/** Counts a line of a batch, or a call whose gateway key is counted: most calls are neither. */
function beginApart({ deployment, key, load: { isLine, keyId } }: PermitParts): void {
  if (isLine) deployment.lines?.begin();
  if (keyId === undefined) return;
  deployment.callsByKey.begin(keyId);
  key.callsByKey.begin(keyId);
}

function endApart({ deployment, key, load: { isLine, keyId } }: PermitParts): void {
  if (isLine) deployment.lines?.end();
  if (keyId === undefined) return;
  deployment.callsByKey.end(keyId);
  key.callsByKey.end(keyId);
}

/** The failure that made a breaker open, for the log. */
function describe(fault: Fault): JsonObject {
  const { message, cause, address } = describeFailure(fault);
  return {
    fault: fault.code,
    upstream_status: fault.details.upstreamStatus ?? null,
    message,
    cause,
    address,
  };
}
