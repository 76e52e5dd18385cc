// Mutants of the rights to tools: who may give them, and whose lists count.
import type { Mutant } from "./mutant.ts";

export const TOOL_RIGHTS: readonly Mutant[] = [
  {
    name: "a list needn't take away what its bound takes away",
    file: "src/core/tools/narrower.ts",
    find: "isApart(taken, pattern) ||",
    replace: "true ||",
    tests: ["test/tools/narrower.test.ts"],
  },
  {
    name: "a member gives a key of their own more tools",
    file: "src/admin/keys/tool-rights.ts",
    find: 'if (role !== "member" || !widened.includes("allowed_tools")) return;',
    replace: 'if (role === "member" || !widened.includes("allowed_tools")) return;',
    tests: ["test/people/tool-rights.test.ts"],
  },
  {
    name: "a manager gives a key more tools than the account has",
    file: "src/admin/keys/tool-rights.ts",
    find: 'if (role !== "manager" || key.allowedTools === null) return;',
    replace: "if (role.length > 0) return;",
    tests: ["test/people/tool-rights.test.ts"],
  },
  {
    name: "a rule of no tool at all says nothing",
    file: "src/core/limits/member-limits.ts",
    find: "if (said.length > 0) return [...new Set(said.flat())];",
    replace: "if (said.flat().length > 0) return [...new Set(said.flat())];",
    tests: ["test/ledger/limits/member-tools.test.ts"],
  },
];
