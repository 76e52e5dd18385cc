// Mistakes in the address: base URLs with too much or too little, other vendors' paths, routes that aren't served, methods.
import { ask, type Mistake } from "./mistake.ts";

type Path = readonly [method: string, path: string, what: RegExp, right: RegExp, status?: number];

const CHAT = /\/v1\/chat\/completions\b(?!\/)/;

const BASE_URLS: readonly Path[] = [
  ["POST", "/v1/chat/completions/chat/completions", /twice/, CHAT],
  ["POST", "/chat/completions/chat/completions", /twice/, CHAT],
  ["POST", "/v1/chat/completions/v1/chat/completions", /twice/, CHAT],
  ["POST", "/v1/responses/responses", /twice/, /\/v1\/responses\b(?!\/)/, 405],
  ["POST", "/v1/messages/v1/messages", /twice/, / \/v1\/messages\?/],
  ["POST", "/v1/embeddings/embeddings", /twice/, /\/v1\/embeddings\b(?!\/)/],
  ["POST", "/v1/v1/chat/completions", /twice/, CHAT],
  ["POST", "/v1/v1/v1/embeddings", /twice/, /\/v1\/embeddings/],
  ["POST", "/openai/v1/chat/completions", /before \/v1/, CHAT],
  ["POST", "/api/v1/chat/completions", /before \/v1/, CHAT],
  ["POST", "/api/openai/v1/responses", /before \/v1/, /\/v1\/responses/],
  ["POST", "/v1/openai/chat/completions", /openai/, CHAT],
  ["POST", "/v1beta/openai/chat/completions", /before/, CHAT],
  ["POST", "/v1beta/models/OpenAI/gpt-5.4:predict", /'predict'/, /generateContent/],
  ["POST", "/v1beta/v1beta/interactions", /two versions/, / \/v1beta\/interactions\?/],
  ["POST", "/v1beta/v1/chat/completions", /two versions/, CHAT],
  ["POST", "/v1beta/v1beta/files", /not served in Google's form/, /inlineData/],
  ["POST", "/audio/transcriptions", /\/v1/, /\/v1\/audio\/transcriptions/],
  ["POST", "/images/generations", /\/v1/, /\/v1\/images\/generations/],
  ["POST", "/v1/chat/completion", /Did you mean/, CHAT],
  ["POST", "/v1/chat", /chat/, CHAT],
  ["POST", "/v1/chat/complete", /Did you mean/, CHAT],
  ["POST", "/V1/Chat/Completions", /lower case|Did you mean/, CHAT],
  ["POST", "/v1/embedding", /Did you mean/, /\/v1\/embeddings/],
  ["POST", "/v1/generate", /Cohere/, CHAT],
  ["POST", "/v1", /base URL/, CHAT],
  ["POST", "/v1/", /base URL/, CHAT],
];

const SERVED_ELSEWHERE: readonly Path[] = [
  ["POST", "/sse", /transport of 2024/, /\/mcp here/],

  ["POST", "/v1/mcp", /\(MCP\)/, /at \/mcp here/],
  ["POST", "/v1/uploads", /not (served|available) here/, /POST \/v1\/files/],
  ["POST", "/upload/v1beta/files", /not served in Google's form/, /inlineData/],
  ["POST", "/v1/uploads", /not (served|available) here/, /in the request|file_data/],
  [
    "POST",
    "/v1beta/models/gemini-2.5-flash:batchGenerateContent",
    /not (served|available) here/,
    /\/v1\/batches/,
  ],
  ["GET", "/v1beta/files/abc", /not served in Google's form/, /inlineData/],
  ["GET", "/v1beta/batches", /not (served|available) here/, /\/v1\/batches/],
  ["DELETE", "/v1beta/batches/123", /not (served|available) here/, /\/v1\/batches/],
  ["POST", "/v1beta/batches/123:cancel", /not (served|available) here/, /\/v1\/batches/],
  ["POST", "/v1/fine_tuning/jobs", /not (served|available) here/, /provider/],
  ["POST", "/v1/assistants", /not (served|available) here/, /\/v1\/responses/],
  ["POST", "/v1/threads/thread_1/runs", /not (served|available) here/, /\/v1\/responses/],
  ["GET", "/v1/realtime?model=gpt-realtime", /not (served|available) here/, /\/v1\/audio/],
  ["POST", "/v1/vector_stores", /not (served|available) here/, /\/v1\/(embeddings|rerank)/],
  ["POST", "/v1/conversations", /not (served|available) here/, /previous_response_id/],
  ["POST", "/v1/images/variations", /not (served|available) here/, /\/v1\/images\/edits/],
  ["POST", "/v1/live/sessions", /not (served|available) here/, /audio\/speech/],
  ["POST", "/v1/decisions", /not (served|available) here/, /\/v1\/responses, with a schema/],
  [
    "POST",
    "/v1/agents/agent_1/versions",
    /not (served|available) here/,
    /\/v1\/responses or POST \/v1\/messages/,
  ],
  ["GET", "/v1/vaults", /Agents that a vendor runs/, /\/v1\/responses or POST \/v1\/messages/],
  ["POST", "/v1/content_provenance_checks", /not (served|available) here/, /the provider.s own API/],
  ["POST", "/v1beta/fileSearchStores", /route of Google's API/, /Google's own API/],
  ["POST", "/upload/v1beta/fileSearchStores/x:uploadToFileSearchStore", /Google's API/, /Google's own API/],
  ["GET", "/api/v1/presets/x", /route of OpenRouter's API/, /\/admin\/v1/],
  ["GET", "/api/v1/images/models/a/b/endpoints", /OpenRouter's list/, /GET \/v1\/models/],
  ["POST", "/api/alpha/decisions", /not (served|available) here/, /\/v1\/responses, with a schema/],
  ["POST", "/v1/audio/voice_consents", /not (served|available) here/, /the provider.s own API/],
  ["POST", "/mcp", /off here/, /mcp\.servers/],
  ["POST", "/v1/videos", /not (served|available) here/, /provider/],
  ["GET", "/v1/organization/costs", /not (served|available) here/, /\/v1\/key/],
  ["GET", "/v1/dashboard/billing/usage", /not (served|available) here/, /\/v1\/key/],
  ["POST", "/v1/complete", /not (served|available) here/, /\/v1\/messages/],
  ["POST", "/v1/engines/davinci/completions", /not (served|available) here/, /\/v1\/completions/],
  ["POST", "/api/chat", /Ollama/, CHAT],
  ["GET", "/api/tags", /Ollama/, /\/v1\/models/],
  ["GET", "/api/v1/credits", /not (served|available) here/, /\/v1\/key/],
  ["GET", "/api/v1/generation?id=gen-1", /not (served|available) here/, /`usage`.*\/admin\/v1\/requests/],
  ["GET", "/api/v1/models/openai/gpt-5/endpoints", /not (served|available) here/, /GET \/v1\/models/],
  ["GET", "/key/info", /not (served|available) here/, /\/v1\/key/],
  ["GET", "/health", /not served here|Did you mean/, /\/healthz|\/readyz/],
  ["POST", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21", /Azure/, /OpenAI class/],
  ["POST", "/v1beta/cachedContents", /not (served|available) here/, /in the request|generateContent/],
  ["POST", "/v1beta/models/OpenAI/gpt-5.4", /verb/, /:generateContent/],
  ["POST", "/v1beta/models/OpenAI", /'#'/, /%23/],
  ["POST", "/models/OpenAI/gpt-5.4:generateContent", /Gemini/, /\/v1beta/, 405],
  ["POST", "/v1/alpha/search", /Codex/, /\/v1\/responses/],
  ["GET", "/props", /llama\.cpp/, /\/v1\/models/],
];

const METHODS: readonly Path[] = [
  ["GET", "/v1/chat/completions", /not GET/, /POST/, 405],
  ["PUT", "/v1/chat/completions", /not PUT/, /POST/, 405],
  ["POST", "/v1/models", /not POST/, /GET/, 405],
  ["DELETE", "/v1/models/OpenAI%23gpt-5.4", /not DELETE/, /GET/, 405],
  ["GET", "/v1/embeddings", /not GET/, /POST/, 405],
  ["POST", "/v1/key", /not POST/, /GET/, 405],
];

const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const PATH_MISTAKES: readonly Mistake[] = [...BASE_URLS, ...SERVED_ELSEWHERE, ...METHODS].map(
  ([method, path, what, right, status = 404]) => ({
    name: `${method} ${path}`,
    method,
    path,
    status,
    what,
    right,
    where: new RegExp(`${method} ${escapeText(path.split("?")[0] ?? "")}|verb`),
    ...(method === "POST" ? { body: ask() } : {}),
  }),
);
