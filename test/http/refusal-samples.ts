// Made-up counts of refusals.
import type { RefusalCount } from "../../src/core/log/refusal-log.ts";
import { NOON } from "../harness/samples.ts";

export function makeRefusal(id: string, fields: Partial<RefusalCount> = {}): RefusalCount {
  return {
    id,
    accountId: "default",
    atMs: NOON,
    keyId: "key_a",
    last4: null,
    shape: null,
    modelAsked: "Sim#echo",
    route: "POST /v1/chat/completions",
    address: "192.0.2.1",
    code: "rate_limit_exceeded",
    status: 429,
    limit: null,
    resetAtMs: null,
    count: 1,
    ...fields,
  };
}
