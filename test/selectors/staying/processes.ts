// Simulated conversations on processes that share no memory: agents in loops of tools, and chats of several topics, each turn
// on a process of its own. Every answer has thinking in the form of its model's family.
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { NOBODY } from "../../../src/core/keys/payer.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { Selector, StayReason } from "../../../src/core/models/selector.ts";
import { findThinkingFormat } from "../../../src/core/models/thinking/readers.ts";
import { planCalls } from "../../../src/gateway/plan/plan.ts";
import { type KnownPorts, readKnown } from "../../../src/gateway/plan/plan-request.ts";
import { Caches } from "../../../src/health/caches.ts";
import { Health } from "../../../src/health/health.ts";
import { Stickiness } from "../../../src/health/stickiness.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { SELECTOR_RULES } from "../../../src/selectors/index.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { describeChat, makeConversation } from "../../harness/conversation.ts";
import { NO_LEARNING } from "../../learning/no-learning.ts";
import { makeDice } from "../dice.ts";
import { RULES } from "../sample-cards.ts";
import { ownPrompts } from "../training/prompts.ts";

const MINUTE_MS = 60_000;
const TURNS = 6;
const CREDENTIALS = [{ secret: "s", weight: 1 }] as const;
const TOPICS = new Set(["agents", "coding", "debugging", "code_tracing", "analysis", "writing"]);
const PROMPTS = ownPrompts(3, 5).filter(({ topic }) => TOPICS.has(topic));
const TOOLS: NonNullable<ChatRequest["tools"]> = Array.from({ length: 8 }, (_, at) => ({
  type: "function",
  function: { name: `tool_${at}`, description: "Reads a file. ".repeat(20), parameters: { type: "object" } },
}));
/** Models with room for any of these conversations. */
const CARDS = loadShippedCards().filter(({ contextTokensMax }) => (contextTokensMax ?? 0) >= 400_000);

interface Chosen {
  readonly card: ModelCard;
  readonly stays: StayReason | null;
}

/** One gateway's process, and the knowledge that it has alone. */
class Process {
  #nowMs = 0;
  readonly #health = new Health(() => {});
  readonly #known: KnownPorts;

  constructor() {
    const clock = { nowMs: () => this.#nowMs, monotonicMs: () => this.#nowMs };
    this.#known = {
      health: this.#health,
      learning: NO_LEARNING,
      caches: new Caches(),
      stickiness: new Stickiness(),
      deadlines: new DeadlineSweep({ ...clock, after: () => () => {}, every: () => () => {} }),
    };
  }

  /** Serves a request with the first of its plan. */
  serve(selector: Selector, request: ChatRequest, nowMs: number): Chosen {
    this.#nowMs = nowMs;
    const conversation = makeConversation("key", request);
    const { stickiness } = this.#known;
    const { attempts, decision } = planCalls({
      ...describeChat(request),
      selection: { kind: "selector", selector: SELECTOR_RULES[selector], candidates: CARDS },
      rules: RULES,
      readKnown: () => readKnown(this.#known, conversation, NOBODY),
      credentialsOf: () => CREDENTIALS,
      roll: () => 0.5,
      conversation,
      health: this.#health,
      payer: NOBODY,
      nowMs,
    });
    const [first] = attempts;
    if (first === undefined) throw new Error("No model can serve the conversation.");
    stickiness.keep(conversation, first, nowMs);
    return { card: first.card, stays: decision?.stays?.because ?? null };
  }
}

export interface Moves {
  /** Turns behind the first of their conversation. */
  readonly turns: number;
  /** Those that another model served than the turn before. */
  readonly moved: number;
  readonly movedInLoops: number;
  /** Those with the model of the turn before that don't say why. */
  readonly unsaid: number;
  readonly reasons: Readonly<Record<string, number>>;
}

/** Runs conversations, each turn on any of the processes. The same for the same number of them. */
export function runConversations(selector: Selector, conversations: number, processes: number): Moves {
  const all = Array.from({ length: processes }, () => new Process());
  const sums = { turns: 0, moved: 0, movedInLoops: 0, unsaid: 0 };
  const reasons: Record<string, number> = {};
  for (let seed = 0; seed < conversations; seed++) {
    const dice = makeDice(seed + 1);
    const isAgent = seed % 2 === 0;
    const system = isAgent
      ? "You are a coding agent. ".repeat(600)
      : "You help with everything. ".repeat(300);
    const messages: ChatMessage[] = [{ role: "system", content: `${seed} ${system}` }];
    let before: ModelCard | null = null;
    for (let turn = 0; turn < TURNS; turn++) {
      const isLooping = isAgent && turn % 3 !== 0;
      if (!isLooping) messages.push({ role: "user", content: pickPrompt(dice) });
      const request = { model: "", messages: [...messages], ...(isAgent ? { tools: TOOLS } : {}) };
      const on = all[Math.floor(dice() * processes)];
      if (on === undefined) throw new RangeError("There is no such process.");
      const { card, stays } = on.serve(selector, request, (seed * TURNS + turn) * MINUTE_MS);
      if (before !== null) {
        sums.turns++;
        if (card !== before) sums.moved++;
        if (card !== before && isLooping) sums.movedInLoops++;
        if (card === before && stays === null) sums.unsaid++;
        if (stays !== null) reasons[stays] = (reasons[stays] ?? 0) + 1;
      }
      before = card;
      messages.push(...answer(card, isAgent && turn % 3 !== 2, turn));
    }
  }
  return { ...sums, reasons };
}

function pickPrompt(dice: () => number): string {
  return PROMPTS[Math.floor(dice() * PROMPTS.length)]?.prompt ?? "";
}

/** An answer with a call and its result, or a text. */
function answer(card: ModelCard, isCall: boolean, turn: number): readonly ChatMessage[] {
  const format = findThinkingFormat(card);
  const details = [
    { type: "reasoning.text" as const, format: format ?? "", index: 0, signature: "c2ln".repeat(2000) },
  ];
  const thinking = format === null ? {} : { reasoning_details: details };
  if (!isCall) return [{ role: "assistant", content: "Done. ".repeat(100), ...thinking }];
  const id = `call_${turn}`;
  const call = { id, type: "function", function: { name: "tool_0", arguments: "{}" } } as const;
  return [
    { role: "assistant", content: null, tool_calls: [call], ...thinking },
    { role: "tool", tool_call_id: id, content: "x ".repeat(2000) },
  ];
}

if (import.meta.main)
  for (const selector of ["best", "fair", "light"] as const)
    for (const processes of [1, 4])
      console.log(selector, processes, JSON.stringify(runConversations(selector, 200, processes)));
