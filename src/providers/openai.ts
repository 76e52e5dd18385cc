// OpenAI.
import { combineDialects } from "../dialects/_chat/bridged.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { needsResponses, OPENAI } from "../dialects/openai/models.ts";
import { responses } from "../dialects/responses/dialect.ts";
import type { ProviderRow } from "./provider.ts";
import { OPENAI_MEDIA, OPENAI_VECTORS, RESPONSES_LANES, withLane } from "./shared.ts";

export const OPENAI_ROW: ProviderRow = {
  name: "OpenAI",
  source: { reference: "https://developers.openai.com/api/docs/guides/your-data", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["OPENAI_API_KEY"],
  secrets: /^sk-(proj|svcacct|admin|None)-|T3BlbkFJ/,
  baseUrl: "https://api.openai.com/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  hasTierWord: true,
  // OpenAI, "Data residency": 10 % on models released since 2026-03-05, on the hosts of regions (November 2026).
  regions: [
    { addresses: /^https:\/\/[a-z]{2}\.api\.openai\.com\//, factor: 1.1, models: /^gpt-(5\.[4-9]|[6-9])/ },
  ],
  dialects: [
    withLane(
      combineDialects(
        makeOpenaiDialect(OPENAI, { ...OPENAI_VECTORS, ...OPENAI_MEDIA }),
        responses,
        needsResponses,
      ),
      RESPONSES_LANES,
    ),
  ],
};
