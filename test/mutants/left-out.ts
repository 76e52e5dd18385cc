// Mutants of what a model doesn't take: where a line stands for it, and where it is refused.
import type { Mutant } from "./mutant.ts";

const LEFT_OUT = ["test/whole/answers/left-out.test.ts"];

export const LEFT_OUT_MEDIA: readonly Mutant[] = [
  {
    name: "a picture of an earlier turn is refused",
    file: "src/operations/chat/needs.ts",
    find: "medium.isAsked && !needs.has(medium.need)",
    replace: "!needs.has(medium.need)",
    tests: LEFT_OUT,
  },
  {
    name: "a tool's picture behind its result counts as the user's",
    file: "src/operations/chat/prompt/media.ts",
    find: 'messages[from - 1]?.role === "tool" ? [0, 0] : [from, last + 1]',
    replace: "[from, last + 1]",
    tests: LEFT_OUT,
  },
  {
    name: "the native lane sends what the model doesn't take",
    file: "src/gateway/plan/routes.ts",
    find: "if (!this.#operation.cuts?.(route.codec, ask, card)) return route;",
    replace: "return route;",
    tests: LEFT_OUT,
  },
  {
    name: "selectors don't mind a picture of an earlier turn",
    file: "src/selectors/sift.ts",
    find: "if (kept.length === 0) return able;",
    replace: "return able;",
    tests: LEFT_OUT,
  },
];
