// Amazon Bedrock: Claude by InvokeModel, all other models by Converse. Its address follows from the region.
import { BEDROCK_CLAUDE_NAMES, carryBedrock, repairBedrock } from "../dialects/anthropic/carriers.ts";
import { anthropic } from "../dialects/anthropic/dialect.ts";
import { ANTHROPIC_LANE } from "../dialects/anthropic/lane.ts";
import { bedrock } from "../dialects/bedrock/dialect.ts";
import type { ChatDialect } from "../dialects/dialect.ts";
import type { ProviderRow } from "./provider.ts";
import { withLane } from "./shared.ts";

/** Claude on Bedrock. Errors are Bedrock's own, and so is repairing a request after one. */
const BEDROCK_CLAUDE: ChatDialect = {
  ...withLane(anthropic, { anthropic: { ...ANTHROPIC_LANE, repair: repairBedrock } }),
  explain: bedrock.explain,
  names: BEDROCK_CLAUDE_NAMES,
  carry: carryBedrock,
};

/**
 * Bedrock takes a request's whole limit from the quota of tokens per minute when it begins, and Claude's output at five
 * times its number ("Token burndown rate", read on 2026-11-26; pi, issue 3399). The models' own limits are up to 128,000.
 */
const RESERVED_TOKENS = 16_384;

export const BEDROCK: ProviderRow = {
  name: "Bedrock",
  source: {
    reference: "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html",
    seen: "2026-11",
  },
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
  baseUrl: "",
  platform: "bedrock",
  outputTokensDefault: RESERVED_TOKENS,
  dialects: [BEDROCK_CLAUDE, bedrock],
};
