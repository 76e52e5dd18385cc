// Mutants of the tables by which texts are found.
import type { Mutant } from "../mutant.ts";

const POSITIONS = ["test/whole/guard/positions/whole.test.ts"];

export const GUARD_POSITIONS: readonly Mutant[] = [
  {
    name: "guard: a chat's calls have no arguments that are searched",
    file: "src/operations/chat/texts.ts",
    find: 'makeForm({ arguments: "own", input: "own" })',
    replace: 'makeForm({ arguments: "setting", input: "own" })',
    tests: POSITIONS,
  },
  {
    name: "guard: what the client calls itself isn't a text",
    file: "src/operations/chat/texts.ts",
    find: '    "tool_call_id",\n',
    replace: '    "tool_call_id",\n    "user",\n',
    tests: POSITIONS,
  },
  {
    name: "guard: warnings to a computer's user aren't texts",
    file: "src/surfaces/openai-responses/known.ts",
    find: "pending_safety_checks: fields",
    replace: 'pending_safety_checks: "setting"',
    tests: POSITIONS,
  },
  {
    name: "guard: who speaks isn't a text",
    file: "src/surfaces/gemini/known.ts",
    find: 'speechMetadata: "own"',
    replace: 'speechMetadata: "setting"',
    tests: POSITIONS,
  },
];
