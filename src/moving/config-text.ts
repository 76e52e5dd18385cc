// The configuration that an import makes, as the text of a file.
import { stringify } from "yaml";
import type { PlannedConfig } from "./plan.ts";

/** Long lists stay readable: each entry on a line of its own, no line is folded, and none stands for another. */
export function writeConfigText({ providers, models, aliases, mcp, billing }: PlannedConfig): string {
  const sections = { providers, models, aliases, ...(mcp ? { mcp } : {}), ...(billing ? { billing } : {}) };
  const filled = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0);
  if (filled.length === 0) return "";
  return stringify(Object.fromEntries(filled), {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "PLAIN",
    defaultKeyType: "PLAIN",
  });
}
