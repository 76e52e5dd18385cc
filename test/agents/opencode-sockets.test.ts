// opencode over WebSockets: its own OpenAI provider with the gateway's address, on models of each family.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sampleRows } from "../harness/long.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const FAMILIES = [
  "Local#sim-mini",
  "Anthropic#claude-haiku-4-5",
  "Responses#gpt-6.1-sol",
  "Google#gemini-3.5-flash",
];
const OPENCODE = AGENTS.find(({ name }) => name === "opencode");

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

/** Only a provider with this name opens connections, with a key that opencode keeps itself. */
const overSockets = (agent: Agent): Agent => ({
  ...agent,
  command: ({ model, goesOn }) => ["run", "--model", `openai/${model}`, ...(goesOn ? ["--continue"] : [])],
  environment: (run) => ({ ...agent.environment(run), OPENCODE_EXPERIMENTAL_WEBSOCKETS: "1" }),
  files: ({ url, secret, model }) => ({
    ".local/share/opencode/auth.json": JSON.stringify({ openai: { type: "api", key: secret } }),
    "work/opencode.json": JSON.stringify({
      permission: "allow",
      provider: {
        openai: {
          options: { baseURL: `${url}/v1` },
          models: { [model]: { limit: { context: 128_000, output: 8_000 } } },
        },
      },
    }),
  }),
});

describe.skipIf(OPENCODE === undefined || !isInstalled(OPENCODE))("opencode", () => {
  test.each([...sampleRows(FAMILIES, FAMILIES.length)])(
    "runs a command over a connection, at %s",
    async (model) => {
      if (OPENCODE === undefined) return;
      const before = under.events.length;
      const call = writeCall([OPENCODE.tool, OPENCODE.input("printf it-was-%s run")]);
      const prompt = `step 1: ${call}\nstep 2: say: it is done`;
      const { url, secret } = under;
      const run = { url, secret, model, home: under.makeHome(), prompt };
      const printed = (await runAgent(overSockets(OPENCODE), run)).replaceAll(prompt, "");
      expect(printed).toContain("it is done");
      const ends = under.events.slice(before).filter(({ event }) => event === "socket.closed");
      expect(ends.map(({ turns }) => Number(turns)).some((turns) => turns >= 2)).toBe(true);
      const sent = under.simulator.calls.all().map(({ body }) => JSON.stringify(body));
      expect(sent.some((body) => body.includes("it-was-run"))).toBe(true);
    },
    PATIENT_MS,
  );
});
