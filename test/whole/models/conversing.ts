// Conversations of several tasks with loops of tools, each turn at any of several gateways that choose among two models.
import { expect } from "bun:test";
import { asObject, asString } from "../../../src/core/json/json.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import { makeDice } from "../../selectors/dice.ts";
import { type Asked, post, routed } from "../../selectors/fixture.ts";
import { CODE, TRIVIA } from "../../selectors/sample-cards.ts";

const TURNS = 6;
const MOVED_SHARE_MAX = 0.02;
/** Between equal models, costs that each gateway has measured itself decide, so these are clear. */
const PROMPTS = [CODE, TRIVIA];
const OTHERS =
  "math: 0.8, reasoning: 0.8, science: 0.8, language: 0.8, data: 0.8, instruction: 0.8, tools: 0.8";

/** A provider with two models: the better one depends on the prompt. */
export const composeAcme = (url: string) => `  Acme:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models:
      - { name: coder, context: 100000, output: 4096, price: { input: 2, output: 10 }, capabilities: [tools] }
      - { name: sage, context: 100000, output: 4096, price: { input: 2, output: 12 }, capabilities: [tools] }
models:
  "Acme#coder": { skills: { ${OTHERS}, coding: 0.97, knowledge: 0.5 } }
  "Acme#sage": { skills: { ${OTHERS}, coding: 0.5, knowledge: 0.97 } }
router: { explore: 0 }
`;

/** The fields of a key that may use the two models alone. */
export const ACME_KEY = { allowed_models: ["Acme#coder", "Acme#sage"], requests_per_day: null };

function pick<One>(all: readonly One[], dice: () => number): One {
  const one = all[Math.floor(dice() * all.length)];
  if (one === undefined) throw new RangeError("There is nothing to pick from.");
  return one;
}

interface Turn {
  readonly model: string;
  readonly because: string;
  readonly isLooping: boolean;
}

/** Runs a conversation, each turn on any of the gateways. Every third turn is a task, the others are results of calls. */
async function converse(selector: string, seed: number, on: readonly Asked[]): Promise<readonly Turn[]> {
  const dice = makeDice(seed + 1);
  const messages: ChatMessage[] = [
    { role: "system", content: `${selector} ${seed} ${"You help. ".repeat(800)}` },
  ];
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const isLooping = turn % 3 !== 0;
    if (!isLooping) messages.push({ role: "user", content: pick(PROMPTS, dice) });
    const gateway = pick(on, dice);
    const body = { model: `Router#${selector}`, messages, max_tokens: 20 };
    const view = await routed(gateway, body);
    const answer = await post(gateway, "/v1/chat/completions", body);
    const model = answer.headers.get("x-poundkey-model") ?? "";
    expect([answer.status, model]).toEqual([200, asString(view.choice) ?? ""]);
    turns.push({ model, because: asString(asObject(view.stays).because) ?? "", isLooping });
    const id = `call_${turn}`;
    const call = { id, type: "function", function: { name: "f", arguments: "{}" } } as const;
    if (turn % 3 === 2) messages.push({ role: "assistant", content: "Done. ".repeat(50) });
    else messages.push({ role: "assistant", content: null, tool_calls: [call] });
    if (turn % 3 !== 2) messages.push({ role: "tool", tool_call_id: id, content: "done ".repeat(100) });
  }
  return turns;
}

interface Conversed {
  /** Turns behind the first of their conversation. */
  readonly turns: number;
  readonly moved: number;
  /** Those with the model of the turn before, by the reason that they give. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Runs conversations on these gateways, as many at once, and checks that they keep their models. */
export async function expectStaying(
  selector: string,
  on: readonly Asked[],
  conversations: number,
  atOnce = conversations,
): Promise<Conversed> {
  const all: (readonly Turn[])[] = [];
  const seeds = Array.from({ length: conversations }, (_, at) => at + 1000 * on.length);
  const work = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop())
      all.push(await converse(selector, seed, on));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const later = all.flatMap((turns) =>
    turns.slice(1).map((turn, at) => ({ ...turn, isMoved: turn.model !== turns[at]?.model })),
  );
  const moved = later.filter(({ isMoved }) => isMoved);
  expect(moved.length).toBeLessThanOrEqual(MOVED_SHARE_MAX * later.length);
  expect(moved.filter(({ isLooping }) => isLooping)).toEqual([]);
  const stayed = later.filter(({ isMoved }) => !isMoved);
  expect(stayed.filter(({ because }) => because === "")).toEqual([]);
  expect(new Set(all.map(([first]) => first?.model)).size).toBe(2);
  const by = Object.groupBy(stayed, ({ because }) => because);
  const reasons = Object.fromEntries(Object.entries(by).map(([name, own = []]) => [name, own.length]));
  // Only a process that hasn't seen a conversation asks what its opening leads to.
  expect(Object.keys(reasons)).toContain("tool_loop");
  expect("opening" in reasons).toBe(on.length > 1);
  return { turns: later.length, moved: moved.length, reasons };
}
