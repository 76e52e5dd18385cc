// Generated interactions and the same chat completions, in pairs: each pair's rows and books are equal to the nano-dollar.
// The long form plays 2,000 requests.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";
import { type MoneyWorld, type Payer, readSums, startMoneyWorld } from "../world/money-world.ts";

const PAIRS = IS_LONG ? 1000 : 30;
const LONG_MS = 600_000;
const SEED = 20_261_127;

const MODELS = [
  "Acme#sim",
  "Acme#sim-think",
  "Acme#sim~tokens=1000:500",
  "Acme#sim~tokens=1001:501:333",
  "Acme#sim~tokens=134000:4096",
  "Acme#sim~trouble=no-usage",
  "Acme#toll~tokens=1000:500",
  "Claude#sim~trouble=odd-usage~tokens=1000:500",
  "Claude#sim-think~tokens=1000:500:100:50",
  "Gemini#sim~tokens=1000:500",
  "Gemini#sim-think~tokens=1000:500:100:50",
];
const LOOK = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
/** The same conversation in both forms. */
interface Twins {
  readonly steps: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
}

let world: MoneyWorld;
beforeAll(async () => {
  world = await startMoneyWorld();
});
afterAll(() => world.stop());

function say(text: string): JsonObject {
  return { type: "text", text };
}

function makeEarlierTurn(dice: Dice, at: number): Twins {
  const [asked, answer] = [`question ${at} `.repeat(dice.int(1, 9)), `answer ${at}`];
  const asking = { type: "user_input", content: [say(asked)] };
  const user = { role: "user", content: [say(asked)] };
  if (dice.chance(0.5)) {
    return {
      steps: [asking, { type: "model_output", content: [say(answer)] }],
      messages: [user, { role: "assistant", content: answer }],
    };
  }
  const id = `call_${at}`;
  return {
    steps: [
      asking,
      { type: "function_call", id, name: LOOK.name, arguments: { at } },
      { type: "function_result", call_id: id, name: LOOK.name, result: answer },
    ],
    messages: [
      user,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: LOOK.name, arguments: `{"at":${at}}` } }],
      },
      { role: "tool", tool_call_id: id, content: answer },
    ],
  };
}

function makePair(dice: Dice): { readonly interaction: JsonObject; readonly chat: JsonObject } {
  const turns = Array.from({ length: dice.int(0, 3) }, (_, at) => makeEarlierTurn(dice, at));
  const last = dice.chance(0.3)
    ? `call look({"at":${dice.int(1, 9)}})`
    : `say: ${"a b ".repeat(dice.int(1, 40))}`;
  const stream = dice.chance(0.5);
  const model = dice.pick(MODELS);
  const hasLimit = dice.chance(0.6);
  const limit = dice.int(20, 4000);
  const thinks = dice.chance(0.3);
  const heat = dice.chance(0.3) ? { temperature: 0.5 } : {};
  return {
    interaction: {
      model,
      stream,
      input: [...turns.flatMap(({ steps }) => steps), { type: "user_input", content: [say(last)] }],
      tools: [{ type: "function", ...LOOK }],
      generation_config: {
        ...heat,
        ...(hasLimit ? { max_output_tokens: limit } : {}),
        ...(thinks ? { thinking_level: "low" } : {}),
      },
    },
    chat: {
      model,
      stream,
      messages: [...turns.flatMap(({ messages }) => messages), { role: "user", content: [say(last)] }],
      tools: [{ type: "function", function: LOOK }],
      ...heat,
      ...(hasLimit ? { max_completion_tokens: limit } : {}),
      ...(thinks ? { reasoning_effort: "low" } : {}),
    },
  };
}

/** Sends a body twice, as two requests or as one that is repeated, and returns the statuses. */
async function sendTwice(path: string, { secret }: Payer, body: JsonObject, repeats: boolean) {
  const statuses: number[] = [];
  for (let time = 0; time < 2; time++) {
    const response = await fetch(world.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        ...(repeats ? { "idempotency-key": "once" } : {}),
      },
      body: JSON.stringify(body),
    });
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}

/** The parts of the rows and of the books that don't name the request. */
async function readBill(payer: Payer, count: number): Promise<unknown> {
  const { entries, balance, held, requests, used } = await world.settled(payer, count);
  const rows = requests.map((row) => ({
    outcome: row.outcome,
    prompt: row.prompt_tokens,
    completion: row.completion_tokens,
    cached: row.cached_tokens,
    reasoning: row.reasoning_tokens,
    hold: row.hold_nano,
    cost: row.cost_nano,
    charged: row.charged_nano,
    source: row.usage_source,
  }));
  const moves = entries.map(({ kind, balance_nano, held_nano }) => ({ kind, balance_nano, held_nano }));
  return { moves, balance, held, used, rows };
}

test(
  "each pair costs, holds, is charged and takes a place alike",
  async () => {
    const dice = new Dice(SEED);
    const outcomes = new Set<number>();
    for (let number = 0; number < PAIRS; number++) {
      const { interaction, chat } = makePair(dice);
      const repeats = dice.chance(0.2);
      const isFree = dice.chance(0.2);
      const usd = isFree ? 0 : dice.pick([0.000001, 0.0005, 1, 10]);
      const fields = isFree ? { requests_per_day: 1 } : {};
      const [one, other] = [await world.payer(usd, fields), await world.payer(usd, fields)];
      const own = await sendTwice("/v1/interactions", one, interaction, repeats);
      const twin = await sendTwice("/v1/chat/completions", other, chat, repeats);
      const place = `pair ${number} of seed ${SEED}: ${JSON.stringify(interaction)}`;
      expect({ place, statuses: own }).toEqual({ place, statuses: twin });
      const settled = repeats ? 1 : own.filter((status) => status === 200).length;
      const [bill, twins] = [await readBill(one, settled), await readBill(other, settled)];
      expect({ place, bill }).toEqual({ place, bill: twins });
      for (const status of own) outcomes.add(status);
    }
    expect([...outcomes].toSorted()).toEqual([200, 429]);
    expect(readSums(world.directory)).toMatchObject({
      holds: 0,
      held: 0,
      wrong_balances: 0,
      wrong_entries: 0,
    });
  },
  LONG_MS,
);
