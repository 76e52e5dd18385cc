// Anthropic.
import { anthropic } from "../dialects/anthropic/dialect.ts";
import { ANTHROPIC_LANE } from "../dialects/anthropic/lane.ts";
import type { ProviderRow } from "./provider.ts";
import { withLane } from "./shared.ts";

export const ANTHROPIC_DIALECT = withLane(anthropic, { anthropic: ANTHROPIC_LANE });

export const ANTHROPIC: ProviderRow = {
  name: "Anthropic",
  keyVariables: ["ANTHROPIC_API_KEY"],
  secrets: /^sk-ant-/,
  baseUrl: "https://api.anthropic.com/v1",
  dialects: [ANTHROPIC_DIALECT],
};
