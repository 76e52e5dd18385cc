// The simulated models' answers: a function of the request alone, so that tests can predict them.
import { isObject, parseJson } from "../core/json/json.ts";
import type { Control } from "./control.ts";
import { reject } from "./problem.ts";
import { makeSample } from "./sample.ts";
import type { Answer, AnswerCall, Exchange, OfferedTool, Prompt, TokenCount, Turn } from "./types.ts";

/** The tokens of an image, a file or audio. */
const MEDIA_TOKENS = 85;
const WORDS_MAX = 1_000_000;
/** OpenAI's own limit. Requests aren't validated, so `"n": 1e9` would exhaust the memory without it. */
const CHOICES_MAX = 128;
const REFUSAL = "I'm sorry, but I can't help with that.";

/** Counts a text's tokens: a quarter of its characters (UTF-16 units), rounded up. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns `word1 word2 …`, which reveals lost and duplicate pieces. */
function makeWords(count: number): string {
  return Array.from({ length: Math.min(count, WORDS_MAX) }, (_, at) => `word${at + 1}`).join(" ");
}

function findLastUserTurn(prompt: Prompt): Turn {
  return prompt.turns.findLast((turn) => turn.role === "user") ?? { role: "user", text: "" };
}

/** Returns the tool results at the end of the conversation, oldest first. None if the user has spoken since. */
export function findFreshResults(
  prompt: Prompt,
): readonly { readonly name: string; readonly text: string }[] {
  const last = prompt.turns.findLastIndex((turn) => turn.role !== "tool");
  const names = new Map(prompt.turns.flatMap((turn) => turn.calls ?? []).map(({ id, name }) => [id, name]));
  return prompt.turns.slice(last + 1).map((turn) => {
    const answered = turn.answers ?? "";
    return { name: names.get(answered) ?? answered, text: turn.text };
  });
}

const STEP = /\bstep (\d+): /;

/** Returns the step that comes next. Text that a client adds behind the results of its calls changes nothing. */
function findStep(prompt: Prompt): string | null {
  return listStepsLeft(prompt)[0]?.text ?? null;
}

/**
 * Returns the steps that are left if a user turn says `step 1: … step 2: …`: an answer for each, with the results of its
 * calls in between.
 */
export function listStepsLeft({
  turns,
}: Prompt): readonly { readonly number: string; readonly text: string }[] {
  const asked = turns.findLastIndex(({ role, text }) => role === "user" && STEP.test(text));
  if (asked === -1) return [];
  const after = turns.slice(asked + 1);
  const answers = after.filter(
    ({ role }, at) => role === "assistant" && after[at - 1]?.role !== "assistant",
  ).length;
  // The text before the first step, then number and step in turn.
  const pieces = (turns[asked]?.text ?? "").split(STEP).slice(1);
  const steps = pieces.flatMap((piece, at) =>
    at % 2 === 0 ? [{ number: piece, text: (pieces[at + 1] ?? "").trimEnd() }] : [],
  );
  return steps.slice(answers);
}

