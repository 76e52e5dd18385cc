// Features of a request: its shape, its script, and the hashed words of its task and of the context around it.
import type { ChatMessage, ChatRequest, Content } from "../../operations/chat/form.ts";
import { readAskedTokens } from "./answer-length.ts";
import { readCues } from "./cues.ts";
import { HashCounts } from "./hash-index.ts";
import { findInstructions, type Instruction } from "./instruction.ts";
import { makeCounts, scan, type TextCounts } from "./ngrams.ts";
import { stripPoliteness } from "./politeness.ts";
import { readShape, type Shape } from "./shape.ts";
import { findSideCall } from "./side-calls.ts";
import { findTask, readTexts } from "./task.ts";
import { loadShippedWords, mendText, type Words } from "./words.ts";

/** Characters read from the task, half from its head and half from its tail. */
const TURN_CHARS_MAX = 8_000;
/** Characters read from the system message, and from the turns before the last. */
const CONTEXT_CHARS_MAX = 2_000;
/** The weight of a word in the context, if a word in the task weighs 1. */
const CONTEXT_WEIGHT = 0.05;
/** A text is expected to have at most a word or a pair for this many characters. With more, the table grows. */
const CHARS_PER_GRAM = 4;
const CHARS_PER_TOKEN = 4;
/** An estimate for images of any size: providers differ. */
const TOKENS_PER_IMAGE = 800;

export type RequestFeatures = ReturnType<typeof readFeatures>;

/** Pure. Bounded work for a request of any length. If `words` is null, no typing errors are corrected. */
export function readFeatures(request: ChatRequest, words: Words | null = loadShippedWords()) {
  const task = readTask(request.messages, words);
  const shape = readShape(request);
  return {
    ...task,
    shape,
    /** Null unless a coding agent asks for something beside its work. */
    sideCall: findSideCall(request, shape.outputTokensMax),
    promptTokens: estimatePromptTokens(shape, task.counts),
  };
}

export type TaskText = ReturnType<typeof readTask>;

/**
 * Reads the text of the task and of the context around it: the part of the features that stays the same while an agent calls
 * tools. `room` is filled with the words if it is given.
 */
export function readTask(
  messages: readonly ChatMessage[],
  words: Words | null = loadShippedWords(),
  room?: HashCounts,
) {
  const { at: taskAt, texts } = findTask(messages);
  // Everything below reads lower case. Making it takes as long as hashing a quarter of the words.
  const turn = clipTexts(texts, TURN_CHARS_MAX).toLowerCase();
  // Counts only the part of the task that is read.
  const counts = makeCounts();
  const asked = stripPoliteness(turn);
  const mended = words === null ? asked : mendText(asked, words);
  // Occurrences by the hash of a word or pair. Those in the context count at their weight.
  const grams = room ?? new HashCounts(0);
  grams.clear(mended.length / CHARS_PER_GRAM);
  scan(mended, counts, grams, 1);
  const around = makeCounts();
  for (const text of readContext(messages, taskAt)) scan(text.toLowerCase(), around, grams, CONTEXT_WEIGHT);
  const turnChars = texts.reduce((chars, text) => chars + text.length, 0);
  const taskTokens = Math.ceil(estimateTextTokens(turnChars, counts)) + 1;
  return {
    /** The characters of the whole turn. */
    turnChars,
    counts,
    grams,
    cues: readCues(mended),
    instructions: findInstructions(mended).map(readInstruction),
    /** The tokens of the answer that the task asks for. Null if it asks for no length. */
    askedTokens: readAskedTokens(turn, taskTokens),
    options: countOptions(turn),
    taskTokens,
  };
}

const LINE_ROOM = new HashCounts(0);

/** Describes an instruction as if that were the whole task. */
function readInstruction({ line, isAnnouncement }: Instruction) {
  const counts = makeCounts();
  LINE_ROOM.clear(line.length / CHARS_PER_GRAM);
  scan(line, counts, LINE_ROOM, 1);
  const turnChars = line.length;
  return {
    isAnnouncement,
    cues: readCues(line),
    turnChars,
    counts,
    options: 0,
    taskTokens: Math.ceil(estimateTextTokens(turnChars, counts)) + 1,
  };
}

/** Returns the system message and the end of the conversation before the task, the latest turn first. */
function readContext(messages: readonly ChatMessage[], taskAt: number): readonly string[] {
  const system = messages.find(({ role }) => role === "system" || role === "developer");
  const head = clipContent(system?.content, CONTEXT_CHARS_MAX).slice(0, CONTEXT_CHARS_MAX);
  let room = CONTEXT_CHARS_MAX;
  const tail: string[] = [];
  for (let at = taskAt - 1; at >= 0 && room > 0; at--) {
    const message = messages[at];
    if (message === undefined || message === system) continue;
    const text = clipContent(message.content, room);
    tail.push(text);
    room -= text.length + 1;
  }
  return head === "" ? tail : [head, ...tail];
}

/** Returns the content's text, or its head and tail if it is long. */
function clipContent(content: Content | null | undefined, charsMax: number): string {
  return clipTexts(readTexts(content), charsMax);
}

function clipTexts(texts: readonly string[], charsMax: number): string {
  if (texts.length === 1) return clip(texts[0] ?? "", charsMax);
  return clip(texts.map((text) => clip(text, charsMax)).join("\n"), charsMax);
}

function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = charsMax >> 1;
  return `${text.slice(0, half)} ${text.slice(text.length - half)}`;
}

/** Counts lines that begin like "A." or "B)". */
function countOptions(text: string): number {
  let options = 0;
  for (let at = 0; at >= 0 && at < text.length; ) {
    const letter = text.charCodeAt(at) & ~32;
    const mark = text.charCodeAt(at + 1);
    if (letter >= 65 && letter <= 74 && (mark === 46 || mark === 41)) options++;
    const next = text.indexOf("\n", at);
    at = next === -1 ? -1 : next + 1;
  }
  return options;
}

export function estimatePromptTokens(shape: Shape, counts: TextCounts): number {
  const text = estimateTextTokens(shape.chars, counts);
  return Math.ceil(text + shape.toolChars / CHARS_PER_TOKEN + shape.images * TOKENS_PER_IMAGE) + 4;
}

/** Four characters per token, one ideograph per token. */
function estimateTextTokens(chars: number, counts: TextCounts): number {
  const dense = counts.chars === 0 ? 0 : counts.ideographs / counts.chars;
  return chars * (dense + (1 - dense) / CHARS_PER_TOKEN);
}
