// A provider that answers as the text of each request says, unless it is in trouble.
import type { EventClock } from "../event-clock.ts";
import { type BesideScenario, OF_ONE, type TROUBLES } from "./scenario.ts";

export const CALL_MS = 20;
const SLOW_MS = 2500;
const LIMITED_MS = 1000;

export class Provider {
  readonly #clock: EventClock;
  readonly #troubles: BesideScenario["troubles"];
  /** Calls that wait for their answer. */
  waiting = 0;

  constructor(clock: EventClock, { troubles }: BesideScenario) {
    this.#clock = clock;
    this.#troubles = troubles;
  }

  /** Answers as the text of the request says, unless there is a trouble. */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    init.signal?.throwIfAborted();
    const provider = url.includes("alpha") ? "Alpha" : "Beta";
    const body = String(init.body);
    const way = /way: (\w+)/.exec(body)?.[1] ?? "";
    const isStreamed = body.includes('"stream":true');
    await this.#wait(CALL_MS);
    const trouble = this.#findTrouble(provider, new Headers(init.headers).get("authorization") ?? "");
    if (trouble !== null) return trouble();
    if (way === "hanging") return this.#hang(init.signal ?? null);
    if (way === "slow") await this.#wait(SLOW_MS);
    return REFUSALS[way]?.() ?? (isStreamed ? this.#stream(way) : answerWhole(way));
  }

  #findTrouble(provider: string, authorization: string): (() => Response) | null {
    const nowMs = this.#clock.monotonicMs;
    const now = this.#troubles.find(
      (one) => one.provider === provider && nowMs >= one.fromMs && nowMs < one.untilMs,
    );
    if (now === undefined) return null;
    if (OF_ONE.has(now.kind) && !authorization.includes("secret 0")) return null;
    return TROUBLED[now.kind];
  }

  async #hang(signal: AbortSignal | null): Promise<never> {
    this.waiting++;
    const ended = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
    try {
      return await ended.promise;
    } finally {
      this.waiting--;
    }
  }

  #stream(way: string): Response {
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        for (const piece of STREAM) {
          if (way === "garbage") controller.enqueue(encode("data: {{{\n\n"));
          controller.enqueue(encode(way === "empty" ? "" : `data: ${JSON.stringify(piece)}\n\n`));
          await this.#clock.wait(CALL_MS);
          if (way === "cut") return controller.error(cutConnection());
        }
        if (way !== "empty") controller.enqueue(encode("data: [DONE]\n\n"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  async #wait(ms: number): Promise<void> {
    this.waiting++;
    await this.#clock.wait(ms);
    this.waiting--;
  }
}

const cutConnection = () => Object.assign(new Error("The connection was cut."), { code: "ECONNRESET" });
const encode = (text: string) => new TextEncoder().encode(text);
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function answerWhole(way: string): Response {
  if (way === "garbage") return new Response("{{{", { headers: { "content-type": "application/json" } });
  if (way === "empty") return new Response("", { headers: { "content-type": "application/json" } });
  if (way === "cut") {
    const start = (controller: ReadableStreamDefaultController) => controller.error(cutConnection());
    return new Response(new ReadableStream({ start }), { headers: { "content-type": "application/json" } });
  }
  return Response.json({
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: USAGE,
  });
}

const CHUNK = { id: "x", object: "chat.completion.chunk", created: 1, model: "m" };
const STREAM = [
  { ...CHUNK, choices: [{ index: 0, delta: { role: "assistant", content: "o" }, finish_reason: null }] },
  { ...CHUNK, choices: [{ index: 0, delta: { content: "k" }, finish_reason: "stop" }] },
  { ...CHUNK, choices: [], usage: USAGE },
];

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message } }, { status, headers });
}

const REFUSALS: Readonly<Record<string, () => Response>> = {
  error: () => refuse(500, "The template can't render this conversation."),
  overloaded: () => refuse(503, "Out of memory."),
  forbidden: () => refuse(403, "Request blocked by the web application firewall."),
  unauthorized: () => refuse(401, "Unauthorized"),
};

const limit = () => refuse(429, "Rate limit reached.", { "retry-after": String(LIMITED_MS / 1000) });
const TROUBLED: Readonly<Record<keyof typeof TROUBLES, () => Response>> = {
  limited: limit,
  oneLimited: limit,
  badKey: () => refuse(401, "Incorrect API key provided."),
  unreachable: () => {
    throw Object.assign(new Error("Unable to connect."), { code: "ECONNREFUSED" });
  },
};
