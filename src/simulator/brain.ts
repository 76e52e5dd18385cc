// What the simulated models answer: a function of the request alone, so that tests can say beforehand what must come.
import { isObject, type JsonObject, parseJson } from "../core/json.ts";
import type { Control } from "./control.ts";
import type { Answer, AnswerCall, Media, OfferedTool, Prompt, TokenCount, Turn } from "./scene.ts";
import { sampleOf } from "./schema.ts";

/** What an image, file or audio counts for. */
export const MEDIA_TOKENS = 85;
const WORDS_MAX = 1_000_000;
/** A request is not validated: without a bound, `"n": 1e9` would fill the memory. */
const CHOICES_MAX = 128;
export const REFUSAL = "I'm sorry, but I can't help with that.";

/** The rule of all simulated counts: a quarter of the characters (UTF-16 units), rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** `word1 word2 …`, so that a lost or doubled piece shows. */
export function words(count: number): string {
  return Array.from({ length: Math.min(count, WORDS_MAX) }, (_, at) => `word${at + 1}`).join(" ");
}

function noteOf({ kind, mediaType, bytes }: Media): string {
  return bytes === null ? `[${kind} ${mediaType}]` : `[${kind} ${mediaType} ${bytes} bytes]`;
}

function lastUserTurn(prompt: Prompt): Turn {
  return prompt.turns.findLast((turn) => turn.role === "user") ?? { role: "user", text: "" };
}

/** The results at the conversation's end, oldest first, each with its tool's name; none when the user spoke after them. */
export function freshResults(prompt: Prompt): readonly { readonly name: string; readonly text: string }[] {
  const last = prompt.turns.findLastIndex((turn) => turn.role !== "tool");
  const names = new Map(prompt.turns.flatMap((turn) => turn.calls ?? []).map(({ id, name }) => [id, name]));
  return prompt.turns.slice(last + 1).map((turn) => {
    const answered = turn.answers ?? "";
    return { name: names.get(answered) ?? answered, text: turn.text };
  });
}

/** Where the parenthesis that opens at `open` closes, brackets in JSON strings passed over; -1 when it doesn't. */
function closing(text: string, open: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = open; at < text.length; at++) {
    const letter = text[at];
    if (quoted && letter === "\\") at++;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === "(") depth++;
    else if (!quoted && letter === ")" && --depth === 0) return at;
  }
  return -1;
}

