// A day of one gateway's router in virtual time: providers controlled by the test, steady traffic, real health.

import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import type { Attempt } from "../../src/core/attempt.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Selector } from "../../src/core/models/selector.ts";
import type { Settings } from "../../src/core/settings.ts";
import { planCalls } from "../../src/gateway/plan/plan.ts";
import { type KnownPorts, readKnown } from "../../src/gateway/plan/plan-request.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import type { Permit } from "../../src/health/permit.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { describeChat, makeConversation } from "../harness/conversation.ts";
import { readSettings } from "../harness/settings.ts";
import { NO_LEARNING } from "../learning/no-learning.ts";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
const EVERY_MS = 500;
const ANSWER_TOKENS = 60;

/** A provider's behaviour at a moment. */
export interface Manner {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Fails after this time. */
  readonly failsAfterMs?: number;
  /** Refuses because of load, with this Retry-After. */
  readonly restsMs?: number;
}
export const QUICK: Manner = { firstTokenMs: 300, tokensPerSecond: 120 };
export const USUAL: Manner = { firstTokenMs: 900, tokensPerSecond: 60 };
export const SLOW: Manner = { firstTokenMs: 9000, tokensPerSecond: 4 };

export const EVEN =
  "math: L, coding: L, reasoning: L, science: L, knowledge: L, language: L, data: L, instruction: L";
export const skillsAt = (level: number) => `{ ${EVEN.replaceAll("L", String(level))}, tools: ${level} }`;

export interface ModelRow {
  readonly price: readonly [input: number, output: number];
  readonly skills: string;
}

/** `Able` is the best. `Thrift` is the cheapest and the fastest, `Fast` the second fastest. */
export const MODELS: Readonly<Record<string, ModelRow>> = {
  Able: { price: [8, 40], skills: skillsAt(0.95) },
  Spare: { price: [6, 30], skills: skillsAt(0.9) },
  Fast: { price: [4, 20], skills: skillsAt(0.89) },
  Thrift: { price: [0.5, 2], skills: skillsAt(0.89) },
};
export const FAVOURITE: Readonly<Record<Selector, string>> = {
  best: "Able",
  fair: "Thrift",
  light: "Thrift",
};

function settingsOf(models: Readonly<Record<string, ModelRow>>, share: number): Settings {
  const rows = Object.entries(models).map(
    ([
      name,
      {
        price: [input, output],
      },
    ]) =>
      `  ${name}: { dialect: openai, keys: ["k-${name}"], base_url: "http://x.test", models: [{ name: m, context: 8192, output: 1024, price: { input: ${input}, output: ${output} } }] }`,
  );
  const skills = Object.entries(models).map(([name, row]) => `  "${name}#m": { skills: ${row.skills} }`);
  const text = ["providers:", ...rows, "models:", ...skills, `router: { fair: { quality: ${share} } }`].join(
    "\n",
  );
  return readSettings(text);
}

export interface Pick {
  readonly atMs: number;
  /** The provider of the model that the decision names. */
  readonly chosen: string;
  /** The provider of the plan's first model, and of the one that answered. Null if none did. */
  readonly first: string;
  readonly served: string | null;
}

/** One gateway's router under steady traffic, in virtual time. */
export class Day {
  readonly picks: Pick[] = [];
  readonly #manners = new Map<string, Manner>();
  readonly #health = new Health(() => {});
  readonly #known: KnownPorts;
  #cards: readonly ModelCard[] = [];
  #settings: Settings;
  readonly #share: number;
  #due: { readonly atMs: number; readonly task: () => void }[] = [];
  #nowMs = 0;
  #asked = 0;

  constructor(models = MODELS, share = 0.9) {
    this.#share = share;
    const clock = { nowMs: () => this.#nowMs, monotonicMs: () => this.#nowMs };
    this.#known = {
      health: this.#health,
      learning: NO_LEARNING,
      caches: new Caches(),
      stickiness: new Stickiness(),
      deadlines: new DeadlineSweep({ ...clock, after: () => () => {}, every: () => () => {} }),
    };
    this.#settings = settingsOf(models, this.#share);
    this.reload(models);
    for (const name of Object.keys(models)) this.is(name, name === "Thrift" ? QUICK : USUAL);
  }

