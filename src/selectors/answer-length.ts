// The length of an answer that the task itself asks for: "800 words", "in one sentence", "rewrite this module".
import { again, units } from "./length-units.data.json";

/** Where people say how long an answer should be: characters read from the head of a task, and from its tail. */
const HEAD_CHARS = 400;
const TAIL_CHARS = 200;
const NUMBER = /^(\d{1,2}[,.]?\d{3}|\d{1,5})$/;
const TOKENS_MAX = 8_000;
/** Numbers that people write out. */
const NAMED: ReadonlyMap<string, number> = new Map(Object.entries(units.numbers));
/** By the word for a unit of text, the tokens of one. */
const TOKENS: ReadonlyMap<string, number> = new Map(
  Object.entries(units.words).flatMap(([tokens, words]) =>
    words.map((word) => [word, Number(tokens)] as const),
  ),
);
/** Ideographs stand without spaces: a number, then one of these. */
const DENSE = new RegExp(`(\\d{1,5}|[一二两三四五六七八九十])\\s*(${Object.keys(units.dense).join("|")})`);
const DENSE_TOKENS: ReadonlyMap<string, number> = new Map(Object.entries(units.dense));
const DENSE_DIGITS = "零一二三四五六七八九十";

/** A text to be written again stands beside the words that ask for it, and is longer than they are. */
const AGAIN_CHARS = 120;
const AGAIN_TOKENS_MIN = 40;

/** Returns the tokens of the answer that the task asks for, itself of `taskTokens`. Null if it asks for no length. */
export function readAskedTokens(task: string, taskTokens = 0): number | null {
  return readUnits(takeEnds(task, HEAD_CHARS, TAIL_CHARS)) ?? readAgain(task, taskTokens);
}

function takeEnds(task: string, head: number, tail: number): string {
  const ends = task.length <= head + tail ? task : `${task.slice(0, head)} ${task.slice(-tail)}`;
  return ends.toLowerCase();
}

function readAgain(task: string, taskTokens: number): number | null {
  if (taskTokens < AGAIN_TOKENS_MIN) return null;
  const ends = takeEnds(task, AGAIN_CHARS, AGAIN_CHARS);
  return again.some((word) => ends.includes(word)) ? Math.min(TOKENS_MAX, taskTokens) : null;
}

function readUnits(text: string): number | null {
  const words = text.split(/[\s()[\]"':;!?–—-]+/);
  for (let at = 1; at < words.length; at++) {
    const each = TOKENS.get((words[at] ?? "").replace(/[.,،。]+$/, ""));
    const count = each === undefined ? null : readCount(words[at - 1] ?? "");
    if (each !== undefined && count !== null) return Math.min(TOKENS_MAX, each * count);
  }
  const dense = DENSE.exec(text);
  if (dense === null) return null;
  const [, count = "", unit = ""] = dense;
  const number = /\d/.test(count) ? Number(count) : readDense(count);
  return Math.min(TOKENS_MAX, number * (DENSE_TOKENS.get(unit) ?? 1));
}

function readCount(word: string): number | null {
  if (NUMBER.test(word)) return Number(word.replace(/[.,]/, ""));
  return NAMED.get(word) ?? null;
}

function readDense(sign: string): number {
  return sign === "两" ? 2 : DENSE_DIGITS.indexOf(sign);
}
