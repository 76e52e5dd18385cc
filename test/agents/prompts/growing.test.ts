// Real coding agents over models that bind their thinking to what stood before it: where an agent only adds to a conversation,
// its provider reads what it has read before, and more at the end.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_LONG } from "../../harness/long.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "../agents.ts";
import { listBroken, type Recorded, SEEN_HEAD, startRecorded, tellSeen } from "./recorded.ts";

const PLAYED = AGENTS.filter(({ name }) => name !== "cn" && (IS_LONG || name === "opencode"));
const MODELS = ["Anthropic#claude-opus-5-5", "OpenAI#gpt-6.2-sol"];
/** Tells the conversation's requests from an agent's own, such as those for a title. */
const WORD = "the word is zebra";

let recorded: Recorded;
beforeAll(async () => {
  recorded = await startRecorded();
});
afterAll(async () => {
  console.log([SEEN_HEAD, ...seen].join("\n"));
  await recorded.stop();
});
const seen: string[] = [];

async function play(agent: Agent, model: string): Promise<void> {
  const run = {
    url: recorded.url,
    secret: recorded.world.secret,
    model: agent.modelName(model),
    home: recorded.world.makeHome(),
  };
  const steps = ["one", "two", "three"].map((word) =>
    writeCall([agent.tool, agent.input(`printf ${word}-works`)]),
  );
  const lines = [...steps, "say: all-works"].map((step, at) => `step ${at + 1}: ${step}`);
  await runAgent(agent, { ...run, prompt: `${WORD}\n${lines.join("\n")}` });
  await runAgent(agent, { ...run, prompt: `${WORD}\nstep 1: say: and-once-more`, goesOn: true });
}

describe.each(PLAYED.flatMap((agent) => MODELS.map((model) => ({ agent, model, name: agent.name }))))(
  "$name over $model",
  ({ agent, model }) => {
    test.skipIf(!isInstalled(agent))(
      "five turns",
      async () => {
        await play(agent, model);
        const taken = recorded.take(WORD);
        seen.push(tellSeen(agent.name, model, taken));
        expect(taken.sent.length).toBeGreaterThanOrEqual(5);
        expect([listBroken(taken), taken.refused]).toEqual([[], 0]);
      },
      PATIENT_MS,
    );
  },
);
