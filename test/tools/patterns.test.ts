// The tools that a key may use: lists of patterns on several levels.
import { describe, expect, test } from "bun:test";
import type { AllowedTools } from "../../src/core/limits/member-limits.ts";
import { isToolAllowed, isWholeServerAllowed } from "../../src/core/tools/patterns.ts";
import { prepareLevels } from "../../src/tools/matcher.ts";

const ROWS: readonly (readonly [readonly AllowedTools[], string, boolean])[] = [
  [[["*"]], "github_search", true],
  [[["github_*"]], "github_search", true],
  [[["github_*"]], "gitlab_search", false],
  [[["github_search"]], "github_search_code", false],
  [[["*", "!github_delete_*"]], "github_delete_repo", false],
  [[["!github_delete_*", "*"]], "github_delete_repo", false],
  [[["github_delete_repo", "!*_delete_*"]], "github_delete_repo", false],
  [[["!github_delete_*"]], "github_search", false],
  [[["GitHub_*"]], "github_search", false],
  [[[]], "github_search", false],
  [[null], "github_search", true],
  [[], "github_search", true],
  [[["*"], null, ["github_*"]], "github_search", true],
  [[["*"], null, []], "github_search", false],
  [[["github_*"], ["gitlab_*"]], "github_search", false],
];

test.each(ROWS)("%j allows %s: %p", (levels, name, isAllowed) => {
  expect(isToolAllowed(levels, name)).toBe(isAllowed);
  expect(prepareLevels(levels)(name)).toBe(isAllowed);
});

describe("prompts and resources", () => {
  const WHOLE: readonly (readonly [readonly AllowedTools[], boolean])[] = [
    [[["*"]], true],
    [[["github_*"]], true],
    [[null], true],
    [[["github_search"]], false],
    [[["gitlab_*"]], false],
    [[["*", "!github_delete"]], false],
    [[["*", "!git*"]], false],
    [[["*", "!*_delete"]], false],
    [[["*", "!gitlab_delete"]], true],
    [[["github_*"], ["*", "!github_x"]], false],
  ];
  test.each(WHOLE)("of a server are for keys that may use all of it: %j, %p", (levels, isAllowed) => {
    expect(isWholeServerAllowed(levels, "github")).toBe(isAllowed);
  });
});

test("patterns that are prepared match as the others do", () => {
  const parts = ["a", "b", "*", "_", "!"];
  let state = 5;
  const draw = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const make = (length: number) => Array.from({ length }, () => parts[draw(parts.length)]).join("");
  for (let at = 0; at < 3000; at++) {
    const patterns = Array.from({ length: draw(5) }, () => make(1 + draw(4)));
    const name = make(draw(6));
    const expected = isToolAllowed([patterns], name);
    if (prepareLevels([patterns])(name) !== expected)
      throw new Error(`${JSON.stringify(patterns)} and ${name}`);
  }
});
