// Explains a URL that isn't served: a path of another API, one with too much or too little around it, or a typo.
import { findNearest } from "../../core/text/nearest.ts";
import { explainUnserved } from "../../surfaces/gemini/unserved.ts";
import { isForOperators, type KnownPaths } from "./paths.ts";

const SHOWN_CHARACTERS_MAX = 100;
/** The most paths to name below one that has none itself. */
const BELOW_MAX = 3;

/** A class of paths, without `/v1` and what else may come before it, and what to do instead. */
type Class = readonly [paths: RegExp, hint: string];

/** Paths of other vendors' APIs that their SDKs may request. */
const FOREIGN: readonly Class[] = [
  [
    /^(\/v1)?\/(openai\/)?(v1\/)?deployments\/[^/]+\/.|^\/openai\/(?!v1(\/|$))./,
    " This path belongs to Azure's API. Use the SDK's OpenAI class instead of AzureOpenAI, with this gateway's /v1 as the base URL and a model such as 'Azure#gpt-5.4'.",
  ],
  [
    /^\/v[12]\/(embed|chat|generate|classify|tokenize|detokenize)$/,
    " This path belongs to Cohere's API, of which only rerank is supported. For embeddings use /v1/embeddings, for chat /v1/chat/completions, both in OpenAI's format.",
  ],
  [
    /^\/v1\/(multimodal|contextualized)embeddings$/,
    " This path belongs to Voyage's API. For text embeddings use /v1/embeddings.",
  ],
  [
    /^(?!\/v1(beta)?\/).*:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/,
    " Gemini's API is at /v1beta here: use the base URL with /v1beta behind it, as in /v1beta/models/{model}:generateContent.",
  ],
  [
    /^\/(props|slots|completion|infill|apply-template|lora-adapters)$/,
    " This path belongs to llama.cpp's own API. For chat use /v1/chat/completions, for completions /v1/completions, for the list of models /v1/models, all in OpenAI's format.",
  ],
  [
    /^(\/v1)?(\/mcp)?\/(sse|messages\/?)$/,
    " This path belongs to MCP's transport of 2024. Tool servers are at /mcp here, over streamable HTTP.",
  ],
  [/^\/v1\/mcp(\/|$)|^\/[^/]+\/mcp$/, " Tool servers (MCP) are at /mcp here, and one of them at /mcp/NAME."],
  [
    /^\/api\/(chat|generate|tags|show|ps|embed)$/,
    " This path belongs to Ollama's API. For chat use /v1/chat/completions, for embeddings /v1/embeddings, for the list of models /v1/models, all in OpenAI's format.",
  ],
];

const notServed = (what: string, instead: string) => ` ${what} not served here: ${instead}`;

