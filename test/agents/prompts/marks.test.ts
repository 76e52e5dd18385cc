// Clients that mark nothing for Claude's cache: what the gateway's marks save them, by a provider that keeps prompts as the vendor
// says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { doorTo } from "../../clients/setting.ts";
import { IS_LONG } from "../../harness/long.ts";
import { type InputPrices, priceInput } from "../../whole/marks/claude-cache.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "../agents.ts";
import { type AgentWorld, startAgentWorld } from "../world.ts";
import { type Asked, CachedClaude } from "./cached-claude.ts";

/** As the catalogue has them for Claude Opus 5.5. */
const PRICES: InputPrices = { input: 4, cached_input: 0.2, cache_write: 5 };
const WORD = "the word is zebra";
const LAST = "that-is-all";
const COMMANDS = [
  ["seq 1 300", "seq 301 600", "seq 601 900"],
  ["seq 901 1200", "seq 1201 1500"],
];
/** Those of both prompts, with an answer at the end of each. */
const TURNS = COMMANDS.flat().length + COMMANDS.length;

const claude = new CachedClaude(WORD);
let world: AgentWorld;
beforeAll(async () => {
  world = await startAgentWorld(
    (url) => {
      const row = `dialect: anthropic, base_url: "${url}/anthropic/v1", keys: [sim-key], models: [{ name: claude-opus-5-5, like: "Anthropic#claude-opus-5-5" }]`;
      // An agent may mark prompts itself where it reads that the model is Claude.
      const aliases = 'unmarked: "Unmarked#claude-opus-5-5", marked: "Marked#claude-opus-5-5"';
      return `  Unmarked: { ${row}, cache_marks: off }\n  Marked: { ${row} }\naliases: { ${aliases} }`;
    },
    { fetch: claude.fetch },
  );
});
afterAll(async () => {
  console.log([head, ...seen].join("\n"));
  await world.stop();
});
const places = Array.from({ length: TURNS }, (_, at) => `turn ${at + 1}`);
const head = ["client", "marks", ...places, "all of its input, in USD"].join(" | ");
const seen: string[] = [];

interface Run {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
}

/** Returns a prompt for each list of commands. */
function writePrompts(write: (command: string) => string): readonly string[] {
  return COMMANDS.map((commands) => {
    const steps = [...commands.map(write), `say: ${LAST}`];
    return [WORD, ...steps.map((step, at) => `step ${at + 1}: ${step}`)].join("\n");
  });
}

/** Returns what it printed last. */
async function playAgent(agent: Agent, run: Run): Promise<string> {
  const prompts = writePrompts((command) => writeCall([agent.tool, agent.input(command)]));
  const home = world.makeHome();
  let printed = "";
  for (const [at, prompt] of prompts.entries())
    printed = await runAgent(agent, { ...run, home, prompt, goesOn: at > 0 });
  return printed;
}

const INSTRUCTIONS = "You run commands, and say what they have printed. ".repeat(400);

/** Returns the last answer. `more` are fields of each request. */
async function playSdk({ url, secret, model }: Run, more: { readonly prompt_cache_key?: string }) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
  const parameters = z.object({ command: z.string() });
  const run = zodFunction({ name: "run", parameters, function: ({ command }) => command.repeat(100) });
  let messages: ChatCompletionMessageParam[] = [{ role: "system", content: INSTRUCTIONS }];
  let text = "";
  for (const content of writePrompts((command) => writeCall(["run", { command }]))) {
    messages.push({ role: "user", content });
    const runner = client.chat.completions.runTools({ model, tools: [run], messages, ...more });
    text = (await runner.finalContent()) ?? "";
    messages = runner.messages;
  }
  return text;
}

interface Client {
  readonly name: string;
  /** The first turn that reads what an earlier one has written. */
  readonly readsFrom: number;
  readonly isMissing?: boolean;
  play(run: Run): Promise<string>;
}

