// Mutants of the bounds on names and lengths: shortened, restored, paired, and refused without a call.
import type { Mutant } from "./mutant.ts";

const NAMES = "src/dialects/_chat/tool-names.ts";
const IDS = "src/dialects/_chat/call-ids.ts";
const FEATURES = ["test/dialects/bounds.test.ts"];
const LENGTHS = ["test/whole/failures/too-long.test.ts"];
const PLANS = ["test/operations/chat/plans.test.ts"];

export const BOUNDS: readonly Mutant[] = [
  {
    name: "a planned call keeps an output limit above the model's",
    file: "src/operations/chat/plans.ts",
    find: "value <= (outputTokensMax ?? value)",
    replace: "value <= (outputTokensMax ?? value) + value",
    tests: PLANS,
  },
  {
    name: "a call with a message of parts is planned",
    file: "src/operations/chat/plans.ts",
    find: '  return typeof message.content === "string" && PLAIN_ROLES.has(message.role);',
    replace: "  return PLAIN_ROLES.has(message.role);",
    tests: PLANS,
  },
  {
    name: "a shortened tool name stays short in streams",
    file: NAMES,
    find: "    if (!chunk.choices.some(({ delta }) => delta.tool_calls?.some(isRenamed))) return chunk;",
    replace: "    if (isRenamed !== undefined) return chunk;",
    tests: FEATURES,
  },
  {
    name: "two long names become one",
    file: NAMES,
    find: "      for (let again = 1; accepted.has(short) || this.#given.has(short); again++)",
    replace: "      for (let again = 1; again < 1; again++)",
    tests: FEATURES,
  },
  {
    name: "earlier calls keep their long names",
    file: NAMES,
    find: "      return { ...message, tool_calls: message.tool_calls.map((call) => this.#rename(call, this.#sent)) };",
    replace: "      return message;",
    tests: FEATURES,
  },
  {
    name: "a result keeps the long id of its call",
    file: IDS,
    find: "    return id === message.tool_call_id ? message : { ...message, tool_call_id: id };",
    replace: "    return id === message.tool_call_id ? message : { ...message };",
    tests: FEATURES,
  },
  {
    name: "a signature keeps the id that its call had",
    file: IDS,
    find: "    return id === undefined ? detail : { ...detail, id };",
    replace: "    return detail;",
    tests: FEATURES,
  },
  {
    name: "a prompt too long for every model is unsupported",
    file: "src/gateway/plan/choose-model.ts",
    find: "  if (roomiest === null) return null;",
    replace: "  if (roomiest !== null) return null;\n  if (roomiest === null) return null;",
    tests: LENGTHS,
  },
  {
    name: "a refusal for length goes to models that are no longer",
    file: "src/gateway/attempt/failover.ts",
    find: "    if ((card.contextTokensMax ?? Number.POSITIVE_INFINITY) <= this.#tooShort) return false;\n",
    replace: "",
    tests: LENGTHS,
  },
  {
    name: "plans without a longer model",
    file: "src/gateway/plan/gathering.ts",
    find: "return this.longer === null && this.#mayOverflow();",
    replace: "return false;",
    tests: ["test/whole/failures/too-long.test.ts"],
  },
];
