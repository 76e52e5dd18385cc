// Mutants of the choice to stay with a conversation's model.
import type { Mutant } from "../mutant.ts";

export const STAYING: readonly Mutant[] = [
  {
    name: "a model loses the conversation between its call and the result",
    file: "src/selectors/staying.ts",
    find: 'if (isInToolLoop(input.request.messages)) return stay("tool_loop");',
    replace: "",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "a pin comes between a call and its result",
    file: "src/selectors/choose.ts",
    find: "pin === null || stays?.isCaller ?",
    replace: "pin === null ?",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "a pin gives way to a call that the process hasn't seen",
    file: "src/selectors/staying.ts",
    find: 'isCaller: because === "tool_loop" && served.by === "memory",',
    replace: 'isCaller: because === "tool_loop",',
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "thinking that a model can't read costs nothing",
    file: "src/selectors/staying.ts",
    find: 'return isFarCheaper(costs, thinkingTokens) ? null : stay("thinking");',
    replace: "return null;",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "thinking alone keeps no model",
    file: "src/selectors/staying.ts",
    find: 'return thinkingTokens > 0 ? "thinking" : null;',
    replace: "return null;",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "any amount of thinking is made again",
    file: "src/selectors/thought.ts",
    find: "Math.round(Math.min(TOKENS_MAX, tokens))",
    replace: "Math.round(tokens)",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "each model of a family reads the thinking of the others",
    file: "src/selectors/thought.ts",
    find: "findThinkingFormat(maker) === format && isReaderOf(card, maker)",
    replace: "findThinkingFormat(maker) === format",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "a process that hasn't seen a conversation chooses by its last task",
    file: "src/selectors/served.ts",
    find: "if (heldBy === undefined || openingAt < 0) return null;",
    replace: "if (heldBy === undefined || openingAt > -2) return null;",
    tests: ["test/selectors/staying/reasons.test.ts", "test/selectors/staying/processes.test.ts"],
  },
  {
    name: "the family of the history's thinking says nothing",
    file: "src/selectors/served.ts",
    find: "const kin = isExplained ? null :",
    replace: "const kin = isExplained || turns.length > 0 ? null :",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "the thinking of a model that was left leads back to it",
    file: "src/selectors/served.ts",
    find: "turns.some((one) => findThinkingFormat(one) === newest)",
    replace: "findThinkingFormat(card) === newest",
    tests: ["test/selectors/staying/processes.test.ts"],
  },
  {
    name: "what another process decided at an earlier task is forgotten",
    file: "src/selectors/served.ts",
    find: 'rule.saves === "cost" ? listTasks(messages, openingAt) : []',
    replace: "[]",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
  {
    name: "a process counts on caches that it hasn't seen",
    file: "src/selectors/ask.ts",
    find: 'cached: served?.by === "memory" ? served : null,',
    replace: "cached: served,",
    tests: ["test/selectors/staying/reasons.test.ts"],
  },
];
