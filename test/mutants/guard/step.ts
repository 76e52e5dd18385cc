// Mutants of the guard.
import type { Mutant } from "../mutant.ts";

const WHOLE = ["test/whole/guard/guard.test.ts"];
const TOOLS = ["test/whole/guard/tools.test.ts"];
const POSITIONS = ["test/whole/guard/positions/whole.test.ts"];
const STEP = "src/steps/guard/step.ts";
const RULES = "src/steps/guard/rules.ts";

export const GUARD: readonly Mutant[] = [
  {
    name: "guard: a refused request is logged as it came",
    file: "src/steps/guard/hide.ts",
    find: "this.#refusal ??= refuse(rule, union.detector, one.place.path);\n        return writeMask(union.detector, chooseWriting(one.place));",
    replace: "this.#refusal ??= refuse(rule, union.detector, one.place.path);\n        return null;",
    tests: ["test/whole/guard/refused.test.ts"],
  },
  {
    name: "guard: names are kept as they came",
    file: "src/steps/guard/guard.ts",
    find: "(): NameHider | null => this.#hider;",
    replace: "(): NameHider | null => null;",
    tests: ["test/whole/guard/names.test.ts"],
  },
  {
    name: "guard: hooks come before it",
    file: "src/app/steps.ts",
    find: "[...outer, ...outside, ...(caching === null ? others : cache.around(others))]",
    replace: "[...(caching === null ? others : cache.around(others)), ...outer, ...outside]",
    tests: ["test/whole/guard/order.test.ts"],
  },
  {
    name: "guard: the cache keeps values",
    file: "src/app/steps.ts",
    find: "return [...outer, ...outside, ...(caching === null ? others : cache.around(others))];",
    replace:
      "const all = [...outer, ...outside, ...others];\n    return caching === null ? all : cache.around(all);",
    tests: ["test/whole/guard/nowhere.test.ts"],
  },
  {
    name: "guard: an answer is logged with the values that were put back",
    file: STEP,
    find: "if (!asked || !answered || !swapped) return reply;",
    replace: "if (!asked || !answered || swapped) return reply;",
    tests: ["test/whole/guard/nowhere.test.ts"],
  },
  {
    name: "guard: values are put back into thinking",
    file: STEP,
    find: 'if (kind === "thinking" || kind === "integer") return null;',
    replace: 'if (kind === "integer") return null;',
    tests: ["test/whole/guard/thinking.test.ts"],
  },
  {
    name: "guard: signed thinking is changed",
    file: "src/steps/guard/hide.ts",
    find: 'isSealed && kind === "thinking" ? this.#sealedChoice : this.#choice',
    replace: "this.#choice",
    tests: POSITIONS,
  },
  {
    name: "guard: values in JSON that was asked for are written as text",
    file: STEP,
    find: "watch(isAnswerJson ? writeInJson(filter) : filter)",
    replace: "watch(filter)",
    tests: ["test/whole/guard/judges.test.ts"],
  },
  {
    name: "guard: the rules of a key are ignored",
    file: RULES,
    find: "key.guard?.includes(rule.name) ?? false",
    replace: "false",
    tests: WHOLE,
  },
  {
    name: "guard: a request adds rules of other accounts",
    file: RULES,
    find: "throw refuseGuardrail(named);",
    replace: "return true;",
    tests: WHOLE,
  },
  {
    name: "guard: rules for models search calls of tools",
    file: RULES,
    find: "isTool ? models.filter((pattern) => TOOL_PATTERN.test(pattern)) : models",
    replace: "models",
    tests: TOOLS,
  },
  {
    name: "guard: a provider that is taken away counts",
    file: RULES,
    find: "return !isAway &&",
    replace: "return",
    tests: WHOLE,
  },
  {
    name: "guard: of several rules the last counts",
    file: RULES,
    find: "return finding.find(",
    replace: "return finding.findLast(",
    tests: WHOLE,
  },
  {
    name: "guard: the strictest action is reversed",
    file: RULES,
    find: "GUARD_ACTIONS.find(",
    replace: "GUARD_ACTIONS.findLast(",
    tests: ["test/steps/guard/rules.test.ts"],
  },
  {
    name: "guard: integers in the client's own JSON are left out",
    file: "src/operations/ordered-texts.ts",
    find: "{ takesIntegers: true as const }",
    replace: "{}",
    tests: WHOLE,
  },
  {
    name: "guard: tools come behind turns",
    file: "src/operations/ordered-texts.ts",
    find: "[SYSTEM, TOOLS]",
    replace: "[SYSTEM]",
    tests: ["test/operations/texts/ordered.test.ts"],
  },
  {
    name: "guard: the field of a value is the last one in its text",
    file: "src/operations/text-json.ts",
    find: "this.#fields.pop();",
    replace: "",
    tests: ["test/operations/texts/own-json.test.ts"],
  },
  {
    name: "guard: places of one key's rules are remembered for another's",
    file: "src/steps/guard/search.ts",
    find: "deriveKey(`${version} ${name}`)",
    replace: "deriveKey(version)",
    tests: WHOLE,
  },
  {
    name: "guard: a card counts without Luhn's checksum",
    file: "src/guard/detectors/card.ts",
    find: "if (to === -1 || !checkLuhn(0, form.count)) return null;",
    replace: "if (to === -1) return null;",
    tests: ["test/guard/detectors.test.ts"],
  },
];
