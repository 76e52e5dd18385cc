// Claude Code over a selector and an alias for several: what it asks of one model, another refuses.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { doorTo } from "../clients/setting.ts";
import { AGENTS, isInstalled, PATIENT_MS, runAgent } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const CLAUDE = AGENTS.filter(({ name }) => name === "claude");

let world: AgentWorld;
let secret: string;
beforeAll(async () => {
  const busy = "Anthropic#claude-sonnet-5~trouble=529";
  world = await startAgentWorld(
    `aliases: { both: [{ model: "${busy}", weight: 1000 }, { model: "Anthropic#claude-haiku-4-5", weight: 0.001 }] }`,
  );
  const allowed = ["Router#light", "Anthropic#claude-haiku-4-5"];
  secret = (await world.newKey({ allowed_models: allowed, requests_per_day: null })).secret;
});
afterAll(() => world.stop());

describe.each(CLAUDE.map((agent) => [agent.name, agent] as const))("%s", (_name, agent) => {
  test.skipIf(!isInstalled(agent)).each(["Router#light", "both"])(
    "answers by %s if only claude-haiku-4-5 can, and no request of its is refused",
    async (model) => {
      const door = doorTo(world.url);
      const prompt = "say: good day to you all";
      const own = model === "both" ? world.secret : secret;
      const printed = await runAgent(agent, {
        url: door.url,
        secret: own,
        model,
        home: world.makeHome(),
        prompt,
      });
      await door.stop();
      // The simulator repeats the user's whole turn, in which this model reads system messages as notes.
      expect(printed).toMatch(/^good day to you all(\n|<system_message>)/);
      expect(door.posts.filter((status) => status !== 200)).toEqual([]);
    },
    PATIENT_MS,
  );
});
