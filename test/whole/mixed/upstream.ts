// An upstream that serves every operation as a seed decides, and keeps a separate account of each call's cost.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { serveHttp } from "../world/serve.ts";

export interface MixedUpstream {
  readonly url: string;
  /** The bill in nano-dollars for the calls answered whole, by the client's mark. */
  readonly billed: ReadonlyMap<string, number>;
  /** The number of calls answered with 500. */
  readonly failures: number;
  stop(): Promise<void>;
}

/** In USD, per million tokens and per unit. */
export const PRICES = {
  talk: { input: 1, output: 2 },
  filler: { input: 1, output: 2 },
  embed: { input: 0.1 },
  rank: { per_search_unit: 0.002 },
  judge: { input: 0.05 },
  painter: { input: 5, input_image: 10, output: 40 },
  voice: { per_character_million: 15 },
  whisper: { per_minute: 0.006 },
} as const;

/** Returns numbers from 0 to `most`, the same for the same seed. */
export function makeDice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * (most + 1));
  };
}

interface Answer {
  readonly body: object | Uint8Array;
  readonly usd: number;
}

type Answering = (ask: JsonObject, roll: (most: number) => number) => Answer;

const perMillion = (...lines: readonly (readonly [count: number, usd: number])[]) =>
  lines.reduce((sum, [count, usd]) => sum + count * usd, 0) / 1e6;

function answerText(roll: (most: number) => number, choices: object, prices = PRICES.talk): Answer {
  const prompt = roll(900);
  const completion = 1 + roll(90);
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return {
    body: { choices: [choices], usage },
    usd: perMillion([prompt, prices.input], [completion, prices.output]),
  };
}

const ANSWERS: Readonly<Record<string, Answering>> = {
  "/chat/completions": (_ask, roll) =>
    answerText(roll, { index: 0, message: { role: "assistant", content: "well" }, finish_reason: "stop" }),
  "/completions": (_ask, roll) => answerText(roll, { index: 0, text: "well", finish_reason: "stop" }),
  "/embeddings": (ask, roll) => {
    const inputs = Array.isArray(ask.input) ? ask.input.length : 1;
    const data = Array.from({ length: inputs }, (_, index) => ({ index, embedding: [0.1, 0.2] }));
    const tokens = inputs * (1 + roll(2));
    return {
      body: { data, usage: { prompt_tokens: tokens, total_tokens: tokens } },
      usd: perMillion([tokens, 0.1]),
    };
  },
  "/rerank": (ask) => {
    const results = asArray(ask.documents).map((_, index) => ({ index, relevance_score: 1 / (index + 1) }));
    return { body: { results, meta: { billed_units: { search_units: 1 } } }, usd: 0.002 };
  },
  "/moderations": (_ask, roll) => {
    const tokens = 1 + roll(5);
    const results = [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0.1 } }];
    return {
      body: { results, usage: { prompt_tokens: tokens, total_tokens: tokens } },
      usd: perMillion([tokens, 0.05]),
    };
  },
  "/images/generations": (ask, roll) => {
    const input = 8 + roll(8);
    const image = roll(3);
    const output = 200 + roll(72);
    const usage = {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { image_tokens: image },
    };
    const data = Array.from({ length: Number(ask.n) }, () => ({ b64_json: "aGVsbG8=" }));
    return { body: { data, usage }, usd: perMillion([input - image, 5], [image, 10], [output, 40]) };
  },
  "/audio/speech": (ask) => ({
    body: new Uint8Array([1, 2, 3]),
    usd: perMillion([[...String(ask.input)].length, 15]),
  }),
  "/audio/transcriptions": (_ask, roll) => {
    // No longer than the file, because an excess over the hold may be written off.
    const seconds = 1 + roll(4);
    return { body: { text: "well", usage: { type: "duration", seconds } }, usd: (seconds * 0.006) / 60 };
  },
};

/** One call in nine fails. */
const FAILURE_SIDES = 9;
const NANO = 1e9;

export async function startMixedUpstream(seed: number): Promise<MixedUpstream> {
  const roll = makeDice(seed);
  const billed = new Map<string, number>();
  const count = { failures: 0 };
  const { url, stop } = await serveHttp(async (request, response) => {
    const ask = await readAsk(request);
    const path = (request.url ?? "").replace(/^\/v1/, "");
    const answer = roll(FAILURE_SIDES - 1) === 0 ? null : ANSWERS[path]?.(ask, roll);
    if (!answer) {
      count.failures++;
      return send(response, 500, { error: { message: "It broke." } });
    }
    const mark = String(request.headers["x-mark"] ?? ask.user ?? "");
    billed.set(mark, Math.ceil(Number((answer.usd * NANO).toFixed(3))));
    send(response, 200, answer.body);
  });
  return {
    url,
    billed,
    stop,
    get failures() {
      return count.failures;
    },
  };
}

async function readAsk(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const type = String(request.headers["content-type"]);
  const bytes = new Uint8Array(Buffer.concat(parts));
  if (!type.startsWith("multipart/")) return asObject(JSON.parse(new TextDecoder().decode(bytes)));
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  return Object.fromEntries(form.entries());
}

function send(response: ServerResponse, status: number, body: object | Uint8Array): void {
  const isSound = body instanceof Uint8Array;
  response.writeHead(status, { "content-type": isSound ? "audio/mpeg" : "application/json" });
  response.end(isSound ? body : JSON.stringify(body));
}
