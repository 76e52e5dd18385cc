// One attempt of a delivery: a POST that follows no redirect, and what its answer means.

import type { Delivery, DeliveryResult, Endpoint } from "../core/events/webhook.ts";
import { describeNoConnection } from "../core/log/no-connection.ts";
import type { Clock, Fetch } from "../core/world/world.ts";
import { FORMS } from "./forms.ts";
import { signDelivery } from "./signature.ts";

const TIMEOUT_MS = 15_000;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The waits after each failed attempt, as Standard Webhooks advises. Then the delivery is dead. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** The part of a wait that varies, so that a receiver that comes back isn't asked by all at once. */
const JITTER = 0.1;
const BYTE = 256;

/** By these, the receiver asks for fewer calls. */
const SLOW_DOWN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const REST_MS = 30 * SECOND_MS;

export interface AttemptParts {
  readonly clock: Pick<Clock, "nowMs" | "after">;
  readonly fetch: Fetch;
  /** The program's version, for the user agent. */
  readonly version: string;
}

export type Answer =
  | { readonly kind: "accepted"; readonly status: number }
  /** The receiver wants nothing more, ever. */
  | { readonly kind: "gone"; readonly status: number }
  | {
      readonly kind: "failed";
      /** Null without an answer. */
      readonly status: number | null;
      readonly reason: string;
      /** The time for which the receiver wants no calls. */
      readonly restMs: number;
    };

/** A message to a chat stands for the deliveries in `alike` too. */
export async function sendDelivery(
  parts: AttemptParts,
  endpoint: Endpoint,
  delivery: Delivery,
  alike: readonly Delivery[],
): Promise<Answer> {
  const { clock, fetch: post } = parts;
  const ending = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => ending.abort());
  try {
    const request = makeRequest(parts, endpoint, delivery, alike);
    const answer = await post(endpoint.url, {
      ...request,
      redirect: "manual",
      signal: ending.signal,
      network: endpoint.network,
    });
    // Nothing in the body matters, however long it is.
    answer.body?.cancel().catch(() => {});
    return readAnswer(answer, FORMS[endpoint.form].gone);
  } catch (error) {
    const reason = ending.signal.aborted
      ? `no answer within ${TIMEOUT_MS / SECOND_MS} s`
      : describeNoConnection(error);
    return { kind: "failed", status: null, reason, restMs: 0 };
  } finally {
    cancel();
  }
}

function makeRequest(
  { clock, version }: AttemptParts,
  { form, key }: Endpoint,
  delivery: Delivery,
  alike: readonly Delivery[],
) {
  const body = JSON.stringify(FORMS[form].write(delivery, alike));
  const headers = { "content-type": "application/json", "user-agent": `poundkey/${version}` };
  if (key === null) return { method: "POST", headers, body };
  const id = delivery.webhookId;
  // The receiver compares it with its own clock.
  const atSeconds = Math.floor(clock.nowMs() / SECOND_MS);
  const signed = {
    "webhook-id": id,
    "webhook-timestamp": String(atSeconds),
    "webhook-signature": signDelivery(key, id, atSeconds, body),
  };
  return { method: "POST", headers: { ...headers, ...signed }, body };
}

function readAnswer({ status, headers }: Response, gone: readonly number[]): Answer {
  if (status >= 200 && status < 300) return { kind: "accepted", status };
  if (gone.includes(status)) return { kind: "gone", status };
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect ? `a redirect (${status}), which is never followed` : `status ${status}`;
  return { kind: "failed", status, reason, restMs: SLOW_DOWN.has(status) ? readRest(headers) : 0 };
}

function readRest(headers: Headers): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * SECOND_MS, SECOND_MS), HOUR_MS) : REST_MS;
}

/**
 * Returns what becomes of a delivery by a failed attempt at a time (Unix milliseconds). `luck`, a random byte, spreads the next
 * attempts; deliveries of one message have the same.
 */
export function planNext(
  { attempts }: Pick<Delivery, "attempts">,
  { status, reason, restMs }: Extract<Answer, { kind: "failed" }>,
  nowMs: number,
  luck: number,
): DeliveryResult {
  const waitMs = WAITS_MS[attempts];
  const about = { attempts: attempts + 1, status, reason };
  if (waitMs === undefined) return { state: "dead", dueAtMs: null, ...about };
  const jitterMs = Math.round((waitMs * JITTER * luck) / BYTE);
  return { state: "waiting", dueAtMs: nowMs + Math.max(waitMs + jitterMs, restMs), ...about };
}
