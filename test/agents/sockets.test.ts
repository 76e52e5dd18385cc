// Codex over WebSockets: a session of several calls on one connection, on models of each family, and one that is compacted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { sampleRows } from "../harness/long.ts";
import { AGENTS, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const FAMILIES = [
  "Anthropic#claude-haiku-4-5",
  "Responses#gpt-6.1-sol",
  "Google#gemini-3.5-flash",
  "Local#sim-mini",
];
const CODEX = AGENTS.filter(({ name }) => name === "codex");
const COMMANDS = ["printf first-%s-said 1", "printf second-%s-said 2", "printf third-%s-said 3"];

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

for (const agent of CODEX) {
  const overSockets = {
    ...agent,
    files: (run: Parameters<typeof agent.files>[0]) =>
      Object.fromEntries(
        Object.entries(agent.files(run)).map(([path, text]) => [path, `${text}\nsupports_websockets = true`]),
      ),
  };
  const builtIn = {
    ...agent,
    environment: ({ home }: Parameters<typeof agent.environment>[0]) => ({
      CODEX_HOME: join(home, ".codex"),
    }),
    files: ({ url, secret, model }: Parameters<typeof agent.files>[0]) => ({
      ".codex/auth.json": JSON.stringify({ OPENAI_API_KEY: secret }),
      ".codex/config.toml": [
        `model = "${model}"`,
        `openai_base_url = "${url}/v1"`,
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        "model_auto_compact_token_limit = 8000",
      ].join("\n"),
    }),
  };
  test.skipIf(!isInstalled(agent))(
    "Codex has its conversation compacted by its own provider, and goes on",
    async () => {
      const { url, secret } = under;
      const calls = under.simulator.calls.total;
      const run = { url, secret, model: "Local#sim-mini", home: under.makeHome() };
      await runAgent(builtIn, { ...run, prompt: `say: ${"marzipan ".repeat(2500)}` });
      const printed = await runAgent(builtIn, { ...run, goesOn: true, prompt: "say: it is over" });
      const sent = under.simulator.calls
        .all()
        .slice(calls)
        .map(({ body }) => JSON.stringify(body));
      expect(sent).toHaveLength(3);
      expect(sent[1]).toContain("Write a summary of this conversation");
      expect(sent[2]).toContain("This is a summary of the conversation up to here");
      expect(printed).toContain("context compacted");
      expect(printed).toContain("it is over");
    },
    PATIENT_MS,
  );
  test.skipIf(!isInstalled(agent)).each([...sampleRows(FAMILIES, 2)])(
    "Codex runs commands over one connection, at %s",
    async (model) => {
      const { url, secret } = under;
      const closed = () => under.events.filter(({ event }) => event === "socket.closed");
      const before = closed().length;
      const calls = under.simulator.calls.total;
      const steps = COMMANDS.map(
        (command, at) => `step ${at + 1}: ${writeCall([agent.tool, agent.input(command)])}`,
      );
      const prompt = `${steps.join("\n")}\nstep 4: say: it is done`;
      const printed = await runAgent(overSockets, { url, secret, model, home: under.makeHome(), prompt });
      expect(printed).toContain("it is done");
      const sent = under.simulator.calls
        .all()
        .slice(calls)
        .map(({ body }) => JSON.stringify(body));
      // The first frame, which asks nobody, is the only one that holds its own prompt.
      for (const body of sent) expect(body).toContain("You are");
      for (const said of ["first-1-said", "second-2-said", "third-3-said"])
        expect(sent.at(-1)).toContain(said);
      const turns = closed()
        .slice(before)
        .map((event) => Number(event.turns));
      expect(turns.length).toBeGreaterThan(0);
      expect(Math.max(...turns)).toBeGreaterThanOrEqual(4);
    },
    PATIENT_MS,
  );
}
