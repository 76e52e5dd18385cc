// Mutants of tool servers: what a call costs, who may make it, and whose session it has.
import type { Mutant } from "./mutant.ts";

const DIR = "test/http/tools";

export const TOOLS: readonly Mutant[] = [
  {
    name: "a tool's call is charged although the server refused it",
    file: "src/gateway/tools/tool-runs.ts",
    find: 'attempt.win(this.#ports.deadlines.nowMs(), reply.kind === "error");',
    replace: "attempt.win(this.#ports.deadlines.nowMs(), false);",
    tests: [`${DIR}/money.test.ts`],
  },
  {
    name: "a tool's call is sent twice",
    file: "src/gateway/tools/tool-runs.ts",
    find: "reply = await this.#send(context, attempt, send);",
    replace:
      "await this.#send(context, attempt, send);\n        reply = await this.#send(context, attempt, send);",
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
    name: "a right to a tool that was taken away is there for half a second more",
    file: "src/ledger/rights.ts",
    find: "tool === undefined ? null : refuseCall(",
    replace: "tool !== null ? null : refuseCall(",
    tests: [`${DIR}/rights.test.ts`],
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
  {
    name: "a call is made again for its Idempotency-Key",
    file: "src/http/tools/tool-call.ts",
    find: "this.idempotency = once === null ? null : this.#claim(ports.vault, once);",
    replace: "this.idempotency = null;",
    tests: [`${DIR}/repeats.test.ts`],
  },
  {
    name: "integers of a kept result lose their last digits",
    file: "src/gateway/tools/tool-attempt.ts",
    find: "return { name: this.card.name, result,",
    replace: "return { ...{ name: undefined }, result,",
    tests: [`${DIR}/repeats.test.ts`],
  },
  {
    name: "a call that has an Idempotency-Key ends with its client's connection",
    file: "src/gateway/answer/sharing.ts",
    find: "(idempotency !== null && !line)",
    replace: "(idempotency !== null && line)",
    tests: [`${DIR}/repeats.test.ts`],
  },
  {
    name: "each worker has all of its node's listening streams",
    file: "src/app/workers/worker.ts",
    find: "return Math.floor(most / count) + (place < most % count ? 1 : 0);",
    replace: "return count > place ? most : 0;",
    tests: [`${DIR}/workers.test.ts`],
  },
  {
    name: "who listens to one server goes by what it was before a reload",
    file: "src/http/tools/listeners.ts",
    find: "await this.#views.find({ ...listener.viewer, key, levels, server });",
    replace: "await this.#views.find({ ...listener.viewer, key, levels });",
    tests: [`${DIR}/reload.test.ts`],
  },
  {
    name: "ends of sessions are kept without bound",
    file: "src/app/tools/session-sweep.ts",
    find: "const endedMs = parts.clock.nowMs() - SESSION_MS - CLOCKS_MS;",
    replace: "const endedMs = parts.clock.nowMs() - SESSION_MS * 2;",
    tests: [`${DIR}/sweep.test.ts`],
  },
];
