// Patterns of tools in requests.
import { Type } from "@sinclair/typebox";
import { TOOL_PATTERN, TOOL_PATTERN_EXPECTED } from "../../core/tools/rights.ts";

export const toolPattern = Type.String({ pattern: TOOL_PATTERN.source, expected: TOOL_PATTERN_EXPECTED });
