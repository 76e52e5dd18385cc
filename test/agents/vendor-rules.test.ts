// Claude Code and Codex over named vendors that refuse what they send: tools beside an effort at OpenAI's chat, several and late
// system messages at MiniMax, and the file without a name that Claude Code makes of a PDF.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { doorTo } from "../clients/setting.ts";
import { sampleRows } from "../harness/long.ts";
import { makeVendors } from "../whole/world/vendor-rules.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const PLAYED = AGENTS.filter(({ name }) => name === "claude" || name === "codex");
const EFFORT = ["OpenAI#gpt-5.4", "OpenAI#gpt-5.5", "Azure#gpt-5.4-mini", "OpenAI#gpt-5.2-late", "chosen"];
/** MiniMax at an address of the operator's. */
const UNSPLIT = "Local#minimax-m2.5";
/** Servers of the operator's that have no /responses, and MiniMax by its name, its address and its words. */
const EVERY = ["Local#gpt-5.5-own", "Local#gpt-4.1", "MiniMax#MiniMax-M3", "Mine#MiniMax-M3", UNSPLIT];
/** Codex speaks Responses, in which OpenAI takes both. */
const MODELS: Readonly<Record<string, readonly string[]>> = { claude: [...EFFORT, ...EVERY], codex: EVERY };

const vendors = makeVendors();
let world: AgentWorld;
beforeAll(async () => {
  world = await startAgentWorld(
    (url) =>
      [
        vendors.write(url),
        'aliases: { chosen: [{ model: "OpenAI#gpt-5.4-nano", weight: 1 }, { model: "Azure#gpt-5.5", weight: 1 }] }',
      ].join("\n"),
    { fetch: vendors.fetch },
  );
});
afterAll(() => world.stop());

/** Runs the prompts one after the other, as one conversation. Returns the statuses and what was printed last. */
async function play(agent: Agent, model: string, home: string, prompts: readonly string[]) {
  const door = doorTo(world.url);
  const run = { url: door.url, secret: world.secret, model, home };
  let printed = "";
  for (const [at, prompt] of prompts.entries())
    printed = (await runAgent(agent, { ...run, prompt, goesOn: at > 0 })).replaceAll(prompt, "");
  await door.stop();
  return { printed, refused: door.posts.filter((status) => status !== 200) };
}

describe.each(PLAYED.map((agent) => [agent.name, agent] as const))("%s", (name, agent) => {
  test.skipIf(!isInstalled(agent)).each([...sampleRows(MODELS[name] ?? [], 2)])(
    "calls a tool and goes on over %s, and no request of its is refused",
    async (model) => {
      const call = writeCall([agent.tool, agent.input("printf it-works")]);
      const prompts = [`step 1: ${call}\nstep 2: say: it was called`, "say: and once more"];
      const { printed, refused } = await play(agent, model, world.makeHome(), prompts);
      expect({ printed, refused }).toMatchObject({ refused: [] });
      expect(printed).toContain("and once more");
      // Only a row at MiniMax's address asks for the thinking apart from the text.
      if (model !== UNSPLIT) expect(printed).not.toContain("<think>");
    },
    PATIENT_MS,
  );
});

/** One empty page. */
const PDF = [
  "%PDF-1.4",
  "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj",
  "2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj",
  "3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] >> endobj",
  "trailer << /Root 1 0 R >>",
  "%%EOF",
  "",
].join("\n");

describe.each(PLAYED.filter(({ name }) => name === "claude"))("$name", (agent) => {
  test
    .skipIf(!isInstalled(agent))
    .each([...sampleRows(["OpenAI#gpt-4.1", "Azure#gpt-4.1", "Local#gpt-4.1", "Local#gpt-5.5-own"], 2)])(
    "reads a PDF over %s, and goes on",
    async (model) => {
      const home = world.makeHome();
      const path = join(home, "work", "report.pdf");
      mkdirSync(join(home, "work"));
      await Bun.write(path, PDF);
      const read = `step 1: ${writeCall(agent.look(path))}\nstep 2: say: it was read`;
      const { printed, refused } = await play(agent, model, home, [read, "say: and once more"]);
      expect({ printed, refused }).toMatchObject({ refused: [] });
      expect(printed).toContain("and once more");
      const sent = JSON.stringify(vendors.calls.at(-1)?.body);
      expect(sent).toContain(Buffer.from(PDF).toString("base64"));
      expect(sent).toContain('"filename":"file.pdf"');
    },
    PATIENT_MS,
  );
});
