// Lists of allowed tools in the configuration.
import { Type } from "@sinclair/typebox";
import { TOOL_PATTERNS_MAX } from "../../core/fields/tool-list.ts";
import { TOOL_PATTERN, TOOL_PATTERN_EXPECTED } from "../../core/tools/rights.ts";
import { orNull, text } from "../field-types.ts";

export const toolPatterns = Type.Array(text(TOOL_PATTERN_EXPECTED, TOOL_PATTERN), {
  maxItems: TOOL_PATTERNS_MAX,
  expected: `a list of up to ${TOOL_PATTERNS_MAX} tools or patterns, such as github_* or !github_delete_*`,
});

/** A list that may say nothing. */
export const allowedTools = orNull(toolPatterns, "a list of tools or patterns, or null to say nothing");
