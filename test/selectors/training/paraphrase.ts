// Rule-based paraphrases: the question stays the same, its wording changes.
import { makeDice } from "../dice.ts";

/** Words and their replacements that don't change the question. */
const SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [/\bhow many\b/i, "what number of"],
  [/\bcalculate\b/i, "work out"],
  [/\bfind\b/i, "determine"],
  [/\bwrite\b/i, "create"],
  [/\bexplain\b/i, "describe"],
  [/\bpeople\b/i, "persons"],
  [/\bbig\b/i, "large"],
  [/\bbegins?\b/i, "starts"],
  [/\bbuys?\b/i, "purchases"],
  [/\bchildren\b/i, "kids"],
  [/\bgive me\b/i, "provide"],
  [/\bwhich of the following\b/i, "which one of these"],
  [/\banswer\b/i, "reply"],
  [/\bneeds?\b/i, "requires"],
];

/** The features don't know the form of the last two. */
const POLITE = [
  ["Hello! Could you please help me with this?\n", "\nThank you very much."],
  ["Please, ", " Thanks!"],
  ["Good morning. ", "\nMany thanks in advance!"],
  ["", " Thanks a lot."],
  ["I would be grateful for an answer to this:\n", ""],
  ["Sorry to bother you again. ", "\nI appreciate it."],
] as const;

export const PARAPHRASES: Readonly<Record<string, (prompt: string, seed: number) => string>> = {
  "lower case": (prompt) => prompt.toLowerCase(),
  "upper case": (prompt) => prompt.toUpperCase(),
  spacing: (prompt) => `\n  ${prompt.replace(/ /g, "  ").replace(/\n/g, "\n\n")}\n`,
  politeness: (prompt, seed) => {
    const [before, after] = POLITE[seed % POLITE.length] ?? ["", ""];
    return `${before}${prompt}${after}`;
  },
  synonyms: (prompt) => SYNONYMS.reduce((text, [pattern, other]) => text.replace(pattern, other), prompt),
  "other numbers": (prompt, seed) => {
    const dice = makeDice(seed);
    return prompt.replace(/\d/g, (digit) => (digit === "0" ? digit : String(1 + Math.floor(dice() * 9))));
  },
  "sentences reordered": (prompt) => {
    const sentences = prompt.split(/(?<=[.!?]) (?=[A-Z])/);
    if (sentences.length < 3) return prompt;
    const [first = "", second = "", ...rest] = sentences;
    return [second, first, ...rest].join(" ");
  },
  "two typing errors": (prompt, seed) => {
    const dice = makeDice(seed);
    let text = prompt;
    for (let round = 0; round < 2; round++) {
      const at = Math.floor(dice() * Math.max(1, text.length - 2));
      text = text.slice(0, at) + (text[at + 1] ?? "") + (text[at] ?? "") + text.slice(at + 2);
    }
    return text;
  },
};
