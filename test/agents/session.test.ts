// A long session of each coding agent over each family of models: twelve answers with parallel calls, a picture, failing
// tools, thinking and another agent, against providers as strict as the real ones.
import { afterAll, beforeAll, describe, test } from "bun:test";
import { sampleRows } from "../harness/long.ts";
import { isInstalled } from "./agents.ts";
import { inTurn, LONG_RUNNING, PATIENT_MS, playSession } from "./sessions.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** The last takes no pictures, and doesn't search. */
const FAMILIES = [
  "Anthropic#claude-haiku-4-5",
  "OpenAI#gpt-5.6-sol",
  "Google#gemini-3.5-flash",
  "DeepSeek#deepseek-v4-pro",
];

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => {
  console.log(["agent | model | calls | seconds", ...seen].join("\n"));
  return under.stop();
});
const seen: string[] = [];

for (const [at, agent] of LONG_RUNNING.entries()) {
  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    test.concurrent.each([...sampleRows(FAMILIES, FAMILIES.length, at)])(
      "twelve steps over %s",
      (id) =>
        inTurn(async () => {
          const isBlind = id.startsWith("DeepSeek#");
          const { secret } = under;
          const session = { agent, id, model: agent.modelName(id), secret, isBlind, searches: !isBlind };
          const { line } = await playSession(under, session);
          seen.push(line);
        }),
      PATIENT_MS,
    );
  });
}
