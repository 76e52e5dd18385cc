// The call of a probe, as reconciliation lists it: no request makes it, so it is on record by itself.

import type { Attempt } from "../../core/attempt.ts";
import type { Fault } from "../../core/faults/fault.ts";
import { nameCredential, type ProviderCall } from "../../core/log/provider-call.ts";
import type { ClaimedUsage } from "../../core/log/trace.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import { findPosition, type ProviderSetup } from "../../core/settings.ts";
import type { CallWatcher } from "../../gateway/attempt/attempt.ts";
import { countAnswer, type UsageCount } from "../../gateway/settle/counted.ts";
import { COST_MAX } from "../../gateway/settle/terms-bill.ts";
import { SHOWN_CHARACTERS_MIN } from "../../health/credential.ts";
import { mintId } from "../../keys/secret.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { CHAT } from "../../operations/chat/operation.ts";
import { readRequestId } from "../../transport/report.ts";
import { clock, random } from "../world.ts";

/** Watches the one call of a probe. */
export class ProbeWatcher implements CallWatcher {
  readonly traceparent = null;
  readonly #atMs = clock.nowMs();
  readonly #ids: string[] = [];
  #calls = 0;

  planMarks(): null {
    return null;
  }

  recordMarks(): void {}

  recordSent(): void {
    this.#calls++;
  }

  retractSent(): void {
    this.#calls--;
  }

  recordResponse(headers: Headers): void {
    const id = readRequestId(headers);
    if (id !== null) this.#ids.push(id);
  }

  recordDropped(): void {}

  time<Given, Result>(work: (given: Given) => Result, given: Given): Result {
    return work(given);
  }

  /** Returns the call. Null if none reached the provider. `answer` is null if it failed. */
  describe(
    { setup, credential, card }: Attempt & { readonly setup: ProviderSetup },
    ask: ChatForm["ask"],
    answer: ChatForm["reply"] | null,
    fault: Fault | null,
  ): ProviderCall | null {
    if (this.#calls === 0) return null;
    const usage = answer && CHAT.readUsage(answer);
    const sent = { ask, card, calls: 1, unreadBytes: 0, rounds: 0 };
    const rules = { markup: 1, provider: setup, findHold: () => COST_MAX };
    const counted = usage && countAnswer(CHAT, usage, "provider", sent, rules);
    return {
      accountId: "",
      id: mintId("probe", random),
      atMs: this.#atMs,
      kind: "probe",
      model: card.id,
      credential: nameCredential(findName(setup, credential)) ?? "",
      upstreamRequestIds: this.#ids,
      completionId: null,
      outcome: fault === null ? "answered" : "failed",
      faultCode: fault?.code ?? null,
      calls: this.#calls,
      claimed: counted && describeClaim(counted),
      charged: counted?.bill.amounts ?? NO_AMOUNTS,
      usageSource: counted?.source ?? "none",
      costNanoUsd: counted?.bill.costNanoUsd ?? 0,
    };
  }
}

function describeClaim({ implausible, bill }: UsageCount<unknown>): ClaimedUsage {
  const { claimedNanoUsd: costNanoUsd } = bill;
  return { ...(implausible ?? bill.amounts), ...(costNanoUsd === undefined ? {} : { costNanoUsd }) };
}

/** The same name that the credential has in the log. */
function findName(setup: ProviderSetup, credential: Attempt["credential"]) {
  const { secret, proof } = credential;
  if (secret !== null && secret.length >= SHOWN_CHARACTERS_MIN) return { last4: secret.slice(-4) };
  if (secret === null && proof === undefined) return { last4: null };
  return { last4: null, position: findPosition(setup, credential) };
}
