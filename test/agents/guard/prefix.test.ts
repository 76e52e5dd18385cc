// Sessions of twenty turns with values in the prompt, in calls and in their results, which a rule swaps: what a provider gets in one
// turn differs from the turn before at the places at which it does without the rule. In the long form alone.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { dropMarks } from "../../whole/guard/prefix-talk.ts";
import { AGENTS, type Agent, isInstalled, runAgent, writeCall } from "../agents.ts";
import { inTurn, PATIENT_MS } from "../sessions.ts";
import { type AgentWorld, startAgentWorld } from "../world.ts";

const TURNS = 20;
const OVER = "the session is over";
const VALUES = /(owner\d+|boss)@corp-|111222333/;
const ROWS: readonly (readonly [string, string])[] = [
  ["claude", "Anthropic#claude-haiku-4-5"],
  ["claude", "OpenAI#gpt-5.6-sol"],
  ["codex", "OpenAI#gpt-5.6-sol"],
  ["codex", "Anthropic#claude-haiku-4-5"],
  ["gemini", "Google#gemini-3.5-flash"],
];

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld(
    'guard: { rules: [{ name: swap, detect: [contact, finance, ids], action: swap, keys: ["swapped"] }] }',
  );
});
afterAll(() => under.stop());

function writePrompt(agent: Agent, word: string): string {
  const steps = Array.from({ length: TURNS }, (_, at) => {
    const call = writeCall([agent.tool, agent.input(`echo owner${at}@corp-y.de 111222333`)]);
    return `step ${at + 1}: ${call}`;
  });
  const first = `The word is ${word}. I am bsn 111222333. Write to boss@corp-x.de.`;
  return [first, ...steps, `step ${TURNS + 1}: say: ${OVER}`].join("\n");
}

/** Plays a session, and returns what the provider got, in order. Requests beside it have no tools. */
async function play(agent: Agent, id: string, name: string): Promise<readonly JsonObject[]> {
  const word = `${name}-${agent.name}-${id.replace(/\W/g, "-")}`;
  const { secret } = await under.newKey({ name, requests_per_day: null });
  const session = { url: under.url, secret, model: agent.modelName(id), home: under.makeHome() };
  const printed = await runAgent(agent, { ...session, prompt: writePrompt(agent, word) });
  expect(printed).toContain(OVER);
  return under.simulator.calls
    .all()
    .map(({ body }) => asObject(body))
    .filter((body) => asArray(body.tools).length > 0 && JSON.stringify(body).includes(word));
}

/** For each turn the first place at which it differs from the one before: -1 before all messages, null for none. */
function listBreaks(sent: readonly JsonObject[]): readonly (number | null)[] {
  const whole = sent.map(({ messages, input, contents, tools, system, instructions, systemInstruction }) => ({
    rest: dropMarks(JSON.stringify([tools, system, instructions, systemInstruction])),
    list: asArray(messages ?? input ?? contents).map((one) => dropMarks(JSON.stringify(one))),
  }));
  return whole.slice(1).map(({ rest, list }, at) => {
    const before = whole[at];
    if (before?.rest !== rest) return -1;
    const place = before.list.findIndex((one, index) => one !== list[index]);
    return place === -1 ? null : place;
  });
}

const each = IS_LONG ? test.concurrent.each(ROWS) : test.skip.each(ROWS);

each(
  "%s on %s",
  (name, id) =>
    inTurn(async () => {
      const agent = AGENTS.find((one) => one.name === name);
      if (!agent || !isInstalled(agent)) return;
      const plain = await play(agent, id, "plain");
      const swapped = await play(agent, id, "swapped");
      expect(swapped.length).toBeGreaterThan(TURNS);
      expect(swapped.filter((body) => VALUES.test(JSON.stringify(body)))).toEqual([]);
      expect(plain.filter((body) => VALUES.test(JSON.stringify(body))).length).toBe(plain.length);
      const breaks = listBreaks(plain);
      expect(breaks.filter((at) => at === -1).length).toBeLessThan(TURNS / 4);
      expect(listBreaks(swapped)).toEqual(breaks);
      const names = new Set(JSON.stringify(swapped.at(-1)).match(/EMAIL_[0-9A-Z]{8}/g));
      expect(names.size).toBeGreaterThan(TURNS);
    }),
  PATIENT_MS,
);
