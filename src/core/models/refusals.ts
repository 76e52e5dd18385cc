// The vocabulary of refusals: everything that a model or the server in front of it may refuse in a request, one row each.
// A new rule of a target is a row here, and the code that applies it, for which the compiler asks (`refusal-rules.ts`).

import { CHAT_DIALECTS, type ChatDialectName, type DialectName } from "./dialect-names.ts";
import { type BetaWord, isBetaWord, readBeta } from "./words/beta-refusal.ts";
import {
  BODY_REFUSALS,
  type BodyWord,
  type FieldWord,
  isBodyWord,
  isFieldWord,
} from "./words/body-refusals.ts";

/** The part of a request that a refusal is about. */
type RefusedPart = "field" | "turns" | "tools" | "pictures";

interface RefusalRule {
  readonly concerns: RefusedPart;
  /** The end of the sentence "The target refuses …", for the manual. */
  readonly meaning: string;
  /** A public report of a target that refuses it, and its month. */
  readonly source: string;
  readonly seen: string;
  /** The dialects in which it has an effect. The configuration accepts it only for models that are called in one of them. */
  readonly appliesIn: readonly ChatDialectName[];
}

const LIVE_TABLE = { source: "pi, issue 7961", seen: "2026-08" };
const LETTA = { source: "letta-code, issue 3877", seen: "2026-09" };
const OMNIROUTE = { source: "OmniRoute, issue 4661", seen: "2026-08" };
const TEMPLATE = { source: "vLLM, issue 41114", seen: "2026-04" };
const PICTURES = { source: "home-assistant, issue 167208", seen: "2026-08" };

function refuseField<const Dialects extends readonly ChatDialectName[]>(
  meaning: string,
  found: Pick<RefusalRule, "source" | "seen">,
  ...appliesIn: Dialects
) {
  return { concerns: "field", meaning, ...found, appliesIn } as const;
}

const SAMPLED = ["openai", "responses", "anthropic", "gemini"] as const;
const LEVELLED = ["openai", "responses", "anthropic"] as const;
const LEVELLED_FROM_NONE = ["openai", "responses"] as const;

