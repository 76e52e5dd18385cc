// The coding agents as clients of the gateway's tool servers, set up as the manual says: the tools that they show their models,
// calls whose results reach the model, a failure, and a resource, over servers of either era that others wrote.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { type ReferenceServer, startEverything, startSecondSdk } from "../harness/reference-servers.ts";
import { AGENTS, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { connectTools, TOOL_AGENTS } from "./tool-agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** The agents' own names of servers, and their paths at the gateway. */
const PATHS = { poundkey: "/mcp", everything: "/mcp/everything", newer: "/mcp/newer" };

let under: AgentWorld;
let servers: Readonly<Record<string, ReferenceServer>>;
beforeAll(async () => {
  servers = { everything: await startEverything(), newer: startSecondSdk(true) };
  const rows = Object.entries(servers).map(
    ([name, { url }]) => `${name}: { url: "${url}", resources: true, prompts: true }`,
  );
  under = await startAgentWorld(`mcp: { allowed_tools: ["*"], servers: { ${rows.join(", ")} } }`);
});
afterAll(async () => {
  await under.stop();
  for (const server of Object.values(servers)) await server.stop();
});

/** Returns the calls of tools that have a row of the log, oldest first. */
async function readRows(): Promise<readonly string[]> {
  const response = await fetch(`${under.url}/admin/v1/requests?operation=tool`, {
    headers: { authorization: `Bearer ${under.adminToken}` },
  });
  return asArray(asObject(await response.json()).data)
    .map(asObject)
    .map(({ server, tool, outcome }) => `${server} ${tool}: ${outcome}`)
    .reverse();
}

const DOCUMENT = "demo://resource/static/document/startup.md";
const MODEL = "Anthropic#claude-haiku-4-5";

for (const { name, write, read } of TOOL_AGENTS) {
  const agent = AGENTS.find((one) => one.name === name);
  if (!agent) continue;
  test.skipIf(!isInstalled(agent))(
    `${name} lists the tools of all addresses, calls them, is told of a failure, and reads a resource`,
    async () => {
      const { url, secret } = under;
      const run = { url, secret, model: agent.modelName(MODEL), home: under.makeHome() };
      const before = (await readRows()).length;
      const call = (server: string, tool: string, given: object) => writeCall([write(server, tool), given]);
      const steps = [
        call("poundkey", "everything_echo", { message: `one for ${name}` }),
        call("poundkey", "newer_echo", { text: `two for ${name}` }),
        call("everything", "echo", { message: `three for ${name}` }),
        call("newer", "echo", { text: `four for ${name}` }),
        call("newer", "fail", {}),
        writeCall(read("poundkey", `everything+${DOCUMENT}`)),
        "say: it is over",
      ];
      const prompt = steps.map((step, at) => `step ${at + 1}: ${step}`).join("\n");
      const settings = await connectTools(agent, run, PATHS);
      const printed = await runAgent(agent, { ...run, ...settings, prompt });
      const shown = under.simulator.calls
        .all()
        .map(({ body }) => JSON.stringify(body))
        .filter((body) => body.includes(`four for ${name}`));
      expect({ printed, rows: (await readRows()).slice(before) }).toEqual({
        printed: expect.stringContaining("it is over"),
        rows: ["everything", "newer", "everything", "newer"]
          .map((server) => `${server} echo: answered`)
          .concat("newer fail: answered", "everything resources/read: answered"),
      });
      const last = shown.at(-1);
      for (const result of [
        `Echo: one for ${name}`,
        `echo: two for ${name}`,
        `Echo: three for ${name}`,
        `echo: four for ${name}`,
        "the tool broke",
        "Everything Server - Startup Process",
      ])
        expect(last).toContain(result);
      const tools = shown.at(-1)?.matchAll(/"name":"([^"]*)"/g) ?? [];
      const names = new Set([...tools].map(([, tool]) => tool));
      for (const tool of [
        write("poundkey", "everything_get-sum"),
        write("everything", "get-sum"),
        write("newer", "slow"),
      ])
        expect(names).toContain(tool);
    },
    PATIENT_MS,
  );
}
