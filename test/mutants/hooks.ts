// Mutants of hooks.
import type { Mutant } from "./mutant.ts";

const FAILURES = ["test/whole/hooks/failures.test.ts"];
const RULES = ["test/whole/hooks/rules.test.ts"];
const THINKING = ["test/whole/hooks/thinking.test.ts"];
const SURFACES = ["test/whole/hooks/hooks.test.ts"];
const JUDGE = "src/steps/hooks/judge.ts";

export const HOOKS: readonly Mutant[] = [
  {
    name: "hooks: a text passes that a hook could not be asked about",
    file: JUDGE,
    find: "if (passesOnFailure && !lacksRoom) {",
    replace: "if (name && !lacksRoom) {",
    tests: FAILURES,
  },
  {
    name: "hooks: a text passes for which there is no room",
    file: JUDGE,
    find: "if (passesOnFailure && !lacksRoom) {",
    replace: "if (passesOnFailure) {",
    tests: ["test/whole/hooks/others.test.ts"],
  },
  {
    name: "hooks: a changed text is remembered as passed",
    file: JUDGE,
    find: "if (now !== text) changes.set(text, now);\n      else if",
    replace: "if (now !== text) changes.set(text, now);\n      if",
    tests: RULES,
  },
  {
    name: "hooks: a hook that never changes a text may do so",
    file: JUDGE,
    find: "if (this.rule.masks || nameAction",
    replace: "if (nameAction",
    tests: RULES,
  },
  {
    name: "hooks: an account's calls have no bound",
    file: "src/steps/hooks/under-way.ts",
    find: "const ACCOUNT_CALLS_MAX = 64;",
    replace: "const ACCOUNT_CALLS_MAX = 128;",
    tests: FAILURES,
  },
  {
    name: "hooks: an answer may have too few texts",
    file: "src/steps/hooks/protocol.ts",
    find: "given.length === sent.length && texts.length === sent.length",
    replace: "texts.length === given.length",
    tests: FAILURES,
  },
  {
    name: "hooks: a redirect is followed",
    file: "src/steps/hooks/server.ts",
    find: 'redirect: "manual",\n',
    replace: "\n",
    tests: FAILURES,
  },
  {
    name: "hooks: an answer has no bound in size",
    file: "src/transport/short-text.ts",
    find: "if (bytes > bytesMax) return null;",
    replace: "",
    tests: FAILURES,
  },
  {
    name: "hooks: signed thinking is changed in a running tool loop",
    file: "src/steps/hooks/texts.ts",
    find: "if (place.isSealed && isRunning(body, place))",
    replace: "if (place.isSealed && text === '')",
    tests: THINKING,
  },
  {
    name: "hooks: earlier thinking is sent although a hook would change it",
    file: "src/surfaces/texts.ts",
    find: "if (left.length === given.length) return [turn];",
    replace: "if (left.length <= given.length) return [turn];",
    tests: THINKING,
  },
  {
    name: "hooks: a stored conversation holds what the client sent",
    file: "src/steps/hooks/texts.ts",
    find: "kept: mapForm(kept)",
    replace: "kept",
    tests: THINKING,
  },
  {
    name: "hooks: the whole conversation's ids go along",
    file: "src/steps/hooks/protocol.ts",
    find: "litellm_call_id: callId,",
    replace: "litellm_call_id: key.id,",
    tests: SURFACES,
  },
  {
    name: "hooks: a stream begins before it is judged",
    file: "src/steps/hooks/answer.ts",
    find: "    this.hold(pieces);\n    return [];\n",
    replace: "    this.hold(pieces);\n    return pieces;\n",
    tests: SURFACES,
  },
];
