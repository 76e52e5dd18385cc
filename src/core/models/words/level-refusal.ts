// The sentences in which servers refuse a level of effort and list those that they take, as data.

import type { EffortLevel } from "../refusals.ts";
import { EFFORTS } from "./efforts.ts";

interface LevelSentence {
  /** It begins the server's words. `takes` are the levels that the server takes. */
  readonly says: RegExp;
  /** True if the words are about any field. Then the server's `param` tells which. */
  readonly needsParam?: true;
  /** One as it was reported, and the levels in it. */
  readonly example: string;
  readonly takes: readonly EffortLevel[];
  /** A public report that quotes it, and its month. */
  readonly source: string;
  readonly seen: string;
}

const TAKEN = "(?<takes>(?:['\\w]+(?:, and |, or |, | and | or )?){1,8})";

export const LEVEL_SENTENCES: readonly LevelSentence[] = [
  {
    says: sayLevels(
      "^Unsupported value: 'reasoning[_.]effort' does not support '\\w+' with this model\\. Supported values are: ",
    ),
    example:
      "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
    takes: ["minimal", "low", "medium", "high"],
    source: "Kilo-Org/cloud, pull request 3807 (Moonshot)",
    seen: "2026-06",
  },
  {
    // OpenAI says the same of a verbosity.
    says: sayLevels(
      "^Unsupported value: '\\w+' is not supported with the '[^']{1,200}' model\\. Supported values are: ",
    ),
    needsParam: true,
    example:
      "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
    takes: ["none", "low", "medium", "high"],
    source: "opencode, issue 4451",
    seen: "2025-11",
  },
  {
    // GitHub Copilot.
    says: sayLevels(
      '^output_config\\.effort "\\w+" is not supported by model \\S{1,200}; supported values: \\[',
    ),
    example:
      'output_config.effort "high" is not supported by model claude-opus-4.7; supported values: [medium]',
    takes: ["medium"],
    source: "copilot-api, issue 190",
    seen: "2026-04",
  },
  {
    // A proxy in front of coding plans.
    says: sayLevels('^level "\\w+" not supported, valid levels: '),
    example: 'level "max" not supported, valid levels: low, medium, high, xhigh',
    takes: ["low", "medium", "high", "xhigh"],
    source: "quotio, issue 287",
    seen: "2026-02",
  },
];

function sayLevels(before: string): RegExp {
  return new RegExp(before + TAKEN);
}

const EFFORT = /effort$/;

/** A level of effort that is refused. */
export type LevelWord = `reasoning_effort=${EffortLevel}`;

/** Returns the levels that a server doesn't take by its own list. Null if its words are about something else. */
export function readLevelRefusals(said: string, param = ""): readonly LevelWord[] | null {
  for (const { says, needsParam } of LEVEL_SENTENCES) {
    const listed = says.exec(said)?.groups?.takes;
    if (listed === undefined || (needsParam && !EFFORT.test(param))) continue;
    const taken = new Set(listed.match(/\w+/g));
    // A list of other words says nothing about these.
    if (!EFFORTS.some((level) => taken.has(level))) return null;
    return EFFORTS.filter((level) => !taken.has(level)).map(
      (level): LevelWord => `reasoning_effort=${level}`,
    );
  }
  return null;
}
