// Features of a request: its shape, its script, and the hashed words of its task and of the context around it.
import {
  type ChatMessage,
  type ChatRequest,
  type Content,
  readOutputLimit,
  type Tool,
  type ToolCall,
} from "../../operations/chat/form.ts";
import { readAskedTokens } from "./answer-length.ts";
import { readCues } from "./cues.ts";
import { HashCounts } from "./hash-index.ts";
import { findInstructions, type Instruction } from "./instruction.ts";
import { makeCounts, scan, type TextCounts } from "./ngrams.ts";
import { stripPoliteness } from "./politeness.ts";
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
const TOOLS_READ_MAX = 8;

interface Shape {
  readonly tools: number;
  /** Characters of the tools' descriptions and schemas, estimated. */
  readonly toolChars: number;
  /** "text", or the JSON that the answer has to be. */
  readonly format: "text" | "json_object" | "json_schema";
  readonly images: number;
  /** User turns. */
  readonly turns: number;
  readonly hasSystem: boolean;
  /** Characters of the whole conversation, tool calls and their results included. */
  readonly chars: number;
  readonly turnChars: number;
  readonly outputTokensMax: number | null;
}

export type RequestFeatures = ReturnType<typeof readFeatures>;

/** Pure. Bounded work for a request of any length. If `words` is null, no typing errors are corrected. */
export function readFeatures(request: ChatRequest, words: Words | null = loadShippedWords()) {
  const { messages } = request;
  const { at: taskAt, texts } = findTask(messages);
  // Everything below reads lower case. Making it takes as long as hashing a quarter of the words.
  const turn = clipTexts(texts, TURN_CHARS_MAX).toLowerCase();
  // Counts only the part of the task that is read.
  const counts = makeCounts();
  const asked = stripPoliteness(turn);
  const mended = words === null ? asked : mendText(asked, words);
  // Occurrences by the hash of a word or pair. Those in the context count at their weight.
  const grams = new HashCounts(mended.length / CHARS_PER_GRAM);
  scan(mended, counts, grams, 1);
  const around = makeCounts();
  for (const text of readContext(messages, taskAt)) scan(text.toLowerCase(), around, grams, CONTEXT_WEIGHT);
  const shape = readShape(request, texts);
  const taskTokens = Math.ceil(estimateTextTokens(shape.turnChars, counts)) + 1;
  return {
    shape,
    counts,
    grams,
    cues: readCues(mended),
    instructions: findInstructions(mended).map((one) => readInstruction(one, shape)),
    /** Null unless a coding agent asks for something beside its work. */
    sideCall: findSideCall(request, shape.outputTokensMax),
    /** The tokens of the answer that the task asks for. Null if it asks for no length. */
    askedTokens: readAskedTokens(turn, taskTokens),
    options: countOptions(turn),
    promptTokens: estimatePromptTokens(shape, counts),
    taskTokens,
  };
}

/** Describes an instruction as if that were the whole task. */
function readInstruction({ line, isAnnouncement }: Instruction, shape: Shape) {
  const counts = makeCounts();
  scan(line, counts, new HashCounts(line.length / CHARS_PER_GRAM), 1);
  const chars = line.length;
  return {
    isAnnouncement,
    cues: readCues(line),
    shape: { ...shape, chars, turnChars: chars },
    counts,
    options: 0,
    taskTokens: Math.ceil(estimateTextTokens(chars, counts)) + 1,
  };
}

function readShape(request: ChatRequest, task: readonly string[]): Shape {
  const { messages } = request;
  const shape = { images: 0, turns: 0, chars: 0, hasSystem: false };
  for (const message of messages) {
    shape.chars += countChars(message.content);
    if (message.role === "user") shape.turns++;
    else if (message.role === "assistant") shape.chars += countCallChars(message.tool_calls);
    else if (message.role !== "tool") shape.hasSystem = true;
    shape.images += countImages(message.content);
  }
  const tools = request.tool_choice === "none" ? [] : (request.tools ?? []);
  return {
    ...shape,
    tools: tools.length,
    toolChars: countToolChars(tools),
    format: request.response_format?.type ?? "text",
    turnChars: task.reduce((chars, text) => chars + text.length, 0),
    outputTokensMax: readOutputLimit(request) ?? null,
  };
}

function countCallChars(calls: readonly ToolCall[] = []): number {
  return calls.reduce(
    (chars, { function: called, custom }) => chars + JSON.stringify(called ?? custom ?? "").length,
    0,
  );
}

function countImages(content: Content | null | undefined): number {
  if (typeof content === "string" || !content) return 0;
  return content.reduce((images, { type }) => images + Number(type === "image_url"), 0);
}

/** Estimates the size of many tools from the first few, because serializing all takes time. */
function countToolChars(tools: readonly Tool[]): number {
  const some = tools.slice(0, TOOLS_READ_MAX);
  return some.length === 0 ? 0 : (JSON.stringify(some).length * tools.length) / some.length;
}

function countChars(content: Content | null | undefined): number {
  return readTexts(content).reduce((chars, text) => chars + text.length, 0);
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

function estimatePromptTokens(shape: Shape, counts: TextCounts): number {
  const text = estimateTextTokens(shape.chars, counts);
  return Math.ceil(text + shape.toolChars / CHARS_PER_TOKEN + shape.images * TOKENS_PER_IMAGE) + 4;
}

/** Four characters per token, one ideograph per token. */
function estimateTextTokens(chars: number, counts: TextCounts): number {
  const dense = counts.chars === 0 ? 0 : counts.ideographs / counts.chars;
  return chars * (dense + (1 - dense) / CHARS_PER_TOKEN);
}
