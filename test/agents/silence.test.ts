// Coding agents read an answer to its end that is silent for forty seconds, and don't ask again.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sampleRows } from "../harness/long.ts";
import { AGENTS, isInstalled, runAgent } from "./agents.ts";
import { ASK, PATIENT_MS, readPatiently, SILENCES } from "./silence.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** A model of the family that the agent speaks: there the provider's own events pass. */
const NATIVE: Readonly<Record<string, string>> = {
  claude: "Anthropic#claude-haiku-4-5",
  codex: "Responses#gpt-6.1-sol",
  gemini: "Google#gemini-3.5-flash",
};
const FOREIGN = "Local#sim-mini";
/** The requests of one turn: opencode also asks for a title, and Qwen Code for what to remember. */
const REQUESTS: Readonly<Record<string, number>> = { opencode: 2, qwen: 2 };

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => {
  console.log(["agent | model | statuses", ...seen].join("\n"));
  return under.stop();
});
const seen: string[] = [];

for (const [number, agent] of AGENTS.entries()) {
  const native = NATIVE[agent.name] ?? FOREIGN;
  const all = SILENCES.map((silence, at) => `${at === 1 ? FOREIGN : native}${silence}`);
  // Those that speak chat completions are sent the same, so each has another silence.
  const rows = agent.isPlain ? sampleRows(all, all.length, number) : all;
  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    test.concurrent.each([...rows])(
      "%s",
      async (id) => {
        const home = under.makeHome();
        const posts = await readPatiently(under.url, (url) =>
          runAgent(agent, { url, secret: under.secret, model: agent.modelName(id), home, prompt: ASK }),
        );
        seen.push(`${agent.name} | ${id} | ${posts.join(" ")}`);
        expect(posts).toEqual(Array.from({ length: REQUESTS[agent.name] ?? 1 }, () => 200));
      },
      PATIENT_MS,
    );
  });
}
