// Requests that coding agents send beside their work (titles, summaries of a full conversation, probes), known by the
// words of their own prompts. Each is served by the light choice, whatever the selector.
import type { ChatMessage, ChatRequest } from "../../operations/chat/form.ts";
import { readTexts } from "./task.ts";

const SIDE_CALLS = ["title", "summary", "probe", "check"] as const;
/** A probe finds out whether anything is answered, a check asks about the agent's own work. */
export type SideCall = (typeof SIDE_CALLS)[number];

/** Agents' own words, of which one is enough. Their case makes no difference. */
type SideCallWords = Readonly<Partial<Record<SideCall, readonly string[]>>>;

// By the prompts of Claude Code, Codex, opencode, Gemini CLI and Qwen Code.
const SYSTEM_WORDS: SideCallWords = {
  title: [
    "you are a title generator",
    "indicates a new conversation topic",
    "title that captures the",
    "generate a short title",
    "provide a short title for a task",
    "generate a concise, sentence-case title",
    "you are naming a coding session",
  ],
  summary: [
    "tasked with summarizing conversations",
    "summarizes internal chat history into a given structure",
    "you are performing a context checkpoint compaction",
    "you are an anchored context summarization assistant",
    "summary label describing what these tool calls accomplished",
  ],
  check: [
    "extract any file paths that this command reads or modifies",
    "you are a specialized task routing ai",
    "is stuck in an unproductive state",
    "your task is to process bash commands that an ai coding agent wants to run",
  ],
};
const TURN_WORDS: SideCallWords = {
  title: [
    "generate a title for this conversation",
    "write a 5-10 word title",
    "generate a concise title",
    "generate a short title",
    "come up with a succinct title",
    "generate a short kebab-case name",
    "word lowercase label for this job",
  ],
  summary: [
    "your task is to create a detailed summary of the conversation so far",
    "you are performing a context checkpoint compaction",
    "provide a detailed prompt for continuing our conversation above",
    "then, generate the <state_snapshot>",
    "summarize the following tool output to be a maximum of",
    "summarize the user's primary intent or goal in this conversation",
    "summarize this coding conversation in under",
    "the user stepped away and is coming back",
  ],
  check: [
    "[suggestion mode:",
    "your task is to process bash commands that an ai coding agent wants to run",
    "content and structure of your immediately preceding response",
  ],
};
const IN_SYSTEM = toPattern(SYSTEM_WORDS);
const IN_TURN = toPattern(TURN_WORDS);
/** A probe of the quota asks for so few tokens that nothing can be answered, with a word for a prompt. */
const PROBE_TOKENS_MAX = 1;
const PROBE_CHARS_MAX = 16;
/** Characters searched of a text. Agents' own words stand at its head. */
const HEAD_CHARS = 700;
const TEXTS_READ_MAX = 4;

/** Returns what a coding agent asks for beside its work. Null if the request is work. Bounded work. */
export function findSideCall({ messages }: ChatRequest, outputTokensMax: number | null): SideCall | null {
  return isProbe(messages, outputTokensMax) ? "probe" : findSideWords(messages);
}

/** True for a request by which an agent only finds out whether it would be answered. */
export function isProbe(messages: readonly ChatMessage[], outputTokensMax: number | null): boolean {
  if (outputTokensMax === null || outputTokensMax > PROBE_TOKENS_MAX || messages.length !== 1) return false;
  return readTurn(messages).length <= PROBE_CHARS_MAX;
}

/** Finds a side call by its words, which stand in the messages of the system and in the newest turn. */
export function findSideWords(messages: readonly ChatMessage[]): SideCall | null {
  return findWords(IN_SYSTEM, readHeads(messages.filter(isSystem))) ?? findWords(IN_TURN, readTurn(messages));
}

function readTurn(messages: readonly ChatMessage[]): string {
  const turn = messages.findLast(isUser);
  return turn === undefined ? "" : readHeads([turn]);
}

/** Returns a pattern with a group for each kind of side call: one search takes half as long as one for each word. */
function toPattern(words: SideCallWords): RegExp {
  const groups = Object.entries(words).map(
    ([what, some]) => `(?<${what}>${some.map(RegExp.escape).join("|")})`,
  );
  return new RegExp(groups.join("|"), "i");
}

function findWords(pattern: RegExp, text: string): SideCall | null {
  const groups = pattern.exec(text)?.groups ?? {};
  const isFound = (what: SideCall) => groups[what] !== undefined;
  return SIDE_CALLS.find(isFound) ?? null;
}

function isSystem({ role }: ChatMessage): boolean {
  return role === "system" || role === "developer";
}

function isUser({ role }: ChatMessage): boolean {
  return role === "user";
}

/** Returns the heads of the first few texts. */
function readHeads(messages: readonly ChatMessage[]): string {
  const texts = messages.slice(0, TEXTS_READ_MAX).flatMap(({ content }) => readTexts(content));
  const heads = texts.slice(0, TEXTS_READ_MAX).map((text) => text.slice(0, HEAD_CHARS));
  return heads.join("\n");
}
