// The families of sentences in which servers refuse one field of a request, as data.
import { type BetaWord, readBetaRefusals } from "./beta-refusal.ts";
import { type BodyWord, type FieldWord, isBodyWord, makeFieldWord, normalizeName } from "./body-refusals.ts";
import { FORM_SENTENCES, type FormWord } from "./form-refusal.ts";
import { type LevelWord, readLevelRefusals } from "./level-refusal.ts";

interface FieldSentence {
  /** It begins the server's words. `at` is the place of the object in which the field stands. */
  readonly says: RegExp;
  /** One as it was reported, and the field in it. */
  readonly example: string;
  readonly field: string;
  /** A public report that quotes it, and its month. */
  readonly source: string;
  readonly seen: string;
}

/** The order is that in which they are tried. */
export const FIELD_SENTENCES: readonly FieldSentence[] = [
  {
    // Pydantic's, at Anthropic, Bedrock, Mistral and the servers made with FastAPI.
    says: /^(?<field>[\w.[\]-]+): (?:Extra inputs are not permitted|extra fields not permitted)/,
    example: "body.metadata: Extra inputs are not permitted",
    field: "metadata",
    source: "OpenHands-CLI, issue 83 (Mistral); claude-code, issue 64510 (Anthropic)",
    seen: "2026-06",
  },
  {
    // The same with the field behind it, at Fireworks.
    says: /^Extra inputs are not permitted, field: '(?<field>[\w.[\]-]+)'/,
    example: "Extra inputs are not permitted, field: 'stream_options'",
    field: "stream_options",
    source: "Flowise, issue 2866",
    seen: "2024-08",
  },
  {
    // The same as Python writes it, at older versions of vLLM.
    says: /^\[\{'type': 'extra_forbidden', 'loc': \('body', (?<field>[\w', -]+)\), 'msg': 'Extra inputs are not permitted'/,
    example:
      "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]",
    field: "stream_options",
    source: "gpustack, issue 429; vLLM, pull request 10463",
    seen: "2024-11",
  },
  {
    says: /^Unknown parameter: '(?<field>[\w.[\]-]+)'/,
    example: "Unknown parameter: 'reasoning_effort'.",
    field: "reasoning_effort",
    source: "llama_index, issue 17731 (Azure)",
    seen: "2025-02",
  },
  {
    says: /^Unrecognized request arguments? supplied: (?<field>[\w.[\]-]+)/,
    example: "Unrecognized request argument supplied: character_profile",
    field: "character_profile",
    source: "one-api, issue 1978 (Azure)",
    seen: "2024-12",
  },
  {
    says: /^Unsupported parameter: '(?<field>[\w.[\]-]+)' is not supported/,
    example:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    field: "max_tokens",
    source: "opencode, issue 37964 (Azure); copilot-api, issue 164",
    seen: "2026-07",
  },
  {
    // Groq, about a field of a turn.
    says: /^'(?<at>[\w.]+)' : for 'role: ?\w+' the following must be satisfied\[\('[\w.]+' : property '(?<field>[\w-]+)' is unsupported/,
    example:
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    field: "messages[].reasoning_content",
    source: "freellmapi, issue 1070; jan, issue 8136",
    seen: "2026-08",
  },
  {
    says: /^property '(?<field>[\w.[\]-]+)' is unsupported/,
    example: "property 'reasoning' is unsupported",
    field: "reasoning",
    source: "claude-code-router, pull request 1204 (Groq)",
    seen: "2026-02",
  },
  {
    says: /^Invalid JSON payload received\. Unknown name "(?<field>[\w-]+)"(?: at '(?<at>[\w.[\]]+)')?: Cannot find field/,
    example: 'Invalid JSON payload received. Unknown name "google": Cannot find field.',
    field: "google",
    source: "free-claude-code, issue 542; gemini-cli, issue 13972",
    seen: "2026-05",
  },
  {
    // Pydantic's at NVIDIA's NIM.
    says: /^body -> (?<field>[\w.[\]-]+)\s+Extra inputs are not permitted/,
    example: "body -> stream_options\n  Extra inputs are not permitted (type=extra_forbidden)",
    field: "stream_options",
    source: "garak, issue 748",
    seen: "2024-06",
  },
  {
    says: /^Validation: Unsupported parameter\(s\): `(?<field>[\w.[\]-]+)`/,
    example: "Validation: Unsupported parameter(s): `thinking`",
    field: "thinking",
    source: "kimi-cli, issue 2534 (NVIDIA's NIM)",
    seen: "2026-07",
  },
  {
    // Servers in Go, such as Databricks'.
    says: /^(?:Bad request: )?json: unknown field "(?<field>[\w.[\]-]+)"/,
    example: 'Bad request: json: unknown field "prediction"',
    field: "prediction",
    source: "continue, issue 12936 (Databricks)",
    seen: "2026-07",
  },
  {
    says: /^unknown field: parameter '(?<field>[\w.[\]-]+)' is not a valid field/,
    example: "unknown field: parameter 'strict' is not a valid field",
    field: "strict",
    source: "openrouter-examples, issue 71 (Cohere)",
    seen: "2026-03",
  },
  {
    // xAI, which writes names with capital letters.
    says: /^Argument not supported on this model: (?<field>\w+)/,
    example: "Argument not supported on this model: presencePenalty",
    field: "presencePenalty",
    source: "LiteLLM, issue 14056",
    seen: "2025-08",
  },
  {
    says: /^Model [\w.:/-]+ does not support parameter (?<field>\w+)/,
    example: "Model grok-4.20-0309-reasoning does not support parameter reasoningEffort.",
    field: "reasoningEffort",
    source: "grok2api, issue 814 (xAI)",
    seen: "2026-07",
  },
  {
    // Cerebras, about a flag.
    says: /^(?<field>\w+)=(?:True|False) is not supported by this model/,
    example: "parallel_tool_calls=False is not supported by this model.",
    field: "parallel_tool_calls",
    source: "agno, issue 4508",
    seen: "2025-09",
  },
  {
    // Without the field, the value is the one that is taken.
    says: /^Unsupported value: '(?<field>\w+)' does not support \S{1,40} with this model\. Only the default/,
    example:
      "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.",
    field: "temperature",
    source: "vscode, issue 255504 (OpenAI)",
    seen: "2025-07",
  },
  {
    // Groq, about models that think or don't.
    says: /^(?<field>\w+) must be one of none or default/,
    example: "reasoning_effort must be one of none or default",
    field: "reasoning_effort",
    source: "pi, issue 1745",
    seen: "2026-03",
  },
];

type SingleWord = FormWord | BetaWord;

const STATUSES: ReadonlySet<number> = new Set([400, 422]);
const FIELDS_MAX = 32;
/** LiteLLM's proxy, which quotes the server's own message. */
const PROXY_BEFORE = /^(?:litellm\.[\w.: ]*|[A-Z]\w*)Exception - /;
/** Bedrock's message within a proxy's, and Databricks' own, are JSON. */
const JSON_BEFORE = /^\{"message": ?"/;
/** Bedrock, about what the model's own server says. */
const MODEL_BEFORE = /^The model returned the following errors: /;
const NONE: readonly never[] = [];

/**
 * Returns what a server says of single fields. Messages may quote the client, so a sentence counts only at the beginning,
 * or right behind others that count.
 */
export function readFieldRefusals(
  status: number,
  message: string,
  param?: string,
): readonly (SingleWord | LevelWord)[] {
  if (!STATUSES.has(status)) return readByStatus(status, message);
  const levels = readLevelRefusals(withoutProxy(message), param);
  if (levels !== null) return levels;
  const words = new Set<SingleWord>();
  for (const piece of message.split(/\n(?! )|; /).slice(0, FIELDS_MAX)) {
    const found = readOne(withoutProxy(piece));
    if (found === null) break;
    for (const word of found) words.add(word);
  }
  return [...words];
}

/** Returns the words of sentences that have this other status. */
function readByStatus(status: number, message: string): readonly FormWord[] {
  const said = withoutProxy(message);
  const found = FORM_SENTENCES.find((sentence) => sentence.status === status && sentence.says.test(said));
  return found === undefined ? NONE : [found.refuses];
}

function withoutProxy(words: string): string {
  return words.trim().replace(PROXY_BEFORE, "").replace(JSON_BEFORE, "").replace(MODEL_BEFORE, "");
}

/** Null if it says nothing of a field or a form. */
function readOne(said: string): readonly SingleWord[] | null {
  const form = FORM_SENTENCES.find(({ says }) => says.test(said));
  const betas = readBetaRefusals(said);
  if (form !== undefined) return [form.refuses, ...betas];
  if (betas.length > 0) return betas;
  const path = findField(said);
  if (path === null) return null;
  const word = toWord(path);
  return word === null ? NONE : [word];
}

/** A limit is sent by its other name. */
function toWord(path: string): BodyWord | FieldWord | null {
  const plain = normalizeName(path);
  return isBodyWord(plain) ? plain : makeFieldWord(path);
}

function findField(said: string): string | null {
  for (const { says } of FIELD_SENTENCES) {
    const { field, at } = says.exec(said)?.groups ?? {};
    if (field === undefined) continue;
    const path = field.includes("'") ? field.replaceAll("'", "").replaceAll(", ", ".") : field;
    return (at === undefined ? path : `${at}.${path}`).replace(/^body\./, "");
  }
  return null;
}
