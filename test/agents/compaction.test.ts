// A session of each coding agent that grows beyond a selector's context: it has the conversation summarised and goes on.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { doorTo } from "../clients/setting.ts";
import { IS_LONG } from "../harness/long.ts";
import { SUMMARY } from "../simulator/understand.ts";
import { AGENTS, type Agent, type AgentRun, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const OVER = "the session is over";

/** The way in which an agent comes to compact, as the manual's page on errors says. */
interface Habit {
  /** The model's context, in tokens: the agent's own prompt and tools fit, the whole session doesn't. */
  readonly context: number;
  /** Compacts at the gateway's refusal. Otherwise it compacts before, by the context that its files name. */
  readonly isAtRefusal: boolean;
  /** The model's last words. */
  readonly says: string;
  /** Compacts only between two prompts. */
  readonly isByPrompt?: boolean;
  /** The agent's files, if it has to know the model's context. */
  readonly files?: (files: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

const GEMINI_SETTINGS = ".gemini/settings.json";
const HABITS: Readonly<Record<string, Habit>> = {
  claude: { context: 40_000, isAtRefusal: true, says: OVER },
  // It keeps the last turns beside the summary, and asks in words of its own to go on, which the model repeats.
  opencode: { context: 40_000, isAtRefusal: true, says: "Continue if you have next steps" },
  // It compacts between prompts only, at a share of the million tokens that it believes every model to have.
  gemini: {
    context: 40_000,
    isAtRefusal: false,
    says: OVER,
    isByPrompt: true,
    files: ({ [GEMINI_SETTINGS]: settings = "" }) => ({
      [GEMINI_SETTINGS]: settings.replace(/}$/, ',"model":{"compressionThreshold":0.01}}'),
    }),
  },
  qwen: { context: 32_000, isAtRefusal: true, says: OVER },
  codex: {
    context: 40_000,
    isAtRefusal: false,
    says: OVER,
    files: (files) => ({
      ".codex/config.toml": `model_context_window = 30000\n${files[".codex/config.toml"]}`,
    }),
  },
};
/** A session of opencode takes as much as those of all others, and Qwen Code compacts at the same refusal. */
const PLAYED = Object.entries(HABITS).filter(([name]) => IS_LONG || name !== "opencode");
const STEPS = 12;
/** Each prompt of an agent that compacts between them. */
const STEPS_BY_PROMPT = 4;

const worlds = new Map<string, AgentWorld>();
beforeAll(async () => {
  for (const [name, { context }] of PLAYED)
    worlds.set(
      name,
      await startAgentWorld(
        (url) => `  Small:
    dialect: openai
    base_url: "${url}/openai/v1"
    keys: [sim-key]
    models: [{ name: sim-mini, context: ${context}, output: 8000, price: { input: 0.1, output: 0.1 } }]
aliases: { "gemini-*": "Router#best" }`,
      ),
    );
});
afterAll(async () => {
  for (const world of worlds.values()) await world.stop();
});

function writeSession(agent: Agent, { isByPrompt }: Habit): readonly string[] {
  const count = isByPrompt ? STEPS_BY_PROMPT : STEPS;
  const steps = Array.from({ length: count - 1 }, (_, at) => {
    const call = writeCall([agent.tool, agent.input(`echo ${at + 1}; seq 1 3000`)]);
    return `step ${at + 1}: ${call}\n`;
  });
  const last = `say: ${OVER}`;
  const session = `${steps.join("")}step ${count}: ${last}`;
  return isByPrompt ? [session, last] : [session];
}

async function play(agent: Agent, habit: Habit): Promise<void> {
  const { files, isAtRefusal, says } = habit;
  const world = worlds.get(agent.name);
  if (!world) throw new Error(`${agent.name} has no gateway.`);
  const allowed = { allowed_models: ["Router#*", "Small#sim-mini"], requests_per_day: null };
  const { secret } = await world.newKey(allowed);
  const door = doorTo(world.url);
  const model = agent.modelName("Router#best");
  const run: AgentRun = { url: door.url, secret, model, home: world.makeHome(), prompt: "" };
  const own = files ? { files: files(agent.files(run)) } : {};
  let printed = "";
  for (const [at, prompt] of writeSession(agent, habit).entries())
    printed = await runAgent(agent, { ...run, ...own, prompt, goesOn: at > 0 });
  await door.stop();
  const shown = printed.replaceAll(`say: ${OVER}`, "");
  expect({ shown: shown.slice(-2000), isOver: shown.includes(says) }).toMatchObject({ isOver: true });
  expect([door.posts.includes(400), door.posts.at(-1)]).toEqual([isAtRefusal, 200]);
  const sent = world.simulator.calls.all().map(({ body }) => JSON.stringify(body));
  expect(sent.at(-1)).toContain(SUMMARY);
}

for (const [name, habit] of PLAYED) {
  const agent = AGENTS.find((one): one is Agent => one.name === name);
  describe.skipIf(!agent || !isInstalled(agent))(name, () => {
    test.concurrent(
      "summarises a conversation that is too long, and goes on",
      async () => {
        if (agent) await play(agent, habit);
      },
      PATIENT_MS,
    );
  });
}
