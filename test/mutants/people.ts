// Mutants of what limits people, and of who decides about it.
import type { Mutant } from "./mutant.ts";

const LEDGER = ["test/ledger/limits/members.test.ts"];
const REQUESTS = ["test/people/limit-requests.test.ts"];

const RIGHTS = ["test/people/keys.test.ts", "test/people/key-defaults.test.ts"];

export const PEOPLE_MUTANTS: readonly Mutant[] = [
  {
    name: "people: no limit at all is within any bound",
    file: "src/core/limits/limit-bounds.ts",
    find: "(limit === null || limit > bound)",
    replace: "limit !== null && limit > bound",
    tests: RIGHTS,
  },
  {
    name: "people: a limit that isn't set is beyond the account's",
    file: "src/core/limits/limit-bounds.ts",
    find: "limits[property] === null ? null : bound[property]",
    replace: "bound[property]",
    tests: RIGHTS,
  },
  {
    name: "people: holders raise the limits that bind them",
    file: "src/people/key-bounds.ts",
    find: "  ...LIMIT_NAMES,\n",
    replace: "",
    tests: RIGHTS,
  },
  {
    name: "people: what was granted never ends",
    file: "src/core/limits/member-limits.ts",
    find: "raises.filter(({ untilMs }) => nowMs < untilMs)",
    replace: "raises.filter(({ untilMs }) => untilMs > 0)",
    tests: LEDGER,
  },
  {
    name: "people: every budget is raised by a grant for one",
    file: "src/core/limits/member-limits.ts",
    find: "nameAskedLimit(one) === name ? one.amount : 0",
    replace: "nameAskedLimit(one) !== name ? one.amount : 0",
    tests: LEDGER,
  },
  {
    name: "people: a rule's smaller budget counts beside a larger one",
    file: "src/core/limits/member-limits.ts",
    find: "one.nanoUsd > other.nanoUsd",
    replace: "one.nanoUsd < other.nanoUsd",
    tests: LEDGER,
  },
  {
    name: "people: somebody decides about their own limits",
    file: "src/admin/limits/limit-requests.ts",
    find: "if (access.personId === memberId) {",
    replace: "if (access.personId === id) {",
    tests: REQUESTS,
  },
  {
    name: "people: a request is decided twice",
    file: "src/admin/limits/limit-requests.ts",
    find: 'if (state === "open" && untilMs > nowMs) return;',
    replace: "if (untilMs > nowMs) return;",
    tests: REQUESTS,
  },
  {
    name: "people: an open request raises the limit",
    file: "src/store/limits/limit-requests.ts",
    find: 'state === "granted" ? untilMs : null',
    replace: 'state !== "refused" ? untilMs : null',
    tests: REQUESTS,
  },
  {
    name: "people: an account's bound on keys is forgotten",
    file: "src/core/limits/member-limits.ts",
    find: "return memberDefaults?.keys ?? byDefault;",
    replace: "return memberDefaults === null ? byDefault : null;",
    tests: ["test/people/keys.test.ts"],
  },
  {
    name: "people: an account of one's own is given beside others",
    file: "src/people/claims.ts",
    find: "ids: hasAccount ? [] : [ownId]",
    replace: "ids: hasAccount ? [ownId] : [ownId]",
    tests: ["test/people/sign-in/claims.test.ts"],
  },
  {
    name: "people: a key outlives its member's role",
    file: "src/keys/authenticate.ts",
    find: "if (terms === null || !mayUseKeys(",
    replace: "if (terms === null && !mayUseKeys(",
    tests: ["test/people/lost-role.test.ts"],
  },
  {
    name: "people: another node asks the issuer before the check has ended",
    file: "src/people/leaving.ts",
    find: "{ refreshSealed: sealRefresh(parts.vault, refreshToken) }",
    replace: "{ refreshSealed: sealRefresh(parts.vault, refreshToken), leasedUntilMs: 0 }",
    tests: ["test/people/sign-in/rotation.test.ts"],
  },
  {
    name: "people: a token outlives the role of who made it",
    file: "src/admin/people/token-makers.ts",
    find: "maker.covers(grants) && ",
    replace: "",
    tests: ["test/people/token-makers.test.ts"],
  },
  {
    name: "people: what is forgotten stays on record in other entries",
    file: "src/store/people/erasing.ts",
    find: "await eraseFromChanges(engine, email);",
    replace: "",
    tests: ["test/store/sqlite.test.ts"],
  },
  {
    name: "people: keys outlast any doubt",
    file: "src/people/state.ts",
    find: "(doubt === null || nowMs < doubt.keysUntilMs)",
    replace: "(doubt === null || nowMs >= 0)",
    tests: ["test/people/state.test.ts"],
  },
  {
    name: "people: whom the directory has deactivated is let in",
    file: "src/people/state.ts",
    find: 'if (facts.deactivatedAtMs !== undefined) return "deactivated";',
    replace: "",
    tests: ["test/people/state.test.ts"],
  },
  {
    name: "people: an extra amount outlasts its giver",
    file: "src/admin/people/own-end.ts",
    find: "if (late !== -1) throw",
    replace: "if (late === -2) throw",
    tests: ["test/people/passing-on.test.ts"],
  },
  {
    name: "people: what a file freed isn't overwritten",
    file: "src/store/sqlite/connection.ts",
    find: '"secure_delete = ON"',
    replace: '"secure_delete = OFF"',
    tests: ["test/app/erased-files.test.ts"],
  },
  {
    name: "people: a hook's model costs no budget anything",
    file: "src/ledger/settle.ts",
    find: "if (hookCost === undefined || hookCost.nanoUsd <= dueNanoUsd)",
    replace: "if (hookCost === undefined || dueNanoUsd >= 0)",
    tests: ["test/whole/hooks/refused-cost.test.ts"],
  },
];