/** The `call name({…})` of a text whose tools are offered. */
function callsIn(text: string, tools: readonly OfferedTool[]): readonly AnswerCall[] {
  const calls: AnswerCall[] = [];
  for (const match of text.matchAll(/\bcall ([\w.:-]+)\(/gi)) {
    const tool = tools.find(({ name }) => name === match[1]);
    const open = match.index + match[0].length - 1;
    const close = closing(text, open);
    if (!tool || close === -1) continue;
    calls.push(callOf(tool, text.slice(open + 1, close).trim()));
  }
  return calls;
}

function callOf(tool: OfferedTool, given: string): AnswerCall {
  if (tool.schema === null) return { name: tool.name, input: given, custom: true };
  const parsed = parseJson(given);
  return { name: tool.name, input: JSON.stringify(isObject(parsed) ? parsed : {}), custom: false };
}

function sampleCall(tool: OfferedTool): AnswerCall {
  const { name, schema } = tool;
  if (schema === null) return { name, input: "sample", custom: true };
  const value: unknown = sampleOf({ type: "object", ...schema });
  return { name, input: JSON.stringify(isObject(value) ? value : {}), custom: false };
}

function chosenCalls(prompt: Prompt, text: string): readonly AnswerCall[] {
  const { tools, toolChoice, parallelCalls } = prompt;
  if (toolChoice === "none" || tools.length === 0) return [];
  const named = typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const found = callsIn(text, named);
  const [first] = named;
  const calls = found.length === 0 && toolChoice !== "auto" && first ? [sampleCall(first)] : found;
  return parallelCalls ? calls : calls.slice(0, 1);
}

function jsonText(schema: JsonObject | null, said: string): string {
  return JSON.stringify(schema === null ? { said } : sampleOf(schema));
}

/** The words of an answer that is neither a call nor a refusal. */
function wordsFor(prompt: Prompt): string {
  const { text, media = [] } = lastUserTurn(prompt);
  const results = freshResults(prompt);
  if (prompt.format) return jsonText(prompt.format.schema, text);
  if (results.length > 0)
    return `The tools answered: ${results.map((r) => `${r.name} → ${r.text}`).join("; ")}.`;
  if (/what is your system prompt\?/i.test(text)) {
    const system = prompt.turns.filter(({ role }) => role === "system").map((turn) => turn.text);
    return system.length === 0 ? "I have no system prompt." : `My system prompt is: ${system.join("\n")}`;
  }
  const long = /\blong (\d{1,7})\b/i.exec(text);
  if (long) return words(Number(long[1]));
  const say = /\bsay: ([\s\S]*)$/i.exec(text);
  if (say) return say[1] ?? "";
  return ["You said:", text, ...media.map(noteOf)].join(" ");
}

interface Draft {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  readonly refusal: string | null;
}

function draftFor(prompt: Prompt, control: Control, index: number): Draft {
  const { text } = lastUserTurn(prompt);
  const thinking = prompt.thinks ? `Thinking about: ${text.slice(0, 200).toWellFormed()}`.trimEnd() : "";
  const blank: Draft = { thinking, text: "", calls: [], refusal: null };
  const fresh = freshResults(prompt).length === 0;
  if (control.trouble === "no-content") return { ...blank, thinking: "" };
  if (control.trouble === "huge") return { ...blank, text: "x".repeat(control.sizeKilobytes * 1024) };
  if (fresh && /\brefuse\b/i.test(text)) return { ...blank, refusal: REFUSAL };
  const calls = fresh ? chosenCalls(prompt, text) : [];
  if (calls.length > 0) return { ...blank, calls };
  const said = wordsFor(prompt);
  return { ...blank, text: index === 0 || prompt.format ? said : `${said} (choice ${index + 1})` };
}

/** The first so many characters, no character halved. */
function head(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Cuts at the earliest stop sequence, then at what the token limit leaves beside thinking and calls. */
function limited(draft: Draft, prompt: Prompt): Omit<Answer, "index" | "pieces"> {
  const { thinking, refusal } = draft;
  if (refusal !== null) return { ...draft, finish: "refusal", stopSequence: null };
  const stops = prompt.stop.filter((stop) => stop !== "" && draft.text.includes(stop));
  const stopSequence = stops.sort((a, b) => draft.text.indexOf(a) - draft.text.indexOf(b))[0] ?? null;
  const text = stopSequence === null ? draft.text : draft.text.slice(0, draft.text.indexOf(stopSequence));
  const left = (prompt.outputTokensMax ?? Infinity) - tokensOf(thinking);
  const callTokens = draft.calls.reduce((sum, call) => sum + tokensOf(call.name + call.input), 0);
  if (left <= 0) {
    const kept = head(thinking, (prompt.outputTokensMax ?? 0) * 4).trimEnd();
    return { thinking: kept, text: "", calls: [], refusal, finish: "length", stopSequence: null };
  }
  if (callTokens > left || tokensOf(text) > left)
    return { thinking, text: head(text, left * 4), calls: [], refusal, finish: "length", stopSequence: null };
  const finish = draft.calls.length > 0 ? "tool_calls" : stopSequence === null ? "stop" : "stop_sequence";
  return { thinking, text, calls: draft.calls, refusal, finish, stopSequence };
}

/** The text in exactly `count` pieces (fewer when it has fewer characters), or in words. No character is halved. */
export function piecesOf(text: string, count: number | null): readonly string[] {
  if (count === 1) return text === "" ? [] : [text];
  const units = text.match(/\s*\S+|\s+/g) ?? [];
  if (count === null || units.length === count) return units;
  const finer = units.length > count ? units : Array.from(text);
  if (finer.length <= count) return finer;
  return Array.from({ length: count }, (_, at) =>
    finer
      .slice(Math.floor((at * finer.length) / count), Math.floor(((at + 1) * finer.length) / count))
      .join(""),
  );
}

function lengthened(draft: Draft, prompt: Prompt, count: number | null): Draft {
  if (count === null || draft.text === "" || prompt.format) return draft;
  const short = count - (draft.text.match(/\S+/g) ?? []).length;
  return short > 0 ? { ...draft, text: `${draft.text} ${words(short)}` } : draft;
}

/** The answers to a prompt, one per choice asked for. */
export function answersTo(prompt: Prompt, control: Control): readonly Answer[] {
  const count = control.trouble === "huge" ? 1 : control.chunks;
  const choices = Math.max(1, Math.min(prompt.choices, CHOICES_MAX));
  return Array.from({ length: choices }, (_, index) => {
    const draft = lengthened(draftFor(prompt, control, index), prompt, count);
    const answer = limited(draft, prompt);
    return { ...answer, index, pieces: piecesOf(answer.text, count) };
  });
}

/** All tokens of the prompt: its texts, calls and results together, and its media. Tool definitions count nothing. */
export function inputTokens(prompt: Prompt): number {
  let characters = 0;
  let media = 0;
  for (const turn of prompt.turns) {
    characters += turn.text.length;
    media += turn.media?.length ?? 0;
    for (const call of turn.calls ?? []) characters += call.name.length + call.input.length;
  }
  return Math.ceil(characters / 4) + media * MEDIA_TOKENS;
}

function outputTokens({ thinking, text, refusal, calls }: Answer): number {
  const called = calls.reduce((sum, call) => sum + tokensOf(call.name + call.input), 0);
  return tokensOf(thinking) + tokensOf(text) + tokensOf(refusal ?? "") + called;
}

/** The usage that is reported: by the rule, or as the control `tokens` tells. */
export function usageOf(prompt: Prompt, answers: readonly Answer[], control: Control): TokenCount {
  const [input, output, cached, reasoning, written] = control.tokens;
  return {
    input: input ?? inputTokens(prompt),
    output: output ?? answers.reduce((sum, answer) => sum + outputTokens(answer), 0),
    cached: cached ?? 0,
    reasoning: reasoning ?? answers.reduce((sum, answer) => sum + tokensOf(answer.thinking), 0),
    written: written ?? 0,
  };
}

/** A signature over what a model said, which the same simulator (or another one) knows again. */
export function sign(text: string): string {
  const seal = (salt: bigint) => Bun.hash.wyhash(text, salt).toString(16).padStart(16, "0");
  return btoa(`sim${seal(7n)}${seal(11n)}${seal(13n)}`);
}
