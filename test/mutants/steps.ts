// Mutants of the steps before and around an answer.
import type { Mutant } from "./mutant.ts";

const TESTS = ["test/gateway-steps.test.ts"];
const KEPT = ["test/gateway-steps-kept.test.ts"];

export const STEPS: readonly Mutant[] = [
  {
    name: "steps: one is asked before the look at what is surely refused",
    file: "src/gateway/entrance.ts",
    find: "const earlier = isLooking ? null : await this.#ports.ledger.look(context.ticket);",
    replace: "const earlier = null;",
    tests: KEPT,
  },
  {
    name: "steps: no one looks at what a kept answer is given to",
    file: "src/ledger/admit.ts",
    find: "demand.isLooking ? lookAhead(books, demand) : null",
    replace: "null",
    tests: ["test/cache-settings.test.ts"],
  },
  {
    name: "steps: an answer is made anew for a repeated request",
    file: "src/gateway/entrance.ts",
    find: "if (earlier !== null) return this.replay(context, earlier);",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: a refused request has no row, and isn't one of its minute",
    file: "src/gateway/entrance.ts",
    find: "      await enter();\n      throw thrown;\n",
    replace: "      throw thrown;\n",
    tests: TESTS,
  },
  {
    name: "steps: an answer of its own has no row",
    file: "src/gateway/entrance.ts",
    find: "      await enter();\n    } catch (thrown) {\n      context.end(null);",
    replace: "    } catch (thrown) {\n      context.end(null);",
    tests: TESTS,
  },
  {
    name: "steps: an answer of its own says what the first one cost",
    file: "src/gateway/entrance.ts",
    find: "operation.withUsage(own.reply, usage) : own.reply;",
    replace: "own.reply : own.reply;",
    tests: TESTS,
  },
  {
    name: "steps: the provider gets what it got before the change",
    file: "src/gateway/context.ts",
    find: "    ({ ask: this.ask, raw: this.raw } = changed);\n",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: the log keeps what was changed",
    file: "src/gateway/context.ts",
    find: "    ({ ask: call.ask, raw: call.raw, kept: call.kept } = changed);\n",
    replace: "    ({ kept: call.kept } = changed);\n",
    tests: KEPT,
  },
  {
    name: "steps: a kept response has what was changed",
    file: "src/gateway/context.ts",
    find: "raw: call.raw, kept: call.kept } = changed);",
    replace: "raw: call.raw } = changed);",
    tests: KEPT,
  },
  {
    name: "steps: what was changed stays in memory",
    file: "src/gateway/forget-prompt.ts",
    find: "if (original !== null) operation",
    replace: "if (original === null) operation",
    tests: KEPT,
  },
  {
    name: "steps: they see an answer in the order of the list",
    file: "src/gateway/step-list.ts",
    find: "steps.toReversed()",
    replace: "[...steps]",
    tests: TESTS,
  },
  {
    name: "steps: a stream's rest is not given back",
    file: "src/gateway/around.ts",
    find: "if (last.length > 0) await take(last);",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: a refused answer was never produced",
    file: "src/gateway/mode.ts",
    find: "  context.measure(operation.unfold(reply));\n  if (reported) context.report(reported, true);\n",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: a refused stream goes on",
    file: "src/gateway/around.ts",
    find: "    this.#failures.push(thrown);\n    this.leave();\n",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: a stuck one holds a request whose client has left",
    file: "src/gateway/until-ended.ts",
    find: "  ending.tell(reject);\n",
    replace: "",
    tests: TESTS,
  },
  {
    name: "steps: they are not told the end",
    file: "src/gateway/closing.ts",
    find: "context.around?.over(",
    replace: "void (",
    tests: TESTS,
  },
];
