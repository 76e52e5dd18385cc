// Our own prompts with their kind, for tasks that the public sets lack: templates with slots.
import { TOPICS, type Topic } from "../../../src/selectors/text/topics.ts";
import { makeDice } from "../dice.ts";
import data from "./prompts.data.json";

export interface OwnPrompt {
  readonly topic: Topic;
  readonly prompt: string;
  /** Judged by hand, in log-odds. */
  readonly difficulty: number;
  /** Judged by hand, for a plain answer. */
  readonly outputTokens: number;
}

const SLOTS = new Map(Object.entries(data.slots));
/** A template without slots is repeated, so that its words count as known. */
const PLAIN_TIMES = 4;

/** Returns the same prompts for the same seed. */
export function ownPrompts(perTemplate: number, seed: number): readonly OwnPrompt[] {
  const pick = makeDice(seed);
  const prompts: OwnPrompt[] = [];
  for (const { topic: name, difficulty, outputTokens, templates } of data.kinds) {
    const topic = TOPICS.find((one) => one === name);
    if (topic === undefined) throw new Error(`There is no topic ${name}.`);
    for (const template of templates) {
      const seen = new Set<string>();
      for (let round = 0; round < perTemplate; round++) {
        const prompt = filled(template, pick);
        if (seen.has(prompt) && (template.includes("{") || round >= PLAIN_TIMES)) continue;
        seen.add(prompt);
        prompts.push({ topic, prompt, difficulty, outputTokens });
      }
    }
  }
  return prompts;
}

function filled(template: string, pick: () => number): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const choices = SLOTS.get(name);
    return choices?.[Math.floor(pick() * choices.length)] ?? whole;
  });
}