/** Routes of the vendors' APIs that this gateway leaves out, by what follows the base URL. */
const UNSERVED: readonly Class[] = [
  [
    /^\/uploads(\/|$)/,
    notServed("Uploads in parts are", "send the whole file to POST /v1/files, which takes it as a stream."),
  ],
  [
    /^\/(fine_tuning|fine-tunes|tunedModels)(\/|$)/,
    notServed(
      "Fine-tuning is",
      "tune the model at its provider; the operator can then list it under the provider's `models`.",
    ),
  ],
  [
    /^\/(assistants|threads)(\/|$)/,
    notServed(
      "Assistants and threads are",
      "use POST /v1/responses, with `previous_response_id` or `tools`.",
    ),
  ],
  [
    /^\/responses\/[^/]+\/cancel$/,
    notServed(
      "Answers in the background are",
      "send the request without `background` and end it by hanging up.",
    ),
  ],
  [
    /^\/alpha\/search$/,
    notServed(
      "Codex's search beside a conversation is",
      "leave `supports_standalone_web_search` out of its provider, and it searches within POST /v1/responses, with the tool `web_search`.",
    ),
  ],
  [
    /^\/(key|user|team|customer|budget|organization|model|spend|global)\/(new|generate|update|delete|block|unblock|list|info|logs|report|regenerate)(\/|$)/,
    notServed(
      "LiteLLM's admin API is",
      "GET /v1/key has a key's own limits and spending, and operators' routes are below /admin/v1.",
    ),
  ],
  [
    /^\/conversations(\/|$)/,
    notServed("Conversations are", "use POST /v1/responses with `previous_response_id`."),
  ],
  [
    /^\/(realtime|live)(\/|$)/,
    notServed(
      "The realtime API is",
      "use /v1/audio/transcriptions, /v1/chat/completions with `stream`, and /v1/audio/speech.",
    ),
  ],
  [
    /^\/vector_stores(\/|$)/,
    notServed(
      "Vector stores are",
      "keep the vectors yourself; /v1/embeddings makes them, /v1/rerank sorts texts.",
    ),
  ],
  [
    /^\/images\/variations$/,
    notServed("Variations of images are", "use POST /v1/images/edits with a prompt."),
  ],
  [
    /^(\/alpha)?\/decisions(\/|$)/,
    notServed(
      "Decisions are",
      "ask at POST /v1/chat/completions or POST /v1/responses, with a schema for the answer.",
    ),
  ],
  [
    /^\/(videos|containers|evals|graders|skills|chatkit|audio\/(voices|voice_consents)|corpora)(\/|$)/,
    notServed("This route of the vendor's API is", "call the provider's own API for it."),
  ],
  // The next four are in openai 7.59, @anthropic-ai/sdk 1.14, @google/genai 3.3 and @openrouter/sdk 1.3.19.
  [
    /^\/(agents|sessions|environments|deployments|deployment_runs|memory_stores|vaults|tunnels|dreams|user_profiles)(\/|$)/,
    notServed(
      "Agents that a vendor runs are",
      "run the agent yourself and ask for its answers at POST /v1/responses or POST /v1/messages, or call the vendor's own API.",
    ),
  ],
  [
    /^\/(compliance|content_provenance_checks|webhook_endpoints|webhook_event_types|projects|safety)(\/|$)/,
    notServed("This route of the vendor's API is", "call the provider's own API for it."),
  ],
  [
    /^(\/upload\/v1(beta)?)?\/(fileSearchStores|tuningJobs|batchPredictionJobs|environments|credentials|triggers|webhooks|voices)(\/|:|$)/,
    notServed("This route of Google's API is", "call Google's own API for it."),
  ],
  [
    /^\/(activity|analytics|benchmarks|byok|classifications|datasets|endpoints|guardrails|interns|oauth\/jwks|observability|presets|scim\/(groups|group-mappings|sync-jobs)|systemone|vault|workspaces)(\/|$)/,
    notServed("This route of OpenRouter's API is", "operators' routes are below /admin/v1."),
  ],
  [
    /^\/(cachedContents)(\/|$)/,
    notServed(
      "Cached contents are",
      "send them in the request of :generateContent; providers cache prompts themselves.",
    ),
  ],
  [
    /^\/(organization|organizations|dashboard|usage|credits|auth\/keys?)(\/|$)/,
    notServed("This account is", "GET /v1/key has the key's own allowance, limits and spending."),
  ],
  [
    /^\/generation(\/content)?$/,
    notServed(
      "OpenRouter's record of a generation is",
      "an answer's `usage` has its tokens and `cost`, and operators find its row at GET /admin/v1/requests/{id}.",
    ),
  ],
  [
    /^\/(providers|models\/user|images\/models\/.*|models\/[^/]+\/[^/]+\/endpoints)$/,
    notServed(
      "OpenRouter's list is",
      "GET /v1/models has the models that the key may use, and their prices.",
    ),
  ],
  [
    /^\/(complete|edits|answers)$/,
    notServed("This old API is", "use POST /v1/chat/completions, or /v1/messages in Anthropic's format."),
  ],
  [
    /^\/engines(\/|$)/,
    notServed("Engines are", "use POST /v1/completions with `model`, and GET /v1/models."),
  ],
];

