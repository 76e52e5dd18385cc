// Conversations over gateways that share no memory: their turns go to any of them, and keep their model.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, asString } from "../../../src/core/json/json.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { makeDice } from "../../selectors/dice.ts";
import { looked, post, routed } from "../../selectors/fixture.ts";
import { CODE, TRIVIA } from "../../selectors/sample-cards.ts";

const GATEWAYS = 4;
const CONVERSATIONS = IS_LONG ? 200 : 8;
const TURNS = 6;
const MOVED_SHARE_MAX = 0.02;
/** Between equal models, costs that each gateway has measured itself decide, so these are clear. */
const PROMPTS = [CODE, TRIVIA];
const OTHERS =
  "math: 0.8, reasoning: 0.8, science: 0.8, language: 0.8, data: 0.8, instruction: 0.8, tools: 0.8";

/** Two models: the better one depends on the prompt. */
const settings = (url: string) => `
  Acme:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models:
      - { name: coder, context: 100000, output: 4096, price: { input: 2, output: 10 }, capabilities: [tools] }
      - { name: sage, context: 100000, output: 4096, price: { input: 2, output: 12 }, capabilities: [tools] }
models:
  "Acme#coder": { skills: { ${OTHERS}, coding: 0.97, knowledge: 0.5 } }
  "Acme#sage": { skills: { ${OTHERS}, coding: 0.5, knowledge: 0.97 } }
`;

interface Node {
  readonly gateway: UnderTest;
  /** Of a key that may use the two models alone. */
  readonly secret: string;
}

let nodes: readonly Node[];
beforeAll(async () => {
  nodes = await Promise.all(
    Array.from({ length: GATEWAYS }, async () => {
      const gateway = await startUnderTest({ more: settings });
      const key = { allowed_models: ["Acme#coder", "Acme#sage"], requests_per_day: null };
      return { gateway, secret: (await gateway.newKey(key)).secret };
    }),
  );
});
afterAll(() => Promise.all(nodes.map(({ gateway }) => gateway.stop())));

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
async function converse(selector: string, seed: number, on = nodes): Promise<readonly Turn[]> {
  const dice = makeDice(seed + 1);
  const messages: ChatMessage[] = [
    { role: "system", content: `${selector} ${seed} ${"You help. ".repeat(800)}` },
  ];
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const isLooping = turn % 3 !== 0;
    if (!isLooping) messages.push({ role: "user", content: pick(PROMPTS, dice) });
    const { gateway, secret } = pick(on, dice);
    const body = { model: `Router#${selector}`, messages, max_tokens: 20 };
    const view = await routed(gateway, body, { secret });
    const answer = await post(gateway, "/v1/chat/completions", body, { secret });
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

test.each(["best", "fair"])("of Router#%s keep it on four gateways as on one", async (selector) => {
  for (const on of [nodes.slice(0, 1), nodes]) {
    const all = await Promise.all(
      Array.from({ length: CONVERSATIONS }, (_, at) => converse(selector, at + 1000 * on.length, on)),
    );
    const later = all.flatMap((turns) =>
      turns.slice(1).map((turn, at) => ({ ...turn, isMoved: turn.model !== turns[at]?.model })),
    );
    const moved = later.filter(({ isMoved }) => isMoved);
    expect(moved.length).toBeLessThanOrEqual(MOVED_SHARE_MAX * later.length);
    expect(moved.filter(({ isLooping }) => isLooping)).toEqual([]);
    expect(later.filter(({ isMoved, because }) => !isMoved && because === "")).toEqual([]);
    expect(new Set(all.map(([first]) => first?.model)).size).toBe(2);
    const reasons = new Set(later.map(({ because }) => because));
    expect(reasons.has("tool_loop")).toBe(true);
    expect(reasons.has("opening")).toBe(on.length > 1);
  }
});

test("say in the log's row why they stay", async () => {
  const [node] = nodes;
  if (node === undefined) throw new RangeError("There is no gateway.");
  const messages = [
    { role: "user", content: TRIVIA },
    { role: "assistant", content: "King John." },
    { role: "user", content: CODE },
  ];
  const { gateway, secret } = node;
  const body = { model: "Router#best", messages };
  const answer = await post(gateway, "/v1/chat/completions", body, { secret });
  expect(answer.headers.get("x-poundkey-model")).toBe("Acme#sage");
  expect(answer.headers.get("x-poundkey-why")).toBe(
    "sage: stays with the conversation, for whose opening it is chosen",
  );
  const row = await looked(gateway, `/requests/${asString(answer.body.id) ?? ""}`);
  expect(asObject(row.decision).stays).toEqual({ because: "opening", cached_tokens: 0, thinking_tokens: 0 });
});
