// Sends a call with the proof its provider requires, and replaces a rejected token once.
import type { Proof } from "../core/settings.ts";
import type { Clock } from "../core/world/world.ts";
import type { Authorize } from "./auth/authorize.ts";
import type { PreparedRequest } from "./prepared.ts";

interface AuthenticatedSend {
  readonly proof: Proof;
  readonly authorize: Authorize;
  readonly clock: Pick<Clock, "nowMs">;
  /** Aborted when the call ends: then the proof is not awaited and nothing is sent. */
  readonly signal: AbortSignal;
  /** Receives a word that must not appear in messages to clients. */
  readonly onSecret: (secret: string) => void;
  readonly send: (prepared: PreparedRequest) => Promise<Response>;
}

/** Rejects with the Fault of a proof that can't be obtained, with the reason of the abort, or like `send`. */
export async function sendAuthenticated(
  terms: AuthenticatedSend,
  url: string,
  prepared: PreparedRequest,
): Promise<Response> {
  const first = await authenticate(terms, url, prepared);
  const response = await terms.send(first.prepared);
  if (response.status !== 401 || first.refuse === undefined) return response;
  first.refuse();
  await response.body?.cancel();
  const second = await authenticate(terms, url, prepared);
  return terms.send(second.prepared);
}

async function authenticate(terms: AuthenticatedSend, url: string, prepared: PreparedRequest) {
  const { proof, authorize, clock, signal, onSecret } = terms;
  const { body: given } = prepared;
  const body = typeof given === "string" || given instanceof Uint8Array ? given : "";
  const authenticating = authorize(proof, { url, headers: prepared.headers, body }, clock.nowMs());
  const { headers, secrets = [], refuse } = await waitUnlessEnded(authenticating, signal);
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
