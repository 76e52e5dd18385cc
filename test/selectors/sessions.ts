// Simulated sessions of coding agents in the shapes of Claude Code and Codex: one growing prompt, tools, tool results.
// As a program it prints the cost of 200 of them: `bun test/selectors/sessions.ts [SESSIONS] [SELECTORS]`.
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import type { ChatMessage, ChatRequest } from "../../src/operations/chat/form.ts";
import { findNeeds } from "../../src/operations/chat/needs.ts";
import { choose } from "../../src/selectors/choose.ts";
import { estimateCost } from "../../src/selectors/expense.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { makeDice } from "./dice.ts";
import { RULES } from "./sample-cards.ts";
import { ownPrompts } from "./training/prompts.ts";

/** The characters of the system prompt, the most characters of a tool's result, and the number of tools. */
const SHAPES = [
  { system: 52_000, result: 12_000, tools: 20 },
  { system: 24_000, result: 6_000, tools: 9 },
] as const;
const TURNS_MIN = 20;
const TURNS_MAX = 100;
const CHARS_PER_TOKEN = 4;
const PREFIX_TOKENS_MIN = 1024;
const TOPICS = new Set(["agents", "coding", "debugging", "code_tracing", "analysis", "writing"]);

export interface SessionCosts {
  /** The cost in USD: by the selector's choices, and by `best`'s first choice throughout. */
  readonly chosenUsd: number;
  readonly championUsd: number;
  readonly turns: number;
  readonly changes: number;
}

interface Holder {
  readonly card: ModelCard;
  readonly tokens: number;
}

/** One session, the same for the same seed. If `staying` is false, the selector doesn't know the last turn's model. */
export function runSession(
  selector: "best" | "fair" | "light",
  seed: number,
  {
    cards = loadShippedCards(),
    staying = true,
  }: { readonly cards?: readonly ModelCard[]; readonly staying?: boolean } = {},
): SessionCosts {
  const dice = makeDice(seed);
  const { system, result, tools } = SHAPES[seed % SHAPES.length] ?? SHAPES[0];
  const prompts = ownPrompts(3, 5).filter(({ topic }) => TOPICS.has(topic));
  const turns = TURNS_MIN + Math.floor(dice() * (TURNS_MAX - TURNS_MIN));
  const messages: ChatMessage[] = [
    { role: "system", content: "You are a coding agent. ".repeat(system / 24) },
  ];
  const sums = { chosenUsd: 0, championUsd: 0, turns, changes: 0 };
  let holder: Holder | null = null;
  let champion: ModelCard | null = null;
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 15 === 0) {
      const { prompt = "" } = prompts[Math.floor(dice() * prompts.length)] ?? {};
      messages.push({ role: "user", content: prompt });
    }
    const request: ChatRequest = { model: "", messages: [...messages], tools: makeTools(tools) };
    const tokens = Math.round(countCharacters(messages) / CHARS_PER_TOKEN);
    champion ??= decide("best", request, cards, null);
    const chosen = decide(selector, request, cards, staying ? holder : null);
    const answer = 80 + Math.floor(dice() * 500);
    const before = turn === 0 ? 0 : (holder?.tokens ?? 0);
    sums.chosenUsd += bill(chosen, tokens, holder?.card === chosen ? before : 0, answer);
    sums.championUsd += bill(champion, tokens, before, answer);
    if (holder !== null && holder.card !== chosen) sums.changes++;
    holder = { card: chosen, tokens };
    const id = `call_${turn}`;
    const call = {
      id,
      type: "function",
      function: { name: "tool_0", arguments: '{"path":"a.ts"}' },
    } as const;
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: id, content: "x ".repeat((dice() * result) / 2) });
  }
  return sums;
}

function decide(
  selector: "best" | "fair" | "light",
  request: ChatRequest,
  cards: readonly ModelCard[],
  holder: Holder | null,
): ModelCard {
  // Half of the tokens read before, as for a model without reports of its caching.
  const cached = holder && { cardId: holder.card.id, tokens: Math.round(holder.tokens / 2) };
  const input = {
    request,
    needs: findNeeds(request),
    cards,
    rules: RULES,
    quality: 0.98,
    cached: () => cached,
  };
  const { choice } = choose(SELECTOR_RULES[selector], input);
  if (choice === null) throw new Error("No model can serve the session.");
  return choice;
}

/** The provider serves from its cache all that the same model has read in the turn before. */
function bill({ price }: ModelCard, tokens: number, before: number, answer: number): number {
  const held = before >= PREFIX_TOKENS_MIN ? before : 0;
  return price === null ? 0 : estimateCost(price, tokens, held, answer, 0);
}

function makeTools(count: number): NonNullable<ChatRequest["tools"]> {
  return Array.from({ length: count }, (_, at) => ({
    type: "function" as const,
    function: {
      name: `tool_${at}`,
      description: "Reads a file. ".repeat(40),
      parameters: { type: "object" },
    },
  }));
}

function countCharacters(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + (typeof content === "string" ? content.length : 60), 0);
}

function report(selector: "best" | "fair" | "light", sessions: number, staying: boolean): string {
  const cards = loadShippedCards().filter(({ contextTokensMax }) => (contextTokensMax ?? 0) >= 400_000);
  const all = Array.from({ length: sessions }, (_, seed) => runSession(selector, seed, { cards, staying }));
  const sum = (value: (one: SessionCosts) => number) => all.reduce((total, one) => total + value(one), 0);
  const dearer = all.filter(({ chosenUsd, championUsd }) => chosenUsd > championUsd * 1.000001).length;
  const share = sum(({ chosenUsd }) => chosenUsd) / sum(({ championUsd }) => championUsd);
  const changes = sum((one) => one.changes) / sessions;
  const turns = sum((one) => one.turns) / sessions;
  return `| ${selector} | ${staying ? "stays" : "chooses each turn anew"} | ${sessions} | ${turns.toFixed(0)} | ${changes.toFixed(2)} | ${(100 * share).toFixed(1)} % | ${dearer} |`;
}

if (import.meta.main) {
  const sessions = Number(process.argv[2] ?? 200);
  const asked = process.argv[3]?.split(",") ?? ["best", "fair", "light"];
  console.log(
    "| selector | conversation | sessions | turns | changes a session | cost beside the champion's | sessions dearer |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const selector of ["best", "fair", "light"] as const)
    if (asked.includes(selector))
      for (const staying of [false, true]) console.log(report(selector, sessions, staying));
}
