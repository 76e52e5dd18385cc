// The bodies of requests that the vendors' SDKs have types for, each with the surface that reads it.
import { type Position, Positions } from "./list.ts";
import { SdkTypes } from "./types.ts";

export interface SdkBody {
  readonly sdk: "openai" | "anthropic" | "google" | "cohere";
  /** The name of its type. */
  readonly type: string;
  readonly path: string;
}

const OPENAI = new SdkTypes(
  [
    ...["chat/completions/completions", "responses/responses", "shared", "completions", "embeddings"],
    ...["moderations", "images", "audio/speech", "audio/transcriptions", "audio/translations"],
  ].map((name) => `openai/resources/${name}.d.ts`),
);
const ANTHROPIC = new SdkTypes(
  ["beta/messages/messages", "messages/messages", "beta/beta"].map(
    (name) => `@anthropic-ai/sdk/resources/${name}.d.ts`,
  ),
);
const GOOGLE = new SdkTypes(["@google/genai/dist/genai.d.ts"]);
const COHERE = new SdkTypes(["cohere-ai/api/resources/v2/client/requests/V2RerankRequest.d.ts"]);

// Google's SDK has types for its functions' parameters, of which it makes these bodies.
GOOGLE.declare(
  "Generate",
  `{ contents: Content[]; systemInstruction?: Content; tools?: Tool[]; toolConfig?: ToolConfig;
     generationConfig?: GenerationConfig; safetySettings?: SafetySetting[]; labels?: Record<string, string>;
     cachedContent?: string }`,
);
GOOGLE.declare(
  "Embed",
  "{ content: Content; taskType?: string; title?: string; outputDimensionality?: number }",
);

const TYPES = { openai: OPENAI, anthropic: ANTHROPIC, google: GOOGLE, cohere: COHERE };

export const SDK_BODIES: readonly SdkBody[] = [
  { sdk: "openai", type: "ChatCompletionCreateParamsBase", path: "/v1/chat/completions" },
  { sdk: "openai", type: "ResponseCreateParamsBase", path: "/v1/responses" },
  { sdk: "openai", type: "CompletionCreateParamsBase", path: "/v1/completions" },
  { sdk: "openai", type: "EmbeddingCreateParams", path: "/v1/embeddings" },
  { sdk: "openai", type: "ModerationCreateParams", path: "/v1/moderations" },
  { sdk: "openai", type: "ImageGenerateParamsBase", path: "/v1/images/generations" },
  { sdk: "openai", type: "SpeechCreateParams", path: "/v1/audio/speech" },
  { sdk: "openai", type: "TranscriptionCreateParamsBase", path: "/v1/audio/transcriptions" },
  { sdk: "openai", type: "ImageEditParamsBase", path: "/v1/images/edits" },
  { sdk: "anthropic", type: "MessageCreateParamsBase", path: "/v1/messages" },
  { sdk: "google", type: "Generate", path: "/v1beta/models/{model}:generateContent" },
  { sdk: "google", type: "Embed", path: "/v1beta/models/{model}:embedContent" },
  { sdk: "google", type: "CreateModelInteraction", path: "/v1/interactions" },
  { sdk: "cohere", type: "V2RerankRequest", path: "/v1/rerank" },
];

export function findTypes({ sdk }: SdkBody): SdkTypes {
  return TYPES[sdk];
}

export function readPositions(body: SdkBody): {
  readonly all: readonly Position[];
  readonly read: Positions;
} {
  const read = new Positions(findTypes(body));
  return { all: read.list({ kind: "named", name: body.type, within: "" }, body.type), read };
}