const BASE_URL =
  " This is only a base URL, to which SDKs add a path such as /v1/chat/completions. GET /v1/models lists the models.";

/** Explains what is wrong with a path and names the one to use, in sentences with a space in front. Empty if unknown. */
export function suggestPath(path: string, known: KnownPaths): string {
  const tidy = path.replace(/[\\/]+/g, "/").replace(/(?<=.)\/$/, "");
  if (isForOperators(tidy)) return findOperators(tidy, known);
  const bare = tidy.replace(/^(\/(api|openai|v1|v1beta))+(?=\/|$)/, "");
  const unserved = explainUnserved(tidy);
  if (unserved !== null) return ` ${unserved}`;
  const foreign = FOREIGN.find(([paths]) => paths.test(tidy)) ?? UNSERVED.find(([paths]) => paths.test(bare));
  if (foreign) return foreign[1];
  if (bare === "" || tidy === "/") return BASE_URL;
  const found = findSuffix(tidy, known) ?? findNear(tidy, known) ?? findBelow(tidy, known);
  return found ?? "";
}

/** A served one, which was asked by another method, suggests none. */
function findOperators(path: string, { findMethods, operators }: KnownPaths): string {
  if (findMethods(path).length > 0) return "";
  return findNearest(path, operators, 1).map(ask).join("");
}

function ask(path: string): string {
  return ` Did you mean ${path.slice(0, SHOWN_CHARACTERS_MAX)}?`;
}

/** Explains a path whose end is a served one, by what comes before it. Null if none of its ends is. */
function findSuffix(path: string, { findMethods, plain }: KnownPaths): string | null {
  const served = new Set(plain);
  const segments = path.split("/").slice(1);
  for (let at = 0; at < segments.length; at++) {
    const end = `/${segments.slice(at).join("/")}`.toLowerCase();
    // Messages are served below /v1/v1 too, for clients that add /v1 to a base URL with it: no address to suggest.
    const meant = [`/v1${end}`, end].find((one) => served.has(one) && !one.startsWith("/v1/v1/"));
    if (meant !== undefined) return ask(meant) + explainStart(segments.slice(0, at), end);
  }
  const bare = path.replace(/^(\/v1)+(?=\/|$)/, "");
  const meant = [`/v1${bare}`, bare].find((one) => one !== path && findMethods(one).length > 0);
  return meant === undefined ? null : ask(meant);
}

/** Explains what comes before the served end of a path. */
function explainStart(before: readonly string[], end: string): string {
  const rest = end.replace(/^\/v1(?=\/)/, "");
  const start = `/${before.join("/").toLowerCase()}`;
  if (before.length === 0) return end.startsWith("/v1/") ? "" : " The base URL ends in /v1.";
  if (start.endsWith(rest))
    return ` '${rest}' appears twice: the base URL ends in /v1, and SDKs add the rest.`;
  if (before.every((segment) => segment === "v1"))
    return end.startsWith("/v1/") || before.length > 1 ? " '/v1' appears twice." : "";
  return " Nothing comes before /v1 here: the base URL is this gateway's address with /v1.";
}

function findNear(path: string, { plain }: KnownPaths): string | null {
  const bare = path.replace(/^(\/v1)+(?=\/|$)/, "");
  const behind = path.slice(Math.max(0, path.lastIndexOf("/v1/")));
  const [near] = [path, `/v1${bare}`, behind].flatMap((one) => findNearest(one, plain, 1));
  return near === undefined ? null : ask(near);
}

/** Names the served paths that begin with this one. */
function findBelow(path: string, { plain }: KnownPaths): string | null {
  const bare = path.replace(/^\/v1(?=\/)/, "");
  const below = plain.filter((one) => one.startsWith(`/v1${bare}/`)).slice(0, BELOW_MAX);
  return below.length === 0 ? null : ask(below.join(" or "));
}