function listAgents(): readonly Client[] {
  const played = AGENTS.filter(({ name }) => name === "codex" || (IS_LONG && name === "opencode"));
  return played.map((agent) => ({
    name: agent.name,
    readsFrom: 2,
    isMissing: !isInstalled(agent),
    play: (run) => playAgent(agent, { ...run, model: agent.modelName(run.model) }),
  }));
}

const CLIENTS: readonly Client[] = [
  // Its first turn doesn't show that it goes on.
  { name: "OpenAI's SDK", readsFrom: 3, play: (run) => playSdk(run, {}) },
  {
    name: "OpenAI's SDK with `prompt_cache_key`",
    readsFrom: 2,
    play: (run) => playSdk(run, { prompt_cache_key: "house" }),
  },
  ...listAgents(),
];

interface Played {
  readonly turns: readonly Asked[];
  /** The cost of all requests, those beside the conversation too, in USD. */
  readonly usd: number;
}

/** Returns the tokens that were read from the cache by the gateway's log of a key's requests. */
async function countCached(keyId: string): Promise<number> {
  const { body } = await createOperator(world).get(`/requests?key_id=${keyId}`);
  const tokens = asArray(body.data).map((row) => asObject(asObject(row).tokens));
  return tokens.reduce((sum, { cached }) => sum + Number(cached), 0);
}

async function play(client: Client, model: string): Promise<Played> {
  const { secret, id } = await world.newKey({ requests_per_day: null });
  const door = doorTo(world.url);
  const said = await client.play({ url: door.url, secret, model });
  await door.stop();
  const { asked, refused } = claude.take();
  expect({ said, refused, posts: door.posts.filter((status) => status !== 200) }).toMatchObject({
    said: expect.stringContaining(LAST),
    refused: 0,
    posts: [],
  });
  const turns = asked.filter(({ isTurn }) => isTurn);
  expect(turns).toHaveLength(TURNS);
  const usd = asked.reduce((sum, { counted }) => sum + priceInput(counted, PRICES), 0);
  const costs = [...turns.map(({ counted }) => priceInput(counted, PRICES)), usd];
  seen.push([client.name, model, ...costs.map((cost) => cost.toFixed(4))].join(" | "));
  expect(await countCached(id)).toBe(asked.reduce((sum, { counted }) => sum + counted.read, 0));
  return { turns, usd };
}

describe.each(CLIENTS)("$name", (client) => {
  test.skipIf(client.isMissing === true)(
    "reads from the cache what it has sent before, and pays less",
    async () => {
      const before = await play(client, "unmarked");
      const after = await play(client, "marked");
      expect(after.turns.map(({ answer }) => answer)).toEqual(before.turns.map(({ answer }) => answer));
      for (const { counted } of before.turns)
        expect(counted).toMatchObject({ read: 0, written: 0, marks: 0 });
      for (const [at, { counted }] of after.turns.entries()) {
        expect([at + 1, counted.read > 0]).toEqual([at + 1, at + 1 >= client.readsFrom]);
        expect(counted.marks).toBeLessThanOrEqual(4);
      }
      expect(after.usd).toBeLessThan(before.usd);
    },
    2 * PATIENT_MS,
  );
});

const opencode = AGENTS.find(({ name }) => name === "opencode");
test.skipIf(!IS_LONG || opencode === undefined || !isInstalled(opencode))(
  "opencode marks prompts itself where it reads that the model is Claude, and the gateway adds none",
  async () => {
    const client = CLIENTS.find(({ name }) => name === "opencode");
    if (client === undefined) throw new Error("opencode isn't played");
    const played = [
      await play(client, "Unmarked#claude-opus-5-5"),
      await play(client, "Marked#claude-opus-5-5"),
    ];
    const [own, beside] = played.map(({ turns }) => turns.map(({ counted }) => counted.marks));
    expect(own?.every((marks) => marks > 0)).toBe(true);
    expect(beside).toEqual(own ?? []);
  },
  2 * PATIENT_MS,
);
