// OpenAI.
import { bridge } from "../dialects/_chat/bridged.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { needsResponses, OPENAI } from "../dialects/openai/models.ts";
import { responses } from "../dialects/responses/dialect.ts";
import type { ProviderRow } from "./provider.ts";
import { OPENAI_MEDIA, OPENAI_VECTORS, RESPONSES_LANES, withLane } from "./shared.ts";

export const OPENAI_ROW: ProviderRow = {
  name: "OpenAI",
  keyVariables: ["OPENAI_API_KEY"],
  secrets: /^sk-(proj|svcacct|admin|None)-|T3BlbkFJ/,
  baseUrl: "https://api.openai.com/v1",
  dialects: [
    withLane(
      bridge(makeOpenaiDialect(OPENAI, { ...OPENAI_VECTORS, ...OPENAI_MEDIA }), responses, needsResponses),
      RESPONSES_LANES,
    ),
  ],
};
