// Lessons on what is refused only beside something else, by made rules of servers: what a server takes is left alone once
// requests like it were answered, however many payers met the refusal.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { readShape } from "../../src/core/models/learned/condition.ts";
import type { Refusal } from "../../src/core/models/refusals.ts";
import { LearnedRefusals } from "../../src/health/refusals.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeDice, shuffled } from "../selectors/dice.ts";

const CARD = makeModelCard("House#small", {});
const OPTIONAL = ["seed", "stop", "top_p", "user", "logprobs", "tools", "stream", "presence_penalty"];
const LEVELS = ["none", "low", "high"];
const PAYERS = ["ann", "ben", "cat"];
const REFUSED: Refusal = "temperature";
const WORDS: readonly Refusal[] = [REFUSED];
const RULES = 1000;
/** In each round every payer sends each of a rule's requests, in an order of its own. */
const REQUESTS = 8;
const ROUNDS = 6;

/** True for a request of which the server refuses the temperature. */
type Rule = (body: JsonObject) => boolean;

const KINDS: readonly ((one: string, two: string) => Rule)[] = [
  (one) => (body) => one in body,
  (one, two) => (body) => one in body || two in body,
  (one) => (body) => !(one in body),
  () => (body) => body.reasoning_effort === "high",
];

/** A server with a rule, the gateway's lessons on it, and what its requests met. */
class Played {
  readonly known = new LearnedRefusals();
  refusals = 0;
  /** Sent without the temperature, although the server takes it. */
  wrong = 0;

  readonly refuses: Rule;

  constructor(refuses: Rule) {
    this.refuses = refuses;
  }

  /** A payer's request is sent as the lessons say, and once more if it is refused. */
  ask(body: JsonObject, payer: string, nowMs: number): void {
    const request = { shape: readShape(body, []) };
    const asker = { payer };
    const left = this.known.list(CARD, nowMs, asker, request);
    const wasSent = () => "temperature" in body;
    if (left?.has(REFUSED) && wasSent()) {
      if (!this.refuses(body)) this.wrong++;
    } else if (wasSent() && this.refuses(body)) {
      this.refusals++;
      this.known.teach(asker, CARD, new Set(WORDS));
      this.known.learn(CARD, WORDS, nowMs, payer, request.shape);
      this.known.confirm(CARD, WORDS, nowMs);
    } else this.known.recordAnswered(CARD, request, left, nowMs, wasSent);
  }
}

function makeBody(dice: () => number): JsonObject {
  const optional = OPTIONAL.filter(() => dice() < 0.4).map((name) => [name, dice() < 0.5] as const);
  const level = LEVELS[Math.floor(dice() * 6)];
  return {
    model: "small",
    messages: [],
    ...(dice() < 0.8 ? { temperature: 0.3 } : {}),
    ...(level === undefined ? {} : { reasoning_effort: level }),
    ...Object.fromEntries(optional),
  };
}

/** Plays a rule: a payer meets it, others send what the server takes, as they did before, and then all send anything. */
function play(seed: number): readonly [late: number, wrong: number] {
  const dice = makeDice(seed);
  const [one = 0, two = 0] = shuffled(OPTIONAL.length, seed);
  const makeRule = KINDS[seed % KINDS.length];
  const played = new Played(makeRule?.(OPTIONAL[one] ?? "", OPTIONAL[two] ?? "") ?? (() => false));
  const bodies = Array.from({ length: REQUESTS }, () => makeBody(dice));
  const [first] = bodies.filter((body) => "temperature" in body && played.refuses(body));
  if (first !== undefined) played.ask(first, "ann", 0);
  for (const body of bodies) if (!played.refuses(body)) played.ask(body, "cat", 0);
  let early = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of shuffled(REQUESTS * PAYERS.length, seed * ROUNDS + round))
      played.ask(bodies[at % REQUESTS] ?? {}, PAYERS[Math.floor(at / REQUESTS)] ?? "", round * 1000 + at);
    if (round === 0) early = played.refusals;
  }
  return [played.refusals - early, played.wrong];
}

test("a thousand rules: what a server takes isn't left out, and what it refuses is, after the first round", () => {
  const played = Array.from({ length: RULES }, (_, seed) => play(seed));
  expect(played.filter(([late, wrong]) => late + wrong > 0)).toEqual([]);
});
