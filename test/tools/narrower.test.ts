// The comparison of two lists of allowed tools, against the tools that both really let pass.
import { expect, test } from "bun:test";
import type { AllowedTools } from "../../src/core/limits/member-limits.ts";
import { isNarrower } from "../../src/core/tools/narrower.ts";
import { isToolAllowed } from "../../src/core/tools/patterns.ts";
import { Dice } from "../sim/dice.ts";

test.each<[tools: AllowedTools, bound: AllowedTools, isKnown: boolean]>([
  [null, null, true],
  [["*"], null, true],
  [[], [], true],
  [[], ["github_*"], true],
  [null, [], false],
  [null, ["*"], true],
  [null, ["*", "!github_*"], false],
  [["github_*"], [], false],
  [["github_read"], ["github_*"], true],
  [["github_re*"], ["github_*", "!jira_*"], true],
  [["*"], ["github_*"], false],
  [["github_*", "jira_x"], ["github_*"], false],
  [["github_*"], ["github_*", "!github_delete_*"], false],
  [["github_*", "!github_delete_*"], ["github_*", "!github_delete_*"], true],
  [["github_*", "!*delete*"], ["github_*", "!github_delete_*"], true],
  [["github_*", "!github_delete_issue"], ["github_*", "!github_delete_*"], false],
  [["github_*_read"], ["github_*", "!*_delete"], true],
  [["github_*a"], ["github_*", "!github_d*"], false],
  [["jira_*", "!jira_*"], ["github_*"], true],
  [["GitHub_*"], ["github_*"], false],
])("%p within %p is %p", (tools, bound, isKnown) => {
  expect(isNarrower(tools, bound)).toBe(isKnown);
});

/** Short texts of few characters meet often. */
function makeText(dice: Dice, characters: string, most: number): string {
  return Array.from({ length: dice.int(1, most) }, () => dice.pick([...characters])).join("");
}

function makeList(dice: Dice): AllowedTools {
  if (dice.chance(0.05)) return null;
  return Array.from(
    { length: dice.int(0, 3) },
    () => (dice.chance(0.3) ? "!" : "") + makeText(dice, "ab*", 4),
  );
}

test("a list that counts as narrower never lets a tool pass that the other doesn't", () => {
  const dice = new Dice(65);
  const names = Array.from({ length: 120 }, () => makeText(dice, "ab", 5));
  let narrower = 0;
  for (let round = 0; round < 3000; round++) {
    const [tools, bound] = [makeList(dice), makeList(dice)];
    expect(isNarrower(tools, tools)).toBe(true);
    if (!isNarrower(tools, bound)) continue;
    narrower += 1;
    const beyond = names.find((name) => isToolAllowed([tools], name) && !isToolAllowed([bound], name));
    expect({ tools, bound, beyond }).toEqual({ tools, bound, beyond: undefined });
  }
  expect(narrower).toBeGreaterThan(300);
});
