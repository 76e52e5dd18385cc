// A long session of each coding agent over each family of models: twelve answers with parallel calls, a picture, failing
// tools, thinking and another agent, against providers as strict as the real ones.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { doorTo, PICTURE_BYTES } from "../clients/setting.ts";
import { sampleRows } from "../harness/long.ts";
import { AGENTS, type Agent, isInstalled, runAgent, writeCall } from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** The last takes no pictures. */
const FAMILIES = [
  "Anthropic#claude-haiku-4-5",
  "OpenAI#gpt-5.6-sol",
  "Google#gemini-3.5-flash",
  "DeepSeek#deepseek-v4-pro",
];
/** Continue shows models no pictures. */
const LONG_RUNNING = AGENTS.filter(({ name }) => name !== "cn");
const AT_ONCE = 4;
/** Includes waiting for other sessions. */
const PATIENT_MS = 1_800_000;
const NO_PICTURE = /\[image left out: this model takes no images\]|\[Unsupported (image|content type: image)/;
const OVER = "the session is over";

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => {
  console.log(["agent | model | calls | seconds", ...seen].join("\n"));
  return under.stop();
});
const seen: string[] = [];

/** Returns the prompt of a session. Its word tells its calls from those of others. */
function writePrompt(agent: Agent, picture: string, word: string): string {
  const run = (...commands: readonly string[]) =>
    commands.map((command) => writeCall([agent.tool, agent.input(command)])).join(" and ");
  const steps = [
    run("printf 'first line' > notes.txt"),
    run("cat notes.txt", "echo it-failed >&2; exit 3", "printf in-parallel"),
    writeCall(agent.look(picture)),
    run(`printf 'na\\303\\257ve "quoted" \\360\\237\\221\\215' >> notes.txt`),
    run("seq 1 4000"),
    agent.delegate === null ? run("printf alone") : writeCall(agent.delegate("say: the helper is done")),
    run("cat missing.txt"),
    run("printf p1", "printf p2", "printf p3", "printf p4"),
    run("true"),
    run("cat notes.txt"),
    ...writeSearch(agent, run("wc -c notes.txt")),
    `say: ${OVER}`,
  ];
  return `The word is ${word}.\n${steps.map((step, at) => `step ${at + 1}: ${step}`).join("\n")}`;
}

/** Returns the steps in which it searches the web, or `otherwise`. */
function writeSearch({ search, load }: Agent, otherwise: string): readonly string[] {
  const call = search?.("the tides");
  if (call === undefined) return [otherwise];
  return [...(load ? [load(call[0])] : []), call].map(writeCall);
}

/** Runs a few sessions at a time: each is a program of its own. */
let free = AT_ONCE;
const waiting: (() => void)[] = [];
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

async function play(agent: Agent, id: string): Promise<void> {
  const home = under.makeHome();
  const work = join(home, "work");
  mkdirSync(work);
  const picture = join(work, "picture.png");
  await Bun.write(picture, PICTURE_BYTES);
  const word = `${agent.name}-${id.replace(/\W/g, "-")}`;
  const door = doorTo(under.url);
  const beganMs = performance.now();
  const printed = await runAgent(agent, {
    url: door.url,
    secret: under.secret,
    model: agent.modelName(id),
    home,
    prompt: writePrompt(agent, picture, word),
  });
  await door.stop();
  const sent = under.simulator.calls
    .all()
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes(word));
  seen.push(`${agent.name} | ${id} | ${sent.length} | ${((performance.now() - beganMs) / 1000).toFixed(1)}`);
  const isBlind = id.startsWith("DeepSeek#");
  expect({ printed, posts: door.posts.filter((status) => status !== 200) }).toMatchObject({ posts: [] });
  expect(printed.replaceAll(`say: ${OVER}`, "")).toContain(OVER);
  const last = sent.at(-1) ?? "";
  for (const result of ["first line", "it-failed", "in-parallel", "na\u00efve", "p1", "p4", "missing.txt"])
    expect([result, last.includes(result)]).toEqual([result, true]);
  if (agent.delegate !== null) expect(last).toContain("the helper is done");
  // DeepSeek doesn't search. Claude Code asks the same model, and leaves it the choice; Gemini CLI asks another model.
  const isFound = !(isBlind && agent.name === "claude");
  if (agent.search) expect(last.includes("https://example.com/one")).toBe(isFound);
  // Qwen Code knows by the model's name, and puts a line of its own there.
  expect(NO_PICTURE.test(last)).toBe(isBlind);
  expect(last.includes(PICTURE_BYTES.toBase64())).toBe(!isBlind);
}

for (const [at, agent] of LONG_RUNNING.entries()) {
  describe.skipIf(!isInstalled(agent))(agent.name, () => {
    test.concurrent.each([...sampleRows(FAMILIES, 2, at)])(
      "twelve steps over %s",
      (id) => inTurn(() => play(agent, id)),
      PATIENT_MS,
    );
  });
}
