// Mutants of the search of answers that come in pieces, and of what stands beside their texts.
import type { Mutant } from "../mutant.ts";

const ANSWERS = ["test/guard/answer-search.test.ts", "test/guard/answer-long.test.ts"];
const SEARCH = "src/guard/answer-search.ts";
const BREAKS = "src/guard/breaks.ts";
const KEYS = "src/guard/key-watch.ts";

export const GUARD_ANSWERS: readonly Mutant[] = [
  {
    name: "guard: a tail leaves that may be an address's local part",
    file: SEARCH,
    find: "while (end < to + BEHIND_MAX && isLocal",
    replace: "while (end < to && isLocal",
    tests: ANSWERS,
  },
  {
    name: "guard: a finding in an answer is cut where a segment is",
    file: SEARCH,
    find: "if (union.to > place && !(isCut && union.from < place)) {",
    replace: "if (union.to > place && !isCut) {",
    tests: ANSWERS,
  },
  {
    name: "guard: a union in an answer is decided in two",
    file: SEARCH,
    find: "for (const union of joinFound(list)) {",
    replace: "for (const union of list.flatMap((one) => joinFound([one]))) {",
    tests: ANSWERS,
  },
  {
    name: "guard: more than 256 characters of an answer are held",
    file: SEARCH,
    find: "place + 1 - this.#released <= HELD_MAX",
    replace: "place - this.#released <= HELD_MAX",
    tests: ANSWERS,
  },
  {
    name: "guard: the rest of a long value in an answer leaves",
    file: SEARCH,
    find: 'by: by === null ? null : ""',
    replace: "by: null",
    tests: ANSWERS,
  },
  {
    name: "guard: an answer's text parts a word with spaces",
    file: SEARCH,
    find: "this.#words.begun < place",
    replace: "this.#words.begun < 0",
    tests: ANSWERS,
  },
  {
    name: "guard: an answer's text parts groups of digits",
    file: BREAKS,
    find: "return !this.#isSpaced(code);",
    replace: "return true;",
    tests: ANSWERS,
  },
  {
    name: "guard: an answer's text parts a password in an address",
    file: BREAKS,
    find: "if (isBegun && isAlphanumeric(this.#third)) this.#isInAddress = true;",
    replace: "",
    tests: ANSWERS,
  },
  {
    name: "guard: an answer's text parts a character outside the basic plane",
    file: BREAKS,
    find: "return !isPair(last, code);",
    replace: "return true;",
    tests: ANSWERS,
  },
  {
    name: "guard: an answer's text parts a private key at its lines' ends",
    file: KEYS,
    find: 'if (code === LINE_FEED) return "start";',
    replace: 'if (code === LINE_FEED) return "out";',
    tests: ANSWERS,
  },
  {
    name: "guard: a token in an answer counts only once its signature is there",
    file: "src/guard/detectors/jwt.ts",
    find: "if (payload < to || payload - header - 1 < PAYLOAD_MIN) return null;",
    replace: "if (payload <= to) return null;",
    tests: ANSWERS,
  },
  {
    name: "guard: a citation repeats what its answer's text hides",
    file: "src/core/text/moves.ts",
    find: "if (joined.includes(text)) return text;",
    replace: 'if (joined !== "") return text;',
    tests: ["test/whole/guard/cited/cited.test.ts"],
  },
  {
    name: "guard: thinking that may be masked yet begins with its seal",
    file: "src/surfaces/openai-responses/texts.ts",
    find: "(isBegun || isChanged(path))",
    replace: "isChanged(path)",
    tests: ["test/operations/texts/unseal.test.ts"],
  },
];
