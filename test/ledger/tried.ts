// Admissions in one word, for tests of who pays and what refuses.
import type { Offer } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { expectGrant, makeAsk, NOON } from "../harness/samples.ts";
import { readCode } from "../harness/thrown.ts";

let count = 0;

/** Tries to admit a request with its worst cost. Returns `balance 700` or the refusal's code. */
export async function tried(
  ledger: Ledger,
  key: GatewayKey,
  offers: readonly Offer[],
  nowMs = NOON,
): Promise<string> {
  try {
    const ticket = ledger.ticket(makeAsk(`request ${count++}`, key, { offers: () => offers, nowMs }));
    const { place, holdNanoUsd } = await expectGrant(ledger, ticket);
    return `${place.kind} ${holdNanoUsd}`;
  } catch (thrown) {
    return readCode(thrown) ?? String(thrown);
  }
}
