// The conversation with one stranger, judged: the refusals that were mended, those that reached the client, and mistakes.
import { type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { WIRES, type Wire } from "../../simulator/stranger/forms.ts";
import { matchSentence, type Rule } from "../../simulator/stranger/rules.ts";
import type { Stranger } from "../../simulator/stranger/server.ts";
import { SURFACE_KEYS, type SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { type Ask, writeBody, writeConversation } from "./conversation.ts";
import { findLost } from "./meaning.ts";

/** A stranger with a seed of its own, and the surface at which it is asked. */
export interface Seed {
  readonly seed: number;
  readonly wire: Wire;
  readonly model: string;
  readonly surface: SurfaceKey;
}

/** The outcome of a conversation. */
interface Outcome {
  readonly mended: readonly Rule[];
  /** The client got the server's own sentence. */
  readonly passedOn: readonly Rule[];
  readonly wrong: readonly string[];
}

/** Every second stranger speaks chat completions, as most do. Each API is asked at every surface. */
export function listSeeds(count: number): readonly Seed[] {
  return Array.from({ length: count }, (_, seed) => {
    const wire = seed % 2 === 0 ? "chat" : (WIRES[(seed >> 1) % WIRES.length] ?? "chat");
    const surface = SURFACE_KEYS[(seed >> 3) % SURFACE_KEYS.length] ?? "chat";
    return {
      seed,
      wire,
      model: `own-${wire}-${seed}`,
      surface: seed % 2 === 0 ? pickSurface(seed) : surface,
    };
  });
}

function pickSurface(seed: number): SurfaceKey {
  return SURFACE_KEYS[(seed >> 1) % SURFACE_KEYS.length] ?? "chat";
}

const DIALECTS: Readonly<Record<Wire, string>> = {
  chat: "openai",
  responses: "responses",
  messages: "anthropic",
  gemini: "gemini",
};

/** Returns the YAML of a provider for each API, with the strangers as its models. */
export function writeProviders(stranger: Stranger, seeds: readonly Pick<Seed, "wire" | "model">[]): string {
  return WIRES.map((wire) => {
    const models = seeds.filter((one) => one.wire === wire).map(({ model }) => `{ name: ${model} }`);
    const url = stranger.baseUrl(wire);
    return `  Own-${wire}: { dialect: ${DIALECTS[wire]}, base_url: "${url}", keys: [sim-key], models: [${models}] }`;
  }).join("\n");
}

/**
 * The most refusals of a kind: the first, and those of requests that lack what all before them had, as whole ones lack
 * `stream`. They widen the condition of what was learned.
 */
const SHAPES_MAX = 3;

/** Talks to the stranger until it has answered all ten requests. */
export async function talk(gateway: UnderTest, stranger: Stranger, seed: Seed): Promise<Outcome> {
  const mended: Rule[] = [];
  const passedOn: Rule[] = [];
  const wrong: string[] = [];
  for (const [at, ask] of writeConversation().entries()) {
    const stream = (at + seed.seed) % 2 === 0;
    let isAnswered = false;
    while (!isAnswered) {
      const from = stranger.calls.length;
      const { status, text, body } = await send(gateway, seed, ask, stream);
      const calls = stranger.calls.slice(from);
      const refusals = calls.flatMap(({ refusedBy }) => (refusedBy === null ? [] : [refusedBy]));
      const say = (what: string) => void wrong.push(`request ${at + 1}: ${what}`);
      const last = calls.at(-1);
      for (const rule of refusals) {
        const isLast = status !== 200 && rule === last?.refusedBy;
        if (!rule.canMend || isLast) continue;
        mended.push(rule);
        if (mended.filter((one) => one === rule).length > SHAPES_MAX) say(`refused again: ${describe(rule)}`);
      }
      if (status === 200) {
        isAnswered = true;
        for (const rule of refusals) if (!rule.canMend) say(`mended: ${describe(rule)}`);
        if (!text.includes(ask.answer)) say(`the answer lacks ${ask.answer}: ${text.slice(0, SHOWN)}`);
        if (last) for (const lost of findLost([seed.surface, body], [last.wire, last.body])) say(lost);
        continue;
      }
      const rule = last?.refusedBy;
      if (!rule) {
        say(`failed without a refusal: ${status} ${text.slice(0, SHOWN)}`);
        break;
      }
      if (!rule.canMend) passedOn.push(rule);
      else say(`not mended: ${describe(rule)}`);
      if (status !== 400) say(`status ${status}: ${describe(rule)}`);
      if (refusals.filter((one) => one === rule).length > 1) say(`asked again: ${describe(rule)}`);
      const sentence = matchSentence(rule);
      if (!listTexts(parseJson(text)).some((one) => sentence.test(one)))
        say(`not in its words: ${describe(rule)}: ${text.slice(0, SHOWN)}`);
      stranger.lift(seed.model, rule);
    }
  }
  return { mended, passedOn, wrong };
}
const SHOWN = 300;

function describe({ sentence, refuses }: Rule): string {
  return `${refuses} by ${sentence.server} (${sentence.source})`;
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

const PATHS: Readonly<Record<Exclude<SurfaceKey, "gemini">, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

async function send(
  { url, secret }: UnderTest,
  { surface, model, wire, seed }: Seed,
  ask: Ask,
  stream: boolean,
) {
  const id = `Own-${wire}#${model}`;
  const body: JsonObject = writeBody(surface, ask, stream, seed);
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const [path, whole] =
    surface === "gemini"
      ? [`/v1beta/models/${encodeURIComponent(id)}:${verb}`, body]
      : [PATHS[surface], { ...body, model: id }];
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const answered = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(whole) });
  return { status: answered.status, text: await answered.text(), body };
}