  reload(models: Readonly<Record<string, ModelRow>>): void {
    this.#settings = settingsOf(models, this.#share);
    this.#cards = buildCatalogue(this.#settings).list();
    this.#health.configured(this.#settings.providers);
  }

  is(provider: string, manner: Manner): void {
    this.#manners.set(provider, manner);
  }

  /** Sends steady requests for this time. Returns the picks. */
  ask(selector: Selector, forMs: number, prompt = "What is the capital of France?"): readonly Pick[] {
    const from = this.picks.length;
    const untilMs = this.#nowMs + forMs;
    for (; this.#nowMs < untilMs; this.#advance(EVERY_MS)) this.request(selector, prompt);
    return this.picks.slice(from);
  }

  /** Returns the first in the plan of the next request. */
  next(selector: Selector, prompt?: string): string {
    return this.ask(selector, 1, prompt)[0]?.first ?? "";
  }

  /** Lets time pass without traffic. */
  rest(forMs: number): void {
    this.#advance(forMs);
  }

  request(selector: Selector, prompt: string): void {
    const request = { model: `Router#${selector}`, messages: [{ role: "user", content: prompt }] } as const;
    const conversation = makeConversation(`key ${this.#asked++}`, request);
    const { attempts, decision } = planCalls({
      ...describeChat(request),
      selection: { kind: "selector", selector: SELECTOR_RULES[selector], candidates: this.#cards },
      rules: this.#settings.router,
      readKnown: () => readKnown(this.#known, conversation, NOBODY),
      credentialsOf: (provider) =>
        this.#settings.providers.find(({ name }) => name === provider)?.credentials ?? [],
      roll: () => 0.5,
      conversation,
      health: this.#health,
      payer: NOBODY,
      nowMs: this.#nowMs,
    });
    const [first] = attempts;
    if (first) this.#health.countRequest(first.card, this.#nowMs, NOBODY);
    const chosen = decision?.choice?.split("#")[0] ?? "";
    this.#walk(attempts, { atMs: this.#nowMs, chosen, first: first?.card.provider ?? "" });
  }

  #walk([attempt, ...others]: readonly Attempt[], pick: Omit<Pick, "served">): void {
    const permit = attempt ? this.#health.begin(attempt, this.#nowMs) : null;
    if (attempt === undefined) this.picks.push({ ...pick, served: null });
    else if (permit === null) this.#walk(others, pick);
    else this.#try(attempt.card.provider, permit, others, pick);
  }

  #try(provider: string, permit: Permit, others: readonly Attempt[], pick: Omit<Pick, "served">): void {
    const manner = this.#manners.get(provider) ?? USUAL;
    const { failsAfterMs, restsMs } = manner;
    if (failsAfterMs === undefined && restsMs === undefined) {
      this.picks.push({ ...pick, served: provider });
      this.#answer(permit, manner);
      return;
    }
    this.#after(failsAfterMs ?? 0, () => {
      const fault =
        restsMs === undefined
          ? new Fault("upstream_error", "no", { upstreamStatus: 500 })
          : new Fault("provider_busy", "no", { upstreamStatus: 429, retryAfterMs: restsMs });
      permit.fail(this.#nowMs, fault);
      this.#walk(others, pick);
    });
  }

  #answer(permit: Permit, { firstTokenMs, tokensPerSecond }: Manner): void {
    const restMs = (ANSWER_TOKENS / tokensPerSecond) * SECOND;
    this.#after(firstTokenMs, () => permit.recordFirstPart(this.#nowMs));
    this.#after(firstTokenMs + restMs, () => permit.finish(this.#nowMs, ANSWER_TOKENS));
  }

  #after(delayMs: number, task: () => void): void {
    this.#due.push({ atMs: this.#nowMs + delayMs, task });
  }

  #advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = this.#due.filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#nowMs = next.atMs;
      next.task();
    }
    this.#nowMs = untilMs;
  }
}

/** The share of picks whose first provider is this one. */
export function computeShare(provider: string, picks: readonly Pick[]): number {
  return picks.filter(({ first }) => first === provider).length / picks.length;
}