/** Every word of the vocabulary but those with a number in them. */
export const REFUSALS = {
  temperature: refuseField("a `temperature`", LIVE_TABLE, ...SAMPLED),
  top_p: refuseField("a `top_p`", LIVE_TABLE, ...SAMPLED),
  top_k: refuseField("a `top_k`", LIVE_TABLE, "anthropic", "gemini"),
  reasoning_effort: refuseField("every level of effort", OMNIROUTE, ...LEVELLED),
  "reasoning_effort=none": refuseField("the level of effort `none`", LETTA, ...LEVELLED_FROM_NONE),
  "reasoning_effort=minimal": refuseField("the level of effort `minimal`", LETTA, ...LEVELLED_FROM_NONE),
  "reasoning_effort=low": refuseField("the level of effort `low`", LETTA, ...LEVELLED),
  "reasoning_effort=medium": refuseField("the level of effort `medium`", LETTA, ...LEVELLED),
  "reasoning_effort=high": refuseField("the level of effort `high`", LETTA, ...LEVELLED),
  "reasoning_effort=xhigh": refuseField("the level of effort `xhigh`", LETTA, ...LEVELLED),
  "reasoning_effort=max": refuseField("the level of effort `max`", LETTA, ...LEVELLED),
  thinking_adaptive: refuseField("thinking of the type `adaptive`", OMNIROUTE, "anthropic"),
  thinking_budget: refuseField("a thinking budget", LIVE_TABLE, "anthropic", "gemini"),
  thinking_binding: refuseField(
    "the request to leave out unbound thinking",
    { source: "continue, pull request 11969", seen: "2026-03" },
    "anthropic",
  ),
  thinking_level: refuseField("Gemini's `thinkingLevel`", LIVE_TABLE, "gemini"),
  prefill: {
    concerns: "turns",
    meaning: "an assistant's turn at the end",
    ...LIVE_TABLE,
    appliesIn: ["anthropic", "gemini"],
  },
  system: {
    concerns: "turns",
    meaning: "every system message",
    source: "chat-ui, issue 1386",
    seen: "2024-08",
    appliesIn: ["openai"],
  },
  system_late: {
    concerns: "turns",
    meaning: "a system message anywhere but at the beginning",
    ...TEMPLATE,
    appliesIn: ["openai", "anthropic"],
  },
  tools_late: {
    concerns: "tools",
    meaning: "messages that change tools",
    source: "langchainjs, release 1.5.13",
    seen: "2026-09",
    appliesIn: ["anthropic"],
  },
  system_several: {
    concerns: "turns",
    meaning: "several system messages",
    ...TEMPLATE,
    appliesIn: ["openai"],
  },
  same_role_twice: {
    concerns: "turns",
    meaning: "neighbouring turns of one role",
    source: "vLLM, issue 6862",
    seen: "2024-07",
    appliesIn: ["openai"],
  },
  user_after_tool: {
    concerns: "turns",
    meaning: "a user's turn right behind results of calls",
    source: "mistral-common, issue 169",
    seen: "2025-12",
    appliesIn: ["openai", "mistral"],
  },
  forced_tool: {
    concerns: "tools",
    meaning: "a `tool_choice` that forces a call",
    ...LIVE_TABLE,
    appliesIn: CHAT_DIALECTS,
  },
  tools_with_effort: {
    concerns: "tools",
    meaning: "tools while thinking, at `/chat/completions`",
    source: "openai-openapi, issue 541; webmcp-tools, issue 417",
    seen: "2026-09",
    appliesIn: ["openai"],
  },
  schema_union: {
    concerns: "tools",
    meaning: "tools' schemas with `anyOf`, `oneOf` or `allOf` on top",
    source: "LiteLLM, issue 38839",
    seen: "2026-08",
    appliesIn: ["openai", "responses"],
  },
  picture_png: refusePicture("PNG"),
  picture_jpeg: refusePicture("JPEG"),
  picture_gif: refusePicture("GIF"),
  picture_webp: refusePicture("WebP"),
  picture_url: {
    concerns: "pictures",
    meaning: "pictures by their address",
    source: "lmstudio-bug-tracker, issue 1120; lms, issue 243 (LM Studio)",
    seen: "2026-04",
    appliesIn: ["openai"],
  },
  video: {
    concerns: "pictures",
    meaning: "videos (`video_url`)",
    source: "the vendors' API references",
    seen: "2026-11",
    appliesIn: CHAT_DIALECTS,
  },
} as const satisfies Readonly<Record<string, RefusalRule>>;

function refusePicture(kind: string) {
  return {
    concerns: "pictures",
    meaning: `pictures in ${kind}`,
    ...PICTURES,
    appliesIn: CHAT_DIALECTS,
  } as const;
}

/** The kinds of pictures that a target may refuse, as in the type of a data URL. */
export const PICTURE_KINDS = ["png", "jpeg", "gif", "webp"] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

export type RefusalWord = keyof typeof REFUSALS;

/** Things of which a target may take only so many: the ends of the sentence "The target refuses …", for the manual. */
const COUNTS = {
  tools: "more tools than this number",
  picture_bytes: "a picture of more than this number of bytes in base64",
  text_characters: "a text of a message of more than this number of characters",
} as const;

export type CountName = keyof typeof COUNTS;
type CountWord = `${CountName}>${number}`;

/** One word of the vocabulary. `tools>128` refuses more than 128 tools. */
export type Refusal = RefusalWord | CountWord | BodyWord | FieldWord | BetaWord;

const COUNT_WORD = /^(tools|picture_bytes|text_characters)>([1-9]\d{0,8})$/;
/** The form in which the operator writes it, for the schema. */
export const COUNT_WORDS = {
  pattern: /^-?(tools|picture_bytes|text_characters)>[1-9]\d{0,8}$/,
  example: "tools>128",
  meanings: COUNTS,
} as const;

