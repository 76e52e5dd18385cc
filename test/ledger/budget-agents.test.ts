// A coding agent under a budget of $5 a day: a model, four subagents, and a prefix of 150,000 tokens that they share.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { random } from "../../src/app/world.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { listBillLines, sumBill } from "../../src/core/money/price.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import type { Store } from "../../src/core/store.ts";
import { reserveKnown } from "../../src/gateway/plan/reserving.ts";
import { KnownPrompts, Prompt } from "../../src/health/prompts.ts";
import type { Ticket } from "../../src/ledger/ledger.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { digestPrompt } from "../../src/operations/chat/prompt/digest-prompt.ts";
import { makeModelCard } from "../harness/cards.ts";
import { expectGrant, ledgerOn, makeAsk, makeKey, makeOutcome, openMemoryStore } from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";

const USD = 1_000_000_000;
const PREFIX_TOKENS = 150_000;
const TURN_TOKENS = 3000;
const OUTPUT_TOKENS = 800;
const BYTES_PER_TOKEN = 4;
const CARD: ModelCard = makeModelCard("Anthropic#claude-opus-4-8", {
  contextTokensMax: 200_000,
  outputTokensMax: 64_000,
  price: { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 },
});
const PREFIX = "shared words ".repeat(Math.ceil((PREFIX_TOKENS * BYTES_PER_TOKEN) / 13));
const budget = { nanoUsd: 5 * USD, per: "day", models: null, warn: [], isHard: true, extra: null } as const;
const key = makeKey("key_a", { requestsPerDay: null, budgets: [budget] });

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore(key);
});
afterEach(() => store.close());

/** An agent's conversation, which grows with each turn. */
class Agent {
  readonly messages: ChatMessage[];
  readonly #prompts: KnownPrompts;
  #prompt: Prompt | null = null;

  constructor(name: string, prompts: KnownPrompts) {
    this.#prompts = prompts;
    this.messages = [
      { role: "system", content: PREFIX },
      { role: "user", content: `You are ${name}.` },
    ];
  }

  makeOffers(isReserving: boolean) {
    const request: ChatRequest = { model: CARD.id, messages: this.messages, max_tokens: 32_000 };
    const terms = { isLimitRequired: true, answersPerCall: 1, searches: 0, unreadBytes: 0 };
    const offers = [CHAT.offer(request, CARD, terms)];
    const prompt = new Prompt(key.id, {
      digestPrompt: (makeHasher) => digestPrompt(request, null, makeHasher),
    });
    this.#prompt = prompt;
    const ports = { prompts: this.#prompts, deadlines: { nowMs: () => 0, watch: () => never() } };
    return isReserving ? reserveKnown(ports, { prompt }, [CARD], offers) : offers;
  }

  /** Goes on after an answer, as the gateway remembers it. */
  turn(cachedTokens: number): void {
    if (this.#prompt === null) throw new Error("Nothing was asked.");
    this.#prompts.note(this.#prompt, { card: CARD, promptTokens: cachedTokens, cachedTokens }, 0);
    this.messages.push({ role: "assistant", content: "done" });
    this.messages.push({ role: "user", content: "more words ".repeat((TURN_TOKENS * BYTES_PER_TOKEN) / 11) });
  }
}

function never(): never {
  throw new Error("No deadline is watched here.");
}

test("spends at least 85 % of it before the first refusal for good, with five requests at a time", async () => {
  const ledger = ledgerOn(store);
  const prompts = new KnownPrompts(random);
  const agents = ["the model", "one", "two", "three", "four"].map((name) => new Agent(name, prompts));
  let spent = 0;
  let count = 0;
  let reserved = 0;
  for (let isOver = false; !isOver; ) {
    const flying: { agent: Agent; ticket: Ticket }[] = [];
    for (const agent of agents) {
      const offers = (isReserving: boolean) => agent.makeOffers(isReserving);
      const ticket = ledger.ticket(makeAsk(`request ${count++}`, key, { offers }));
      const code = readCode(await catchThrown(expectGrant(ledger, ticket)));
      if (code === undefined) flying.push({ agent, ticket });
      else if (code === "budget_reserved") reserved++;
      else isOver = code === "budget_exceeded";
      if (isOver) break;
      // The subagents begin once the model has begun.
      if (spent === 0) break;
    }
    expect(isOver || flying.length > 0).toBe(true);
    for (const { agent, ticket } of flying) {
      const isFirst = spent === 0;
      const turns = agent.messages.length / 2 - 1;
      const cached = isFirst ? 0 : PREFIX_TOKENS + Math.max(0, turns - 1) * TURN_TOKENS;
      const written = isFirst ? PREFIX_TOKENS : TURN_TOKENS;
      const prompt = cached + written;
      const amounts = { ...NO_AMOUNTS, prompt, cached, cacheWrite: written, completion: OUTPUT_TOKENS };
      const costNanoUsd = sumBill(listBillLines(CARD.price ?? { input: 0, output: 0 }, amounts), 1);
      await ledger.settle(ticket, makeOutcome(ticket, { amounts, costNanoUsd, modelUsed: CARD.id }));
      agent.turn(cached + written);
      spent += costNanoUsd;
    }
  }
  console.log(`spent ${(spent / USD).toFixed(2)} of 5 USD; ${reserved} times the rest was reserved`);
  expect(spent).toBeGreaterThanOrEqual(0.85 * budget.nanoUsd);
  expect(spent).toBeLessThanOrEqual(budget.nanoUsd);
}, 300_000);
