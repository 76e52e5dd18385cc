// The coding agents themselves, headless, over each dialect: a shell command, its result sent back, and an answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AGENTS, isInstalled, runAgent } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const MODELS = [
  "Anthropic#claude-haiku-4-5",
  "Local#sim-mini",
  "Responses#gpt-6.1-sol",
  "Google#gemini-3.5-flash",
  "Router#best",
];
const PLAIN_MODELS = ["Local#sim-mini", "Router#best"];
const PATIENT_MS = 300_000;

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

for (const agent of AGENTS) {
  const ask = (command: string) => `call ${agent.tool}(${JSON.stringify(agent.input(command))})`;

  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    test.each(agent.isPlain ? PLAIN_MODELS : MODELS)(
      "runs a command and answers, over %s",
      async (id) => {
        const { url, secret } = under;
        const model = agent.modelName(id);
        const printed = await runAgent(agent, {
          ...{ url, secret, model, home: under.makeHome() },
          prompt: ask("printf shell-%s-said 42"),
        });
        expect(printed).toContain(`The tools answered: ${agent.tool}`);
        expect(printed).toContain("shell-42-said");
      },
      PATIENT_MS,
    );

    test(
      "continues with another provider's model in mid-conversation, and back",
      async () => {
        const { url, secret } = under;
        const home = under.makeHome();
        const turns = ["Google#gemini-3.5-flash", "Anthropic#claude-haiku-4-5", "Responses#gpt-6.1-sol"];
        for (const [turn, id] of turns.entries()) {
          const printed = await runAgent(agent, {
            ...{ url, secret, model: agent.modelName(id), home, goesOn: turn > 0 },
            prompt: ask(`printf turn-%s-done ${turn + 1}`),
          });
          expect(printed).toContain(`turn-${turn + 1}-done`);
        }
      },
      PATIENT_MS,
    );
  });
}
