// Azure: OpenAI's models, Foundry's of other vendors, and Claude. Its address is the customer's own.
import { combineDialects } from "../dialects/_chat/bridged.ts";
import { carryAzure } from "../dialects/_chat/carriers.ts";
import { carryFoundry } from "../dialects/anthropic/carriers.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { needsResponsesOnAzure, OPENAI, OPENAI_MODEL } from "../dialects/openai/models.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { AZURE_TRANSCRIPTION, makeTranscription } from "../dialects/openai/transcription.ts";
import { responses } from "../dialects/responses/dialect.ts";
import { RESPONSES_LANE } from "../dialects/responses/lane.ts";
import { ANTHROPIC_DIALECT } from "./anthropic.ts";
import type { ProviderRow } from "./provider.ts";
import { CLAUDE_NAMES, type Lanes, LOW_TO_HIGH, OPENAI_MEDIA, OPENAI_VECTORS, withLane } from "./shared.ts";

const { models: _models, ...PLAIN_MODEL } = PLAIN;

/** OpenAI's models with OpenAI's rules, other vendors' with what their servers share (Azure OpenAI REST reference). */
const QUIRKS: OpenaiQuirks = {
  ...OPENAI,
  models: [
    {
      names: new RegExp(`^(?!${OPENAI_MODEL.source.slice(1)})`),
      quirks: { ...PLAIN_MODEL, effort: LOW_TO_HIGH },
    },
    ...OPENAI.models,
  ],
};

/** Azure's first dated version with the Responses API (Azure OpenAI, "Responses API"). */
const RESPONSES_SINCE = "2025-03-01";
const OPENAI_OWN: Lanes = {
  responses: {
    ...RESPONSES_LANE,
    serves: ({ name }, version = RESPONSES_SINCE) => OPENAI_MODEL.test(name) && version >= RESPONSES_SINCE,
  },
};
const MEDIA = { ...OPENAI_MEDIA, transcription: makeTranscription(AZURE_TRANSCRIPTION) };

export const AZURE: ProviderRow = {
  name: "Azure",
  source: {
    reference: "https://learn.microsoft.com/en-us/azure/foundry-classic/openai/how-to/responses",
    seen: "2026-11",
  },
  keyVariables: ["AZURE_OPENAI_API_KEY"],
  baseUrl: "",
  platform: "azure",
  dialects: [
    {
      ...withLane(
        combineDialects(
          makeOpenaiDialect(QUIRKS, { ...OPENAI_VECTORS, ...MEDIA }),
          responses,
          needsResponsesOnAzure,
        ),
        OPENAI_OWN,
      ),
      names: /^(?!claude)/,
      carry: carryAzure,
    },
    { ...ANTHROPIC_DIALECT, names: CLAUDE_NAMES, carry: carryFoundry },
  ],
};
