// Anthropic.
import { anthropic } from "../dialects/anthropic/dialect.ts";
import { ANTHROPIC_LANE } from "../dialects/anthropic/lane.ts";
import type { ProviderRow } from "./provider.ts";
import { withLane } from "./shared.ts";

export const ANTHROPIC_DIALECT = withLane(anthropic, { anthropic: ANTHROPIC_LANE });

export const ANTHROPIC: ProviderRow = {
  name: "Anthropic",
  source: {
    reference: "https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5",
    seen: "2026-11",
  },
  familyNames: /./,
  keyVariables: ["ANTHROPIC_API_KEY"],
  secrets: /^sk-ant-/,
  baseUrl: "https://api.anthropic.com/v1",
  keyList: { path: "/models", keyHeader: "x-api-key", headers: { "anthropic-version": "2023-06-01" } },
  // 10 % if a workspace keeps inference in the US, since Opus and Sonnet 4.6 (LiteLLM 1.110.2, read on 2026-11-26).
  geo: new Map([["us", { factor: 1.1, models: /^claude-((opus|sonnet)-4-[6-9]|[a-z]+-[5-9]|mythos)/ }]]),
  dialects: [ANTHROPIC_DIALECT],
};
