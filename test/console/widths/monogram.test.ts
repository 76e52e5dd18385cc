// The initials that stand for a provider or a client.
import { expect, test } from "bun:test";
import { findInitials } from "../../../src/console/parts/monogram.tsx";

test.each([
  ["OpenAI", "OA"],
  ["Mistral", "MI"],
  ["Claude Code", "CC"],
  ["curl", "CU"],
  ["xAI", "XA"],
  ["01.AI", "0A"],
  ["llama.cpp", "LC"],
  ["上海", "上海"],
  ["", ""],
])("of %j are %j", (name, initials) => {
  expect(findInitials(name)).toBe(initials);
});
