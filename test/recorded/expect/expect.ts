// The reader of recordings for each API.

import type { Recording } from "../load.ts";
import { expectAnthropic } from "./expect-anthropic.ts";
import { expectConverse } from "./expect-bedrock.ts";
import { expectCohere } from "./expect-cohere.ts";
import { expectGemini } from "./expect-gemini.ts";
import { expectOpenAi } from "./expect-openai.ts";
import { expectResponses } from "./expect-responses.ts";
import type { Expectation } from "./expectation.ts";

/** Returns what a correct adapter makes of a recorded answer of status 200. */
export function readExpectation(recording: Recording): Expectation {
  switch (recording.api) {
    case "openai-chat":
      return expectOpenAi(recording);
    case "openai-responses":
    case "perplexity-agent":
      return expectResponses(recording);
    case "anthropic-messages":
    case "vertex-rawPredict":
    case "bedrock-invoke":
    case "bedrock-invoke-stream":
      return expectAnthropic(recording);
    case "gemini-generateContent":
    case "gemini-streamGenerateContent":
      return expectGemini(recording);
    case "bedrock-converse":
    case "bedrock-converse-stream":
      return expectConverse(recording);
    case "cohere-v2":
      return expectCohere(recording);
  }
}
