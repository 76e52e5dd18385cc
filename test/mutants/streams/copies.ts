// Mutants of translated streams whose events are copied.
import type { Mutant } from "../mutant.ts";

const tests = ["test/operations/chat/splice/translated.test.ts"];

export const COPY_MUTANTS: readonly Mutant[] = [
  {
    name: "a copied event has the number of the one before",
    file: "src/surfaces/copied-events.ts",
    find: "this.#numbers.next++, middle",
    replace: "this.#numbers.next, middle",
    tests,
  },
  {
    name: "copied texts are counted once more",
    file: "src/surfaces/copied-events.ts",
    find: "if (this.#numbers !== null && next !== undefined) this.#numbers.next = next;",
    replace: "",
    tests,
  },
  {
    name: "copied texts are missing in the whole answer",
    file: "src/surfaces/copied-events.ts",
    find: "write(new Run(head, tail, [text]).joined());",
    replace: "",
    tests,
  },
  {
    name: "log probabilities of copied texts are lost",
    file: "src/surfaces/copied-events.ts",
    find: "choices.some(({ logprobs }) => logprobs) ? null : ",
    replace: "",
    tests,
  },
  {
    name: "an event is copied whatever came between",
    file: "src/surfaces/part-writer.ts",
    find: "    this.#copier.forget();\n",
    replace: "",
    tests,
  },
  {
    name: "the end of a call is copied while a text waits for it",
    file: "src/surfaces/part-writer.ts",
    find: "if (!this.isWaiting) copier",
    replace: "copier",
    tests,
  },
];
