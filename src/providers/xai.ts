// xAI.
import { combineDialects } from "../dialects/_chat/bridged.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { makeImages, XAI_IMAGES } from "../dialects/openai/images.ts";
import { needsResponsesToSearch } from "../dialects/openai/models.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { responses } from "../dialects/responses/dialect.ts";
import { GROK_EFFORTS } from "../dialects/responses/grok-efforts.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { COMPLETED_LANES, PENALTIES, withLane } from "./shared.ts";

/** docs.x.ai, "Image generation". `resolution` changes the price. */
const EXTRA_FIELDS = { images: ["user", "aspect_ratio"] } as const satisfies ExtraFields;

const GROK_THINKS = { refuses: [...OPENAI_ONLY, "logit_bias", ...PENALTIES, "stop"] };

/**
 * docs.x.ai, "Reasoning", and @ai-sdk/xai 4 (November 2026): models that think refuse stop and penalties. Some accept an
 * effort.
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias"],
  thoughts: "reasoning_content",
  toolUnions: false,
  errors: [
    { status: 400, begins: "Incorrect API key provided", means: "upstream_auth" },
    { status: 400, begins: "Model not found: ", means: "model_not_found" },
    { status: 429, begins: "Your team * has either used all available credits", means: "upstream_auth" },
  ],
  models: [
    { names: /non-reasoning|^grok-2/, quirks: {} },
    { names: /^grok-3(?!-mini)/, quirks: { refuses: [...OPENAI_ONLY, "logit_bias", "presence_penalty"] } },
    ...GROK_EFFORTS.map(({ names, efforts }) => ({
      names,
      quirks: { ...GROK_THINKS, effort: { values: efforts } },
    })),
  ],
};

const MEDIA = { images: makeImages({ ...XAI_IMAGES, passes: EXTRA_FIELDS.images }) };

export const XAI: ProviderRow = {
  name: "xAI",
  source: { reference: "https://docs.x.ai/docs/guides/reasoning", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["XAI_API_KEY"],
  secrets: /^xai-/,
  baseUrl: "https://api.x.ai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  // docs.x.ai, "Cost Tracking": what is billed, in ticks, on chat completions, responses and images.
  reportsCost: { field: ["usage", "cost_in_usd_ticks"], perUsd: 10_000_000_000 },
  dialects: [
    withLane(
      combineDialects(makeOpenaiDialect(QUIRKS, MEDIA), responses, needsResponsesToSearch),
      COMPLETED_LANES,
    ),
  ],
};