/** Returns the index of the parenthesis that closes the one at `open`, ignoring JSON strings, or -1. */
function findClosing(text: string, open: number): number {
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

/** Returns each `call name({…})` in a text whose name is an offered tool. */
function parseCalls(text: string, tools: readonly OfferedTool[]): readonly AnswerCall[] {
  const calls: AnswerCall[] = [];
  for (const match of text.matchAll(/\bcall ([\w.:-]+)\(/gi)) {
    const tool = tools.find(({ name }) => name === match[1]);
    const open = match.index + match[0].length - 1;
    const close = findClosing(text, open);
    if (!tool || close === -1) continue;
    calls.push(makeCall(tool, text.slice(open + 1, close).trim()));
  }
  return calls;
}

/** Makes a call with the given input, or with a sample that satisfies the schema. */
function makeCall({ name, schema }: OfferedTool, given?: string): AnswerCall {
  if (schema === null) return { name, input: given ?? "sample", custom: true };
  const value = given === undefined ? makeSample({ type: "object", ...schema }) : parseJson(given);
  return { name, input: JSON.stringify(isObject(value) ? value : {}), custom: false };
}

function chooseCalls(prompt: Prompt, text: string): readonly AnswerCall[] {
  const { tools, toolChoice, parallelCalls } = prompt;
  if (toolChoice === "none" || tools.length === 0) return [];
  const callable =
    typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const found = parseCalls(text, callable);
  const [first] = callable;
  const calls = found.length === 0 && toolChoice !== "auto" && first ? [makeCall(first)] : found;
  return parallelCalls ? calls : calls.slice(0, 1);
}

/** Returns the text to answer with if there is neither a call nor a refusal. */
function chooseText(prompt: Prompt, { text, media = [] }: Turn, isFresh: boolean): string {
  const results = isFresh ? [] : findFreshResults(prompt);
  if (prompt.format) {
    const { schema } = prompt.format;
    return JSON.stringify(schema === null ? { said: text } : makeSample(schema));
  }
  if (results.length > 0)
    return `The tools answered: ${results.map((r) => `${r.name} → ${r.text}`).join("; ")}.`;
  if (/what is your system prompt\?/i.test(text)) {
    const system = prompt.turns.filter(({ role }) => role === "system").map((turn) => turn.text);
    return system.length === 0 ? "I have no system prompt." : `My system prompt is: ${system.join("\n")}`;
  }
  const long = /\blong (\d{1,7})\b/i.exec(text);
  if (long) return makeWords(Number(long[1]));
  const say = /\bsay: ([\s\S]*)$/i.exec(text);
  if (say) return say[1] ?? "";
  const shown = media.map(({ kind, mediaType, bytes }) =>
    bytes === null ? `[${kind} ${mediaType}]` : `[${kind} ${mediaType} ${bytes} bytes]`,
  );
  return ["You said:", text, ...shown].join(" ");
}

type AnswerDraft = Pick<Answer, "thinking" | "text" | "calls" | "refusal">;

function draftAnswer(prompt: Prompt, control: Control, index: number): AnswerDraft {
  const step = findStep(prompt);
  const turn: Turn = step === null ? findLastUserTurn(prompt) : { role: "user", text: step };
  const { text } = turn;
  const thinking = prompt.isThinking ? `Thinking about: ${text.slice(0, 200).toWellFormed()}`.trimEnd() : "";
  const blank: AnswerDraft = { thinking, text: "", calls: [], refusal: null };
  const fresh = step !== null || findFreshResults(prompt).length === 0;
  if (control.fault === "no-content") return { ...blank, thinking: "" };
  if (control.fault === "huge") return { ...blank, text: "x".repeat(control.sizeKilobytes * 1024) };
  if (fresh && /\brefuse\b/i.test(text)) return { ...blank, refusal: REFUSAL };
  const calls = fresh ? chooseCalls(prompt, text) : [];
  if (calls.length > 0) return { ...blank, calls };
  const said = chooseText(prompt, turn, fresh);
  return { ...blank, text: index === 0 || prompt.format ? said : `${said} (choice ${index + 1})` };
}

/** Returns at most `length` characters (UTF-16 units), without half a surrogate pair at the end. */
function truncate(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Cuts the text at the earliest stop sequence, then to the tokens that thinking and calls leave. */
function applyLimits(draft: AnswerDraft, prompt: Prompt): Omit<Answer, "index" | "pieces"> {
  const { thinking, refusal } = draft;
  if (refusal !== null) return { ...draft, finish: "refusal", stopSequence: null };
  const stops = prompt.stop.filter((stop) => stop !== "" && draft.text.includes(stop));
  const stopSequence = stops.sort((a, b) => draft.text.indexOf(a) - draft.text.indexOf(b))[0] ?? null;
  const text = stopSequence === null ? draft.text : draft.text.slice(0, draft.text.indexOf(stopSequence));
  const left = (prompt.outputTokensMax ?? Infinity) - countTokens(thinking);
  const callTokens = draft.calls.reduce((sum, call) => sum + countTokens(call.name + call.input), 0);
  const cut = { calls: [], refusal, finish: "length", stopSequence: null } as const;
  if (left <= 0) {
    const kept = truncate(thinking, (prompt.outputTokensMax ?? 0) * 4).trimEnd();
    return { ...cut, thinking: kept, text: "" };
  }
  if (callTokens > left || countTokens(text) > left)
    return { ...cut, thinking, text: truncate(text, left * 4) };
  const finish = draft.calls.length > 0 ? "tool_calls" : stopSequence === null ? "stop" : "stop_sequence";
  return { thinking, text, calls: draft.calls, refusal, finish, stopSequence };
}

/** Splits a text into at most `count` pieces, or into words if `count` is null. No character is split. */
function splitText(text: string, count: number | null): readonly string[] {
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

function lengthen(draft: AnswerDraft, prompt: Prompt, count: number | null): AnswerDraft {
  if (count === null || draft.text === "" || prompt.format) return draft;
  const short = count - (draft.text.match(/\S+/g) ?? []).length;
  return short > 0 ? { ...draft, text: `${draft.text} ${makeWords(short)}` } : draft;
}

/** Returns the answers to a prompt, one for each choice requested. */
export function answerPrompt(prompt: Prompt, control: Control): readonly Answer[] {
  const count = control.fault === "huge" ? 1 : control.chunks;
  const choices = Math.max(1, Math.min(prompt.choices, CHOICES_MAX));
  return Array.from({ length: choices }, (_, index) => {
    const draft = lengthen(draftAnswer(prompt, control, index), prompt, count);
    const answer = applyLimits(draft, prompt);
    return { ...answer, index, pieces: splitText(answer.text, count) };
  });
}

/** Splits a call's input into two halves, as models stream it, and omits empty ones. */
export function splitInput(input: string): readonly string[] {
  const half = Math.ceil(input.length / 2);
  return [input.slice(0, half), input.slice(half)].filter((piece) => piece !== "");
}

/** Returns the only answer, for dialects without several choices. */
export function takeFirstAnswer({ answers: [answer] }: Exchange): Answer {
  return answer ?? reject("server", "Simulator: nothing to answer.");
}

/** Counts the tokens of a prompt's texts, calls, results and media, but not of its tool definitions. */
export function countInputTokens(prompt: Prompt): number {
  let characters = 0;
  let media = 0;
  for (const turn of prompt.turns) {
    characters += turn.text.length;
    media += turn.media?.length ?? 0;
    for (const call of turn.calls ?? []) characters += call.name.length + call.input.length;
  }
  return Math.ceil(characters / 4) + media * MEDIA_TOKENS;
}

function countOutputTokens({ thinking, text, refusal, calls }: Answer): number {
  const called = calls.reduce((sum, call) => sum + countTokens(call.name + call.input), 0);
  return countTokens(thinking) + countTokens(text) + countTokens(refusal ?? "") + called;
}

/** Returns the usage to report: computed, unless the control `tokens` sets it. */
export function countUsage(prompt: Prompt, answers: readonly Answer[], control: Control): TokenCount {
  const [input, output, cached, reasoning, written] = control.tokens;
  return {
    input: input ?? countInputTokens(prompt),
    output: output ?? answers.reduce((sum, answer) => sum + countOutputTokens(answer), 0),
    cached: cached ?? 0,
    reasoning: reasoning ?? answers.reduce((sum, answer) => sum + countTokens(answer.thinking), 0),
    written: written ?? 0,
  };
}

/** Returns a signature for a model's output. It uses no secret, so that any simulator can verify it. */
export function signText(text: string): string {
  const seal = (salt: bigint) => Bun.hash.wyhash(text, salt).toString(16).padStart(16, "0");
  return btoa(`sim${seal(7n)}${seal(11n)}${seal(13n)}`);
}
