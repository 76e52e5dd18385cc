// Real coding agents over a server that nobody knows: it refuses what they send in the sentences of real servers, and they run a
// command, get an answer, and go on all the same. Claude Code plays over one here, in the long form all over each API.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../harness/long.ts";
import type { Wire } from "../simulator/stranger/forms.ts";
import { chooseRules } from "../simulator/stranger/rules.ts";
import { type Stranger, startStranger } from "../simulator/stranger/server.ts";
import { writeProviders } from "../whole/stranger/talk.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const NAMES = IS_LONG ? ["claude", "codex", "opencode", "qwen"] : ["claude"];
const PLAYED = AGENTS.filter(({ name }) => NAMES.includes(name));
const SEEDS = IS_LONG ? [1, 2, 3, 4] : [1];
const STRANGE: readonly Wire[] = IS_LONG ? ["chat", "responses", "messages", "gemini"] : ["chat"];
/** Each agent has strangers of its own, of which nothing has been learned. */
const PAIRS = PLAYED.flatMap((agent, at) =>
  STRANGE.flatMap((wire) => SEEDS.map((seed) => ({ agent, wire, seed: at * 100 + seed }))),
);

let stranger: Stranger;
let world: AgentWorld;
beforeAll(async () => {
  stranger = await startStranger();
  const seeds = PAIRS.map(({ wire, seed }) => ({ wire, seed, model: nameModel(wire, seed) }));
  world = await startAgentWorld(writeProviders(stranger, seeds));
});
afterAll(async () => {
  await world.stop();
  await stranger.stop();
});

function nameModel(wire: Wire, seed: number): string {
  return `own-${wire}-${seed}`;
}

async function play(agent: Agent, wire: Wire, seed: number): Promise<string> {
  const model = nameModel(wire, seed);
  // An agent ends at what nobody can mend.
  for (const rule of chooseRules(wire, seed)) if (!rule.canMend) stranger.lift(model, rule);
  const run = {
    url: world.url,
    secret: world.secret,
    model: agent.modelName(`Own-${wire}#${model}`),
    home: world.makeHome(),
  };
  const call = writeCall([agent.tool, agent.input("printf it-works")]);
  // Steps are found in a prompt even if the agent, or the gateway, adds something behind them.
  const prompt = `step 1: ${call}\nstep 2: say: shell-42-said`;
  const again = "step 1: say: and-once-more";
  const first = await runAgent(agent, { ...run, prompt });
  const second = await runAgent(agent, { ...run, prompt: again, goesOn: true });
  // Some print their prompts, too.
  return (first + second).replaceAll(prompt, "").replaceAll(again, "");
}

describe.each(PAIRS.map((pair) => ({ ...pair, name: pair.agent.name })))(
  "$name over a stranger of $wire, $seed",
  ({ agent, wire, seed }) => {
    test.skipIf(!isInstalled(agent))(
      "runs a command, goes on, and nothing is refused twice",
      async () => {
        const printed = await play(agent, wire, seed);
        expect(printed).toContain("shell-42-said");
        expect(printed).toContain("and-once-more");
        const { calls } = stranger;
        const refusals = calls.flatMap((call) =>
          call.model === nameModel(wire, seed) && call.refusedBy ? [call.refusedBy.refuses] : [],
        );
        expect(refusals.toSorted()).toEqual([...new Set(refusals)].toSorted());
      },
      PATIENT_MS,
    );
  },
);
