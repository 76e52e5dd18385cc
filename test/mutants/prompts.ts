// Mutants of prompts that only grow: where the gateway speaks, what it marks, and what keeps its place.
import type { Mutant } from "./mutant.ts";

const TESTS = ["test/whole/prefix/growing/growing.test.ts"];
const SAID = ["test/whole/prefix/said-again.test.ts"];
const BAD = ["test/whole/prefix/bad-input.test.ts"];
const TURNS = "src/dialects/_chat/turns.ts";

export const PROMPTS: readonly Mutant[] = [
  {
    name: "what the gateway says stands in front",
    file: "src/dialects/anthropic/encode.ts",
    find: "...(marks.system.length > 0 ? { system: marks.system } : {}),",
    replace: 'system: [...marks.system, ...words.map((text) => ({ type: "text", text }))],',
    tests: TESTS,
  },
  {
    name: "a cache mark stands behind what the gateway says",
    file: "src/dialects/anthropic/encode.ts",
    find: "const end = endPrompt(request, prompt, marks.turns, words, tools.removed);",
    replace:
      "const spoken = endPrompt(request, prompt, marks.turns, words, tools.removed); const end = { ...spoken, turns: setMarks({ tools: [], system: [], turns: spoken.turns }, CACHE_MARKS).turns };",
    tests: TESTS,
  },
  {
    name: "tools that aren't allowed are taken out of the list",
    file: "src/dialects/anthropic/tools.ts",
    find: "const offered = late?.front ?? (traits.lateTools ? present : allowed);",
    replace: "const offered = late?.front ?? allowed;",
    tests: TESTS,
  },
  {
    name: "the gateway speaks before the newest turn",
    file: TURNS,
    find: 'const place = role === "system" ? newest + 1 : newest;',
    replace: 'const place = role === "system" ? newest : newest;',
    tests: TESTS,
  },
  {
    name: "a later system message stands behind the answer",
    file: TURNS,
    find: "if (answer.length > 0) placeBefore(message, late, turns, maker);",
    replace: "if (answer.length > 0) placeBefore(message, [], turns, maker);",
    tests: TESTS,
  },
  {
    name: "what the gateway has said isn't said again",
    file: TURNS,
    find: 'if (sayAgain && turns.at(-1)?.role === "user")',
    replace: "if (sayAgain && turns.length === 0)",
    tests: TESTS,
  },
  {
    name: "a later system message stands in front",
    file: TURNS,
    find: "late.push(...makeContent(message, index, maker), ...(maker.changes?.(message) ?? []));",
    replace: "late.push(...(maker.changes?.(message) ?? []));",
    tests: TESTS,
  },
  {
    name: "the gateway speaks at the first turn of a chat server's",
    file: "src/operations/chat/prompt/say-at-end.ts",
    find: 'messages.findLastIndex(({ role }) => role === "user" || role === "tool")',
    replace: 'messages.findIndex(({ role }) => role === "user" || role === "tool")',
    tests: TESTS,
  },
  {
    name: "the second of two thoughts in a row is lost",
    file: "src/surfaces/openai-responses/sealed-reasoning.ts",
    find: "return own.map(({ id, data }) => ({",
    replace: "return own.slice(0, 1).map(({ id, data }) => ({",
    tests: TESTS,
  },
  {
    name: "a tool that the conversation has added isn't removed again",
    file: "src/dialects/anthropic/said.ts",
    find: "return this.#changed?.get(name) ?? this.#front",
    replace: "return this.#front",
    tests: TESTS,
  },
  {
    name: "reasoning behind a text comes back before it",
    file: "src/dialects/_responses/input.ts",
    find: "const turn = listTurn(restoreOrder(message));",
    replace: "const turn = listTurn(message);",
    tests: TESTS,
  },
  {
    name: "thinking behind a text comes back before it",
    file: "src/dialects/_chat/message-blocks.ts",
    find: "blocks.splice(Math.min(one.place, blocks.length), 0, maker.thinking(one))",
    replace: "blocks.unshift(maker.thinking(one))",
    tests: TESTS,
  },
  {
    name: "tools that a conversation adds go into the list",
    file: "src/dialects/anthropic/encode.ts",
    find: "const late = traits.lateTools ? placeTools(request, traits) : null;",
    replace:
      "const late: PlacedTools | null = traits.lateSystem && false ? placeTools(request, traits) : null;",
    tests: TESTS,
  },
  {
    name: "a tool that the gateway's words removed isn't added again",
    file: "src/dialects/anthropic/said.ts",
    find: "const added = [...gone].filter((name) => !refused.includes(name));",
    replace: "const added: string[] = [];",
    tests: SAID,
  },
  {
    name: "what was said before an answer is said before any other that has it",
    file: "src/operations/chat/prompt/said-again.ts",
    find: 'if (id === "" || !details.some((one) => readSignature(one).endsWith(id))) return null;',
    replace: 'if (id === "") return null;',
    tests: BAD,
  },
  {
    name: "an answer's entries are read without a bound",
    file: "src/surfaces/openai-chat/said-entries.ts",
    find: "if (left <= 0) return [];",
    replace: "",
    tests: BAD,
  },
  {
    name: "what was said before an answer is said without a question before it",
    file: TURNS,
    find: 'if (sayAgain && turns.at(-1)?.role === "user")',
    replace: "if (sayAgain)",
    tests: BAD,
  },
];
