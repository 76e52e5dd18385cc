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

export const BEDROCK: ProviderRow = {
  name: "Bedrock",
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
  baseUrl: "",
  platform: "bedrock",
  dialects: [BEDROCK_CLAUDE, bedrock],
};
