// A provider that enforces its credentials' quotas with its own token buckets and counts its refusals.

const MINUTE_MS = 60_000;

export interface Quota {
  readonly requestsPerMinute: number;
  /** Unlimited if missing. */
  readonly tokensPerMinute?: number;
}

export interface QuotaUpstream {
  readonly url: string;
  /** The number of calls granted to each credential. */
  readonly granted: ReadonlyMap<string, number>;
  /** The credentials of the refused calls. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

/** The usage that each answer reports. */
const USAGE = { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 };
/** The delays of arriving calls, in turn, so that some overtake others. */
const WAYS_MS = [0, 120, 30, 0, 250, 60];

/** A bucket that starts full and refills at an even rate. */
class Bucket {
  readonly #perMinute: number;
  #left: number;
  #atMs = performance.now();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  /** Takes the amount and returns true, or returns false if there is less. */
  take(amount: number): boolean {
    const nowMs = performance.now();
    const filled = ((nowMs - this.#atMs) * this.#perMinute) / MINUTE_MS;
    this.#left = Math.min(this.#perMinute, this.#left + filled);
    this.#atMs = nowMs;
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }
}

/** Serves `POST /chat/completions` to these credentials. */
export function startQuotaUpstream(quotas: Readonly<Record<string, Quota>>): QuotaUpstream {
  const granted = new Map<string, number>();
  const refused: string[] = [];
  const buckets = new Map(
    Object.entries(quotas).map(([key, { requestsPerMinute, tokensPerMinute }]) => [
      key,
      {
        requests: new Bucket(requestsPerMinute),
        tokens: new Bucket(tokensPerMinute ?? Number.POSITIVE_INFINITY),
      },
    ]),
  );
  let calls = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const key = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
      await Bun.sleep(WAYS_MS[calls++ % WAYS_MS.length] ?? 0);
      const own = buckets.get(key);
      if (!own) return Response.json({ error: { message: "no such key" } }, { status: 401 });
      if (!own.requests.take(1) || !own.tokens.take(USAGE.total_tokens)) {
        refused.push(key);
        return Response.json({ error: { message: "too many" } }, { status: 429 });
      }
      granted.set(key, (granted.get(key) ?? 0) + 1);
      return Response.json(answer(calls));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, granted, refused, stop: () => server.stop(true) };
}

function answer(number: number): object {
  const message = { role: "assistant", content: "hello" };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: `c-${number}`, object: "chat.completion", created: 1, model: "m", choices, usage: USAGE };
}
