// A coding agent in the middle of a tool's call: its end ends the call at the server, and it hears of a change of the
// server's tools.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { startSecondSdk, type WatchedServer } from "../harness/reference-servers.ts";
import { until } from "../whole/world/until.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, untilAgent, writeCall } from "./agents.ts";
import { connectTools, TOOL_AGENTS } from "./tool-agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** The agents that ask for the tools again when they have changed. Codex asks once a session. */
const HEARING = new Set(["claude", "gemini"]);
const MODEL = "Anthropic#claude-haiku-4-5";

let under: AgentWorld;
/** A server for each agent, of its name: each of them changes once. */
let servers: readonly (readonly [agent: string, server: WatchedServer])[];
beforeAll(async () => {
  servers = TOOL_AGENTS.map(({ name }) => [name, startSecondSdk(true)]);
  const rows = servers.map(([name, { url }]) => `${name}: { url: "${url}", price_per_call: 0.001 }`);
  under = await startAgentWorld(`mcp: { allowed_tools: ["*"], servers: { ${rows.join(", ")} } }`);
});
afterAll(async () => {
  await under.stop();
  for (const [, server] of servers) await server.stop();
});

function findServer(name: string): WatchedServer {
  const found = servers.find(([agent]) => agent === name)?.[1];
  if (!found) throw new Error(`There is no server for ${name}.`);
  return found;
}

async function readLastRow() {
  const response = await fetch(`${under.url}/admin/v1/requests?operation=tool`, {
    headers: { authorization: `Bearer ${under.adminToken}` },
  });
  return asObject(asArray(asObject(await response.json()).data)[0]);
}

/** Passes everything on, and counts the lists of tools with a tool of that name. */
function startCounting(tool: string) {
  let lists = 0;
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { method, headers, signal, url } = request;
      const { pathname, search } = new URL(url);
      const body = method === "POST" ? await request.text() : undefined;
      const answer = await fetch(under.url + pathname + search, {
        method,
        headers,
        signal,
        ...(body && { body }),
      });
      if (pathname !== "/mcp" || !body?.includes('"tools/list"')) return answer;
      const list = await answer.text();
      if (list.includes(`"${tool}"`)) lists++;
      return new Response(list, answer);
    },
  });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    countLists: () => lists,
    stop: () => proxy.stop(true),
  };
}

/** Starts the agent with steps of a prompt, and waits until it has called `slow`. */
async function startSlowCall(agent: Agent, url: string, steps: readonly string[]) {
  const run = { url, secret: under.secret, model: agent.modelName(MODEL), home: under.makeHome() };
  const settings = await connectTools(agent, run, { poundkey: "/mcp" });
  const server = findServer(agent.name);
  const before = server.countStarted();
  const leaving = new AbortController();
  const prompt = steps.map((step, at) => `step ${at + 1}: ${step}`).join("\n");
  const printed = runAgent(agent, { ...run, ...settings, prompt, signal: leaving.signal });
  await untilAgent("it has called the tool", printed, () => server.countStarted() > before);
  return { printed, leave: () => leaving.abort() };
}

for (const { name, write } of TOOL_AGENTS) {
  const agent = AGENTS.find((one) => one.name === name);
  if (!agent) continue;
  const slow = writeCall([write("poundkey", `${name}_slow`), {}]);

  test.skipIf(!isInstalled(agent))(
    `${name} ends, and so does its call at the server, which is charged`,
    async () => {
      const server = findServer(name);
      const before = server.countCancelled();
      const { printed, leave } = await startSlowCall(agent, under.url, [slow, "say: it is over"]);
      leave();
      await printed;
      await until("the call has ended there", () => server.countCancelled() > before);
      await until("it has a row", async () => (await readLastRow()).server === name);
      expect(await readLastRow()).toMatchObject({ tool: "slow", outcome: "left", cost_usd: 0.001 });
    },
    PATIENT_MS,
  );

  test.skipIf(!isInstalled(agent) || !HEARING.has(name))(
    `${name} asks for the tools again when they change`,
    async () => {
      const server = findServer(name);
      const counting = startCounting(`${name}_late`);
      const { printed } = await startSlowCall(agent, counting.url, [slow, "say: it is over"]);
      server.change();
      const hasList = () => counting.countLists() > 0;
      await untilAgent("it has the list with the new tool", printed, hasList);
      server.release();
      expect(await printed).toContain("it is over");
      await counting.stop();
    },
    PATIENT_MS,
  );
}
