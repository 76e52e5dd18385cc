// Sentences of agents and test suites that a model understands, in the words that the simulated models act on.
import { listStepsLeft } from "../../src/simulator/responder.ts";
import type { Prompt, Turn } from "../../src/simulator/types.ts";

/**
 * Sentences with which Claude Code 2.1, Codex 0.171, Gemini CLI 0.61, opencode 1.18 and Qwen Code 0.15 ask for a summary
 * that takes the conversation's place.
 */
const ASKS_SUMMARY =
  /create a detailed summary of the|CONTEXT CHECKPOINT COMPACTION|<state_snapshot>|new anchored summary/i;
/** The beginning of each summary. */
export const SUMMARY = "The steps that are left:";

/** LangChain's standard tests. */
const ASKS_CALL = /What is the value of (\w+)\((\d*)\)\? Use the tool\./;
const ASKS_WEATHER = /What is the weather in ([^?]+)\?/;
const ASKS_CUSTOMER = /Create a customer named '([^']+)'/;
const ASKS_JSON = /Return the result as a JSON with '(\w+)' and '(\w+)' keys/;

/** Returns the prompt with its last user turn in such words, or as it is. */
export function understand(prompt: Prompt): Prompt {
  const turns = prompt.turns.map(readSummary);
  const read = { ...prompt, turns };
  const last = turns.findLastIndex(({ role }) => role !== "system");
  const { role, text } = turns[last] ?? { role: "system", text: "" };
  if (role !== "user") return read;
  const said = (words: string) => ({ ...read, turns: turns.with(last, { role, text: words }) });
  // A model that is asked for a summary calls no tool.
  if (ASKS_SUMMARY.test(text))
    return { ...read, turns: [{ role, text: `say: ${summarise(read)}` }], tools: [] };
  const [, tool, input] = ASKS_CALL.exec(text) ?? [];
  if (tool !== undefined) return said(`call ${tool}(${input === "" ? "{}" : `{"input":${input}}`})`);
  const [, location] = ASKS_WEATHER.exec(text) ?? [];
  if (location !== undefined) return said(`call get_weather(${JSON.stringify({ location })})`);
  const [, customer_name] = ASKS_CUSTOMER.exec(text) ?? [];
  if (customer_name !== undefined) return said(`call unicode_customer(${JSON.stringify({ customer_name })})`);
  const keys = ASKS_JSON.exec(text)?.slice(1);
  if (keys)
    return {
      ...said(`say: ${JSON.stringify(Object.fromEntries(keys.map((key) => [key, "a cat"])))}`),
      format: null,
    };
  return read;
}

/**
 * Steps have another name in a summary, or the model that writes it would take the first of them. opencode sends the
 * conversation as one text, which doesn't show what was done: there only the last is left.
 */
function summarise(prompt: Prompt): string {
  const hasAnswers = prompt.turns.some(({ role }) => role === "assistant");
  const left = listStepsLeft(prompt).slice(hasAnswers ? 0 : -1);
  const steps = left.map(({ number, text }) => `left ${number}: ${text}`);
  return `<summary>${SUMMARY}\n${steps.join("\n")}\n</summary>`;
}

/** Reads a summary in a conversation. opencode keeps it as the model's own turn. */
function readSummary(turn: Turn): Turn {
  if (!turn.text.includes(SUMMARY)) return turn;
  return { ...turn, role: "user", text: turn.text.replaceAll(/\bleft (\d+): /g, "step $1: ") };
}
