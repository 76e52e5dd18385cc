// The coding agents themselves, headless, over each dialect: a shell command, its result sent back, and an answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PICTURE_BYTES } from "../clients/setting.ts";
import { IS_LONG } from "../harness/long.ts";
import { AGENTS, isInstalled, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const MODELS = [
  "Anthropic#claude-haiku-4-5",
  "Local#sim-mini",
  "Responses#gpt-6.1-sol",
  "Google#gemini-3.5-flash",
  "Router#best",
];
/** The first turn shows a picture, which the second model doesn't take. */
const TURNS = [
  "Google#gemini-3.5-flash",
  "DeepSeek#deepseek-v4-pro",
  "Anthropic#claude-haiku-4-5",
  "Responses#gpt-6.1-sol",
];
const PLAIN_MODELS = ["Local#sim-mini", "Router#best"];
/** The agents that speak chat completions start slowly, and the turns after the first change of models meet nothing new. */
const PLAIN_TURNS = IS_LONG ? TURNS : TURNS.slice(0, 2);
const PATIENT_MS = 900_000;

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

for (const agent of AGENTS) {
  const ask = (command: string) => writeCall([agent.tool, agent.input(command)]);

  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    const models = agent.isPlain ? PLAIN_MODELS : MODELS;
    // Each turn of the conversation below does the same over one more model.
    test.each(IS_LONG ? models : [])(
      "runs a command and answers, over %s",
      async (id) => {
        const { url, secret } = under;
        const model = agent.modelName(id);
        const printed = await runAgent(agent, {
          url,
          secret,
          model,
          home: under.makeHome(),
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
        const picture = join(home, "work", "picture.png");
        await Bun.write(picture, PICTURE_BYTES);
        for (const [turn, id] of (agent.isPlain ? PLAIN_TURNS : TURNS).entries()) {
          const run = ask(`printf turn-%s-done ${turn + 1}`);
          const printed = await runAgent(agent, {
            url,
            secret,
            model: agent.modelName(id),
            home,
            goesOn: turn > 0,
            prompt:
              turn === 0
                ? `step 1: ${run} and ${writeCall(agent.look(picture))}\nstep 2: say: turn-1-done`
                : run,
          });
          expect({ id, printed }).toMatchObject({
            printed: expect.stringContaining(`turn-${turn + 1}-done`),
          });
          if (turn > 0) expect(printed).toContain(`The tools answered: ${agent.tool}`);
        }
      },
      PATIENT_MS,
    );
  });
}
