// A long session of a coding agent: twelve answers with parallel calls, a picture, failing tools, thinking and another agent,
// played over one model or over whatever the gateway chooses.
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { doorTo, PICTURE_BYTES } from "../clients/setting.ts";
import { AGENTS, type Agent, runAgent, writeCall } from "./agents.ts";
import type { AgentWorld } from "./world.ts";

/** Continue shows models no pictures. */
export const LONG_RUNNING = AGENTS.filter(({ name }) => name !== "cn");
const AT_ONCE = 4;
/** Includes waiting for other sessions. */
export const PATIENT_MS = 1_800_000;
const NO_PICTURE = /\[image left out: this model takes no images\]|\[Unsupported (image|content type: image)/;
const OVER = "the session is over";

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
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
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

export interface Session {
  readonly agent: Agent;
  /** The model's id, as the session's line of the report has it. */
  readonly id: string;
  /** Its name in the agent's form. */
  readonly model: string;
  readonly secret: string;
  /** True if no model that answers takes pictures. */
  readonly isBlind?: boolean;
  /** False if none searches the web. */
  readonly searches?: boolean;
  /** True if all models may be busy at once, so that the agent asks again. */
  readonly mayBeBusy?: boolean;
}

/** Plays the session to its end. Returns the models that answered, in their order, and a line for the report. */
export async function playSession(under: AgentWorld, session: Session) {
  const { agent, id, model, secret, isBlind = false, searches = true, mayBeBusy = false } = session;
  const home = under.makeHome();
  const work = join(home, "work");
  mkdirSync(work);
  const picture = join(work, "picture.png");
  await Bun.write(picture, PICTURE_BYTES);
  const word = `${agent.name}-${id.replace(/\W/g, "-")}`;
  const door = doorTo(under.url);
  const beganMs = performance.now();
  const prompt = writePrompt(agent, picture, word);
  const printed = await runAgent(agent, { url: door.url, secret, model, home, prompt });
  await door.stop();
  const calls = under.simulator.calls
    .all()
    .map(({ body, model }) => ({ text: JSON.stringify(body), model }))
    .filter(({ text }) => text.includes(word));
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const posts = door.posts.filter((status) => status !== 200 && !(mayBeBusy && status === 429));
  expect({ printed, posts }).toMatchObject({ posts: [] });
  expect(printed.replaceAll(`say: ${OVER}`, "")).toContain(OVER);
  const last = calls.at(-1)?.text ?? "";
  for (const result of ["first line", "it-failed", "in-parallel", "na\u00efve", "p1", "p4", "missing.txt"])
    expect([result, last.includes(result)]).toEqual([result, true]);
  if (agent.delegate !== null) expect(last).toContain("the helper is done");
  // Claude Code asks the same model to search, and leaves it the choice; Gemini CLI asks another model.
  const isFound = searches || agent.name !== "claude";
  if (agent.search) expect(last.includes("https://example.com/one")).toBe(isFound);
  // Qwen Code knows by the model's name, and puts a line of its own there.
  expect(NO_PICTURE.test(last)).toBe(isBlind);
  expect(last.includes(PICTURE_BYTES.toBase64())).toBe(!isBlind);
  return {
    models: calls.map((call) => call.model),
    line: `${agent.name} | ${id} | ${calls.length} | ${seconds}`,
  };
}
