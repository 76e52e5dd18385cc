// The codes and words in which providers say that they don't have a model, or have it no longer. The tests replay every
// row.

interface GoneRow {
  /** The beginning of the message, since the rest may quote the client. Missing if the code says it alone. */
  readonly begins?: RegExp;
  /** The code or type of the error. Missing if the message says it alone. */
  readonly code?: string;
  readonly status: number;
  /** The message as it was reported. */
  readonly example: string;
  /** The provider or server, and where its words were reported or are documented. */
  readonly source: string;
  /** The day on which the source was read. */
  readonly date: string;
}

/** Many providers are asked through others, so rows count whichever provider said it. */
export const GONE_ROWS: readonly GoneRow[] = [
  {
    begins:
      /^The (requested )?model [`'"][^`'"]+[`'"] (does not exist|doesn't exist|is not available|was not found)/,
    code: "model_not_found",
    status: 404,
    example: "The model `gpt-4-32k` does not exist or you do not have access to it.",
    source: "OpenAI, vLLM, SGLang, Groq, Fireworks",
    date: "2026-11-26",
  },
  {
    begins: /^The model [`'"][^`'"]+[`'"] has been (deprecated|decommissioned|retired|shut ?down|removed)/,
    code: "model_decommissioned",
    status: 400,
    example:
      "The model `mixtral-8x7b-32768` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.",
    source: "Groq, console.groq.com/docs/deprecations; OpenAI",
    date: "2026-11-26",
  },
  {
    code: "model_not_available",
    status: 400,
    example: "Unable to access model meta/llama-2-70b. Please visit the models page for the list of models.",
    source: "Together",
    date: "2026-11-26",
  },
  {
    begins: /^Invalid model: /,
    code: "invalid_model",
    status: 400,
    example: "Invalid model: mistral-small-2312",
    source: "Mistral, Perplexity",
    date: "2026-11-26",
  },
  {
    code: "DeploymentNotFound",
    status: 404,
    example:
      "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
    source: "Azure, learn.microsoft.com, Azure OpenAI",
    date: "2026-11-26",
  },
  {
    begins: /^No (allowed )?endpoints found for \S+/,
    status: 404,
    example: "No endpoints found for qwen/qwen-2-72b-instruct.",
    source: "OpenRouter",
    date: "2026-11-26",
  },
  {
    begins: /^model ["'`]?\S+["'`]? not found/i,
    status: 404,
    example: 'model "llama2:70b" not found, try pulling it first',
    source: "Ollama, xAI",
    date: "2026-11-26",
  },
  {
    begins: /^model: \S+$/,
    code: "not_found_error",
    status: 404,
    example: "model: claude-2.1",
    source: "Anthropic, docs.claude.com, Errors",
    date: "2026-11-26",
  },
  {
    begins: /^models\/\S+ is not found for API version/,
    status: 404,
    example:
      "models/gemini-pro is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.",
    source: "Google",
    date: "2026-11-26",
  },
  {
    begins: /^Publisher Model `[^`]+` (was not found|not found)/,
    status: 404,
    example:
      "Publisher Model `projects/p/locations/us-central1/publishers/google/models/gemini-1.0-pro` was not found or your project does not have access to it.",
    source: "Vertex AI",
    date: "2026-11-26",
  },
  {
    begins: /^This model version has reached the end of its life/,
    status: 404,
    example:
      "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
    source: "Bedrock",
    date: "2026-11-26",
  },
  {
    begins: /^The provided model identifier is invalid/,
    status: 400,
    example: "The provided model identifier is invalid.",
    source: "Bedrock",
    date: "2026-11-26",
  },
  {
    begins: /^Model Not Exist/,
    status: 400,
    example: "Model Not Exist",
    source: "DeepSeek",
    date: "2026-11-26",
  },
  {
    begins: /^Not found the model \S+ or Permission denied/,
    status: 404,
    example: "Not found the model moonshot-v0 or Permission denied",
    source: "Moonshot",
    date: "2026-11-26",
  },
];

const GONE_CODES: ReadonlySet<string> = new Set(
  GONE_ROWS.flatMap(({ code }) => (code === undefined || code === "not_found_error" ? [] : [code])),
);
const GONE_STATUSES: ReadonlySet<number> = new Set([400, 404, 410, 422]);
const MESSAGE_CHARACTERS_MAX = 500;

interface GoneAnswer {
  readonly status: number;
  readonly message?: string | undefined;
  readonly codes?: readonly string[];
  readonly param?: string | undefined;
}

/** True if the provider says in so many words that it doesn't have the model. */
export function saysGone({ status, message = "", codes = [] }: GoneAnswer): boolean {
  if (!GONE_STATUSES.has(status)) return false;
  if (codes.some((code) => GONE_CODES.has(code))) return true;
  const beginning = message.slice(0, MESSAGE_CHARACTERS_MAX);
  return GONE_ROWS.some(({ begins }) => begins?.test(beginning));
}

/** Things other than models that a request may name: what is missing is then the client's mistake. */
const OTHER_THINGS =
  /\b(files?|responses?|voices?|cache(d ?contents?|s)?|batch(es)?|containers?|vector[ _]?stores?|conversations?|prompts?|items?|uploads?|skills?)\b/i;

/** True if a 404 is about something other than the model: a field of the request, or a thing in the provider's account. */
export function namesOtherThing({ status, message = "", codes = [], param }: GoneAnswer): boolean {
  if (status !== 404) return false;
  if (param !== undefined && param !== "model") return true;
  const beginning = message.slice(0, MESSAGE_CHARACTERS_MAX);
  return OTHER_THINGS.test(`${codes.join(" ")} ${beginning}`) && !/\bmodel\b/i.test(beginning);
}
