// Sends a call with the proof that its provider asks for; a token that the provider refuses is replaced once.
import type { Proof } from "../core/settings.ts";
import type { Clock } from "../core/world.ts";
import type { Authorize } from "./auth/authorize.ts";
import type { Prepared } from "./prepared.ts";

interface Proving {
  readonly proof: Proof;
  readonly authorize: Authorize;
  readonly clock: Pick<Clock, "nowMs">;
  /** Aborted when the call ends: the proof is waited for no longer, and nothing is sent. */
  readonly signal: AbortSignal;
  /** Takes a word that no message to a client may hold. */
  readonly onSecret: (secret: string) => void;
  readonly send: (prepared: Prepared) => Promise<Response>;
}

/** Rejects with the Fault of a proof that can't be had, with the reason of the abort, or as `send` does. */
export async function sendProven(proving: Proving, url: string, prepared: Prepared): Promise<Response> {
  const first = await prove(proving, url, prepared);
  const response = await proving.send(first.prepared);
  if (response.status !== 401 || first.refuse === undefined) return response;
  first.refuse();
  await response.body?.cancel();
  const second = await prove(proving, url, prepared);
  return proving.send(second.prepared);
}

async function prove(proving: Proving, url: string, prepared: Prepared) {
  const { proof, authorize, clock, signal, onSecret } = proving;
  const body = typeof prepared.body === "string" ? prepared.body : "";
  const proven = authorize(proof, { url, headers: prepared.headers, body }, clock.nowMs());
  const { headers, secrets = [], refuse } = await waitUnlessEnded(proven, signal);
  for (const secret of secrets) onSecret(secret);
  return { prepared: { ...prepared, headers: { ...prepared.headers, ...headers } }, refuse };
}

async function waitUnlessEnded<Result>(
  waiting: Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onEnd = () => reject(signal.reason);
  signal.addEventListener("abort", onEnd, { once: true });
  if (signal.aborted) onEnd();
  try {
    return await Promise.race([ended, waiting]);
  } finally {
    signal.removeEventListener("abort", onEnd);
  }
}
