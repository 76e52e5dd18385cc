// Parallel clients of a gateway that may die at any moment, and the answers that each received.
import { asArray, asNumber, asObject, asString, isObject, parseJson } from "../../src/core/json/json.ts";
import { type Charge, type KeyName, MODELS, type ModelKind, PAYING } from "./world.ts";

const CLIENTS = 16;
const WORDS_MAX = 20;
/** Far longer than any answer takes here. Beyond it a client would wait for ever. */
const HANGS_MS = 20_000;

/** A client's intended request, which may be sent more than once. */
export interface Asking {
  /** Unique, and the beginning of the prompt, so that the provider's calls can be told apart. */
  readonly number: string;
  readonly key: KeyName;
  readonly model: ModelKind;
  readonly idempotent: boolean;
  readonly words: number;
}

/** An answer that arrived whole. */
export interface Answer {
  /** The completion's id. */
  readonly id: string;
  readonly chargedNanoUsd: number;
  readonly replayed: boolean;
}

export interface Told {
  readonly asking: Asking;
  /** The id of this one sending. */
  readonly requestId: string;
  /** The time of sending in Unix milliseconds. */
  readonly atMs: number;
  /** The time at which the answer was whole, or the connection broke. */
  readonly endedAtMs: number;
  /** True if its answer is paid for. */
  readonly isPaid: boolean;
  /** Null if the connection broke before. */
  readonly status: number | null;
  readonly answer: Answer | null;
  /** The unexpected part of the answer, or null. */
  readonly wrong: string | null;
}

export interface Load {
  readonly told: Told[];
  /** To be sent again: with an Idempotency-Key, and mostly unanswered. */
  readonly again: Asking[];
}

export interface LoadOptions {
  readonly url: string;
  /** The number of the round, which is part of every request's number. */
  readonly round: number;
  readonly charge: Charge;
  readonly secrets: Readonly<Record<KeyName, string>>;
  readonly random: () => number;
  /** The requests that the previous round left to be repeated. */
  readonly first: readonly Asking[];
  /** Ends the load, as the gateway's death does. */
  readonly isOver: () => boolean;
}

/** Runs the clients until the gateway is dead or the load is over. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const { round, random, isOver } = options;
  const load: Load = { told: [], again: [...options.first] };
  let asked = 0;
  const next = (): Asking => load.again.shift() ?? newAsking(`r${round}-${++asked}`, random);
  const client = async () => {
    while (!isOver()) {
      const asking = next();
      if (asking.idempotent && random() < 0.3) load.again.push(asking);
      const leavesAfterMs = random() < 0.06 ? random() * 40 : null;
      const stream = random() < 0.5;
      const told = await ask(options, asking, `${asking.number}.${round}-${++asked}`, stream, leavesAfterMs);
      load.told.push(told);
      if (told.answer === null && asking.idempotent) load.again.push(asking);
      if (told.status === null && leavesAfterMs === null) break;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return load;
}

/** Repeats the unanswered requests once, one after the other. */
export async function askAgain(options: LoadOptions): Promise<readonly Told[]> {
  const told: Told[] = [];
  for (const [at, asking] of options.first.entries()) {
    told.push(await ask(options, asking, `${asking.number}.last${options.round}-${at}`, at % 2 === 0, null));
  }
  return told;
}

function newAsking(number: string, random: () => number): Asking {
  const idempotent = random() < 0.3;
  const kind = random();
  const model = kind < 0.45 ? "quick" : kind < 0.9 || idempotent ? "slow" : kind < 0.95 ? "cut" : "failing";
  const who = random();
  const key = who < 0.3 ? "payer" : who < 0.6 ? "other" : who < 0.8 ? "free" : "counted";
  return { number, key, model, idempotent, words: 1 + Math.floor(random() * WORDS_MAX) };
}

async function ask(
  { url, secrets, charge }: LoadOptions,
  asking: Asking,
  requestId: string,
  stream: boolean,
  leavesAfterMs: number | null,
): Promise<Told> {
  const leaves = leavesAfterMs === null ? AbortSignal.timeout(HANGS_MS) : AbortSignal.timeout(leavesAfterMs);
  const isPaid = charge === "always" || PAYING.includes(asking.key);
  const atMs = Date.now();
  const told = (rest: Partial<Told>): Told => {
    const nothing = { status: null, answer: null, wrong: null };
    return { asking, requestId, atMs, endedAtMs: Date.now(), isPaid, ...nothing, ...rest };
  };
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secrets[asking.key]}`,
        "content-type": "application/json",
        "x-request-id": requestId,
        ...(asking.idempotent ? { "idempotency-key": asking.number } : {}),
      },
      body: bodyOf(asking, stream),
      signal: leaves,
    });
    const { status } = response;
    const replayed = response.headers.has("x-poundkey-replayed");
    const text = await response.text();
    if (status !== 200) return told({ status, wrong: wrongIn(asking, status, text) });
    const answer = stream ? streamedIn(text, replayed) : wholeIn(text, replayed);
    const wrong =
      answer === null && !mayBreakOff(asking, stream, text) ? `not whole: ${text.slice(-200)}` : null;
    return told({ status, answer, wrong });
  } catch (error) {
    const hung = leaves.aborted && leavesAfterMs === null;
    return told({ wrong: hung ? `no end after ${HANGS_MS} ms: ${String(error)}` : null });
  }
}

function bodyOf({ number, model, words }: Asking, stream: boolean): string {
  return JSON.stringify({
    model: `Own#${MODELS[model]}`,
    messages: [{ role: "user", content: `${number} long ${words}` }],
    max_tokens: 200,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

/** Only these statuses are expected: the provider's failures, and the gateway shutting down. */
function wrongIn({ model }: Asking, status: number, text: string): string | null {
  const isTroubled = model === "failing" || model === "cut";
  if (isTroubled && (status === 502 || text.includes("no_provider_available"))) return null;
  if (status === 503 && text.includes("shutting_down")) return null;
  return `status ${status}: ${text.slice(0, 200)}`;
}

/** A stream that began may be ended by the gateway's death, its shutdown, or the provider's failure. */
function mayBreakOff({ model }: Asking, stream: boolean, text: string): boolean {
  if (!stream) return false;
  return model === "cut" || !text.includes('data: {"error"') || text.includes("shutting_down");
}

function wholeIn(text: string, replayed: boolean): Answer | null {
  const body = asObject(parseJson(text));
  const { message } = asObject(asArray(body.choices)[0]);
  return asString(asObject(message).content) ? answerOf(body, replayed) : null;
}

/** Null unless the stream reached its `[DONE]`. */
function streamedIn(text: string, replayed: boolean): Answer | null {
  if (!text.endsWith("data: [DONE]\n\n")) return null;
  const chunks = text.split("\n\n").map((line) => parseJson(line.replace(/^data: /, "")));
  const last = chunks.filter(isObject).findLast(({ usage }) => isObject(usage));
  return last ? answerOf(last, replayed) : null;
}

function answerOf(body: Readonly<Record<string, unknown>>, replayed: boolean): Answer | null {
  const id = asString(body.id);
  const charged = asNumber(asObject(body.usage).charged);
  if (id === undefined || charged === undefined) return null;
  return { id, chargedNanoUsd: Math.round(charged * 1e9), replayed };
}
