// The sentences in which servers refuse a request that is sent again in another way, as data.
import type { RefusalWord } from "../refusals.ts";

interface RefusalSentence {
  /** It stands alone in a line, or behind the words of the server around the template. `*` is the name of a model. */
  readonly says: string;
  readonly refuses: readonly RefusalWord[];
  /** A public report that quotes it, and its month. */
  readonly source: string;
  readonly seen: string;
}

/** Templates whose roles must alternate say the same of a system message that stands late, or behind another. */
const ALTERNATING = ["system_late", "system_several", "same_role_twice"] as const;
/** Calls and their results don't count there, so a user's turn behind results follows another one of the user's. */
const ALTERNATING_BETWEEN_CALLS = [...ALTERNATING, "user_after_tool"] as const;
/** A system message that stands late becomes a turn of the user's, which isn't taken there either. */
const LATE_BEHIND_RESULTS = ["system_late", "user_after_tool"] as const;
const ONE_SYSTEM_MESSAGE = ["system_late", "system_several"] as const;

export const REFUSAL_SENTENCES: readonly RefusalSentence[] = [
  {
    // Qwen 3.5 to 3.8. The template has written the first message by then, so a second one is late too.
    says: "System message must be at the beginning.",
    refuses: ["system_late", "system_several"],
    source: "vLLM, issue 41114; moltis, issue 317 (llama.cpp); Qwen3.8, issue 244",
    seen: "2026-09",
  },
  {
    // Ollama's own renderer for Qwen 3.8, with status 500.
    says: "system message must be at the beginning",
    refuses: ["system_late", "system_several"],
    source: "ollama, issue 17774; opencode, issue 42909",
    seen: "2026-08",
  },
  {
    // Gemma.
    says: "Conversation roles must alternate user/assistant/user/assistant/...",
    refuses: ALTERNATING,
    source: "suitenumerique/conversations, issue 197 (vLLM)",
    seen: "2025-12",
  },
  {
    // Mistral's open models.
    says: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    refuses: ALTERNATING_BETWEEN_CALLS,
    source: "vLLM, issue 6862",
    seen: "2024-07",
  },
  {
    // Devstral, Mistral Small and Ministral.
    says: "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
    refuses: ALTERNATING_BETWEEN_CALLS,
    source: "mistral-vibe, issue 1006 (llama.cpp); crush, issue 279",
    seen: "2026-08",
  },
  {
    // Gemma 2. vLLM answers 400, SGLang 500.
    says: "System role not supported",
    refuses: ["system"],
    source: "chat-ui, issue 1386 (vLLM); SGLang, issue 1342",
    seen: "2024-09",
  },
  {
    // Mistral's API and vLLM, which check with mistral-common. Claude Code's reminders stand behind results of calls.
    says: "Unexpected role 'user' after role 'tool'",
    refuses: ["user_after_tool"],
    source: "mistral-common, issue 169; LiteLLM, issue 17761; hermes-agent, issue 20154",
    seen: "2026-05",
  },
  {
    says: "Unexpected role 'system' after role 'tool'",
    refuses: LATE_BEHIND_RESULTS,
    source: "mistral-common, issue 169",
    seen: "2025-12",
  },
  {
    says: "Unexpected role 'system' after role 'assistant'",
    refuses: ["system_late"],
    source: "mistral-common, issue 169",
    seen: "2025-12",
  },
  {
    // MiniMax's API, with several system messages.
    says: "invalid params, invalid chat setting (2013)",
    refuses: ONE_SYSTEM_MESSAGE,
    source: "MiniMax-M2, issue 51; openclaw, issue 19386; oh-my-pi, pull request 954",
    seen: "2026-05",
  },
  {
    // The same server about one that stands late.
    says: "chat content has invalid message role: system (2013)",
    refuses: ONE_SYSTEM_MESSAGE,
    source: "CodexPlusPlus, issue 267; temm1e, issue 59; OpenViking, pull request 628",
    seen: "2026-05",
  },
  {
    // OpenAI's gpt-5.4 and 5.5.
    says: "Function tools with reasoning_effort are not supported for * in /v1/chat/completions. Please use /v1/responses instead.",
    refuses: ["tools_with_effort"],
    source: "openai-openapi, issue 541; crush, issue 2913; Aether, issue 1026",
    seen: "2026-06",
  },
  {
    // OpenAI's models from gpt-5.6 on.
    says: "Function tools with reasoning_effort are not supported for * in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    refuses: ["tools_with_effort"],
    source: "webmcp-tools, issue 417; LiteLLM, pull request 34569",
    seen: "2026-09",
  },
];

const RULES = REFUSAL_SENTENCES.map(({ says, refuses }) => ({ words: writePattern(says), refuses }));

/** The dots at its end may be missing. */
function writePattern(says: string): RegExp {
  const parts = says.replace(/\.+$/, "").split("*");
  const escaped = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(escaped.join("[^\\s\"'`]{1,200}"));
}

/** vLLM answers 400, llama.cpp 400 or 500, Ollama 500. */
const STATUSES: ReadonlySet<number> = new Set([400, 422, 500]);

/**
 * LM Studio quotes the template: `Error rendering prompt with jinja template: "…"`. LiteLLM's proxy quotes the server's
 * body, as JSON or as Python writes it: `litellm.BadRequestError: MistralException - {"object":"error","message":"…"`
 * (LiteLLM, issue 17761). A message elsewhere may be the client's, which some servers quote whole.
 */
const QUOTE_BEFORE =
  /(?:template: |^litellm\.[\w.: ]*Exception - (?:Error code: \d+ - )?\{(?:["']error["']: ?\{)?(?:["']object["']: ?["']error["'], ?)?["']message["']: ?)(["'])$/;
/** LiteLLM's proxy around the server's message alone. */
const PROXY_BEFORE = /^(?:litellm\.[\w.: ]*|[A-Z]\w*)Exception -$/;
/** MiniMax begins each message about a mistake in a request with it. */
const VENDOR_BEFORE = /invalid params,$/;
const PROXY_AFTER = " Received Model Group=";
const DOTS_BEFORE = /^\.+/;
/** The number of the request, which proxies add (Aether, issue 1026; github/app, issue 3268). */
const NUMBER_AFTER = /^\((tid|request id): [\w-]+\)$/i;
const NO_WORDS: readonly RefusalWord[] = [];

/** Returns what a server says that it refuses. Empty if its message is about something else. */
export function readRefusals(status: number, message: string): readonly RefusalWord[] {
  if (!STATUSES.has(status)) return NO_WORDS;
  const found = RULES.find(({ words }) => message.split("\n").some((line) => isSaid(line, words)));
  return found?.refuses ?? NO_WORDS;
}

/**
 * Messages may quote the client, so the sentence must begin the line or follow a colon or a proxy's words, and end it or
 * be repeated, or be quoted whole.
 */
function isSaid(line: string, pattern: RegExp): boolean {
  const match = pattern.exec(line);
  if (match === null) return false;
  const [words] = match;
  const before = line.slice(0, match.index).trim().replace(VENDOR_BEFORE, "").trim();
  const after = line.slice(match.index + words.length).replace(DOTS_BEFORE, "");
  const quote = QUOTE_BEFORE.exec(before)?.[1];
  if (quote !== undefined) return after.trim() === "" || after.startsWith(quote);
  if (before !== "" && !before.endsWith(":") && !PROXY_BEFORE.test(before)) return false;
  const rest = after.trim();
  if (rest === "" || NUMBER_AFTER.test(rest)) return true;
  return after.startsWith(` ${words}`) || after.startsWith(PROXY_AFTER);
}
