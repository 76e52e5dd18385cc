// Mutants of tool servers: what a call costs, who may make it, and whose session it has.
import type { Mutant } from "./mutant.ts";

const DIR = "test/http/tools";

export const TOOLS: readonly Mutant[] = [
  {
    name: "a tool's call is charged although the server refused it",
    file: "src/gateway/tools/tool-runs.ts",
    find: 'attempt.win(deadlines.nowMs(), reply.kind === "error");',
    replace: "attempt.win(deadlines.nowMs(), false);",
    tests: [`${DIR}/money.test.ts`],
  },
  {
    name: "a tool's call is sent twice",
    file: "src/gateway/tools/tool-runs.ts",
    find: "const reply = await send({",
    replace:
      "await send({ arguments: context.ask.arguments, ending: context.ending, traceparent: null, onSend: () => {} });\n      const reply = await send({",
    tests: [`${DIR}/money.test.ts`],
  },
  {
    name: "a client that leaves pays nothing for its tool",
    file: "src/gateway/tools/tool-attempt.ts",
    find: 'this.#context.tracing.recordCall(this, nowMs, "usual")',
    replace: "this.calls = 0",
    tests: [`${DIR}/streams.test.ts`],
  },
  {
    name: "two keys share a tool server's session",
    file: "src/gateway/tools/server-sessions.ts",
    find: 'return [accountId, keyId, session ?? ""].join(" ");',
    replace: 'return [accountId, "", session ?? ""].join(" ");',
    tests: [`${DIR}/sessions.test.ts`],
  },
  {
    name: "a client's session is anybody's",
    file: "src/http/tools/sessions.ts",
    find: 'if (body === "" || !isSame(seal, this.#seal(key, body))) return false;',
    replace: 'if (body === "") return false;',
    tests: [`${DIR}/sessions.test.ts`],
  },
  {
    name: "a list of tools is kept over a change of rights",
    file: "src/tools/merged-list.ts",
    find: "JSON.stringify(levels)}`",
    replace: '""}`',
    tests: [`${DIR}/streams.test.ts`],
  },
  {
    name: "a call takes a place of the allowance",
    file: "src/operations/tool/operation.ts",
    find: "countAnswers: () => 0,",
    replace: "countAnswers: () => 1,",
    tests: [`${DIR}/money.test.ts`],
  },
  {
    name: "results of tools pass by the hooks",
    file: "src/gateway/tools/tool-runs.ts",
    find: "if (context.steps.length > 0) context.around = beginAround(context);",
    replace: "",
    tests: [`${DIR}/hooks.test.ts`],
  },
];