function isCountWord(text: string): text is CountWord {
  return COUNT_WORD.test(text);
}

/** Returns the most that a word leaves of something. Null for a word about something else. */
export function readMost(refusal: Refusal, of: CountName): number | null {
  const [, name, most] = COUNT_WORD.exec(refusal) ?? [];
  return name === of ? Number(most) : null;
}

/** The words of its rows, in their order. */
export const REFUSAL_WORDS: readonly RefusalWord[] = Object.keys(REFUSALS).filter(isWord);

function isWord(name: string): name is RefusalWord {
  return Object.hasOwn(REFUSALS, name);
}

/** Returns the end of the sentence "The model refuses …". */
export function describeRefusal(text: string): string {
  if (isWord(text)) return REFUSALS[text].meaning;
  if (isBodyWord(text)) return BODY_REFUSALS[text].meaning;
  if (isBetaWord(text)) return `the beta \`${readBeta(text)}\``;
  if (isFieldWord(text)) return `the field \`${text.slice("field:".length)}\``;
  const [, name, most] = COUNT_WORD.exec(text) ?? [];
  for (const [known, meaning] of Object.entries(COUNTS))
    if (known === name) return meaning.replace("this number", String(most));
  return text;
}

interface ParsedRefusal {
  readonly word: Refusal;
  /** True if it was written behind a minus sign: the target takes it after all. */
  readonly isTaken: boolean;
  readonly appliesIn: readonly ChatDialectName[];
}

/** Reads a word as the operator writes it. Null if the vocabulary doesn't have it. */
export function parseRefusal(text: string): ParsedRefusal | null {
  const isTaken = text.startsWith("-");
  const word = isTaken ? text.slice(1) : text;
  if (isCountWord(word) || isBodyWord(word) || isFieldWord(word))
    return { word, isTaken, appliesIn: CHAT_DIALECTS };
  if (isBetaWord(word)) return { word, isTaken, appliesIn: ["anthropic"] };
  return isWord(word) ? { word, isTaken, appliesIn: REFUSALS[word].appliesIn } : null;
}

/** Returns why a word changes nothing for a model that is called in these dialects. Null if it does. */
export function explainNoEffect(
  { appliesIn }: Pick<ParsedRefusal, "appliesIn">,
  spoken: readonly DialectName[],
): string | null {
  if (appliesIn.some((name) => spoken.includes(name))) return null;
  return `has no effect: only requests in the dialect ${appliesIn.join(" or ")} are changed for it`;
}

/** The operator's words about a model. One in `accepts` takes the gateway's own row away, and what it learned. */
export interface RefusalRules {
  readonly refuses?: ReadonlySet<Refusal>;
  readonly accepts?: ReadonlySet<Refusal>;
}

/** True if the target refuses it: by the operator's word, or else by what the gateway knows. */
export function isRefused({ refuses, accepts }: RefusalRules, refusal: Refusal, isKnown = false): boolean {
  if (refuses?.has(refusal)) return true;
  return isKnown && !accepts?.has(refusal);
}

export type EffortLevel = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Returns the levels of effort that the target takes. `known` are those that the gateway knows it to take. */
export function listEfforts<Level extends EffortLevel>(
  rules: RefusalRules,
  levels: readonly Level[],
  known: readonly Level[],
): readonly Level[] {
  if (!hasRules(rules)) return known;
  if (isRefused(rules, "reasoning_effort")) return [];
  const isAny = rules.accepts?.has("reasoning_effort") === true;
  return levels.filter((level) => {
    const isKnown = !isAny && !known.includes(level);
    return !isRefused(rules, `reasoning_effort=${level}`, isKnown);
  });
}

/** True if the operator said anything of the target. */
export function hasRules({ refuses, accepts }: RefusalRules): boolean {
  return refuses !== undefined || accepts !== undefined;
}
