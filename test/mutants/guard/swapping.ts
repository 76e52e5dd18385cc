// Mutants of placeholders, and of how their values are put back.
import type { Mutant } from "../mutant.ts";

const PLACEHOLDERS = "src/guard/placeholders.ts";
const RESTORER = "src/guard/restorer.ts";
const STREAM = "src/guard/json-stream.ts";
const NAMED = ["test/guard/placeholders.test.ts"];
const RESTORED = ["test/guard/restorer.test.ts"];
const JSON_TESTS = ["test/guard/json-stream.test.ts"];

export const GUARD_SWAPPING: readonly Mutant[] = [
  {
    name: "guard: codes are the same in all accounts",
    file: PLACEHOLDERS,
    find: '"sha256", this.#key)',
    replace: '"sha256", "")',
    tests: NAMED,
  },
  {
    name: "guard: halves of surrogates have the same code",
    file: PLACEHOLDERS,
    find: '.update(hashed, "utf16le")',
    replace: ".update(hashed)",
    tests: NAMED,
  },
  {
    name: "guard: two values share a code",
    file: PLACEHOLDERS,
    find: "if (this.#codes.has(code)) continue;",
    replace: "",
    tests: NAMED,
  },
  {
    name: "guard: one value too many",
    file: PLACEHOLDERS,
    find: "this.#names.size >= VALUES_MAX",
    replace: "this.#names.size > VALUES_MAX",
    tests: NAMED,
  },
  {
    name: "guard: the tail leaves a character early",
    file: RESTORER,
    find: "if (to === OPEN && !isWhole) break;",
    replace: "if (to === OPEN && !isWhole && at + 1 < text.length) break;",
    tests: RESTORED,
  },
  {
    name: "guard: a bracket goes without its other half",
    file: RESTORER,
    find: "{ to: matchFolded(text, found.to, pair.close), value: found.value }",
    replace: "{ to: Math.max(found.to, matchFolded(text, found.to, pair.close)), value: found.value }",
    tests: RESTORED,
  },
  {
    name: "guard: other alphabets' letters are capitals of marks",
    file: RESTORER,
    find: "if (code !== wanted && toLower(code) !== wanted) return NONE;",
    replace: "if (text.charAt(at + index).toUpperCase() !== part.charAt(index).toUpperCase()) return NONE;",
    tests: RESTORED,
  },
  {
    name: "guard: a value is put into JSON unescaped",
    file: "src/guard/json-string.ts",
    find: "JSON.stringify(text).slice(1, -1)",
    replace: "text",
    tests: JSON_TESTS,
  },
  {
    name: "guard: a part of an escape leaves before the rest",
    file: "src/guard/json-string.ts",
    find: "if (digit >= written.length) return 0;",
    replace: "if (digit >= written.length) return 1;",
    tests: JSON_TESTS,
  },
  {
    name: "guard: the value behind a comma in a list is a key",
    file: STREAM,
    find: "this.#tooDeep === 0 && this.#levels.at(-1)?.isObject === true",
    replace: "this.#tooDeep === 0",
    tests: JSON_TESTS,
  },
  {
    name: "guard: a value in a list has no field",
    file: STREAM,
    find: "{ isObject, field: this.#levels.at(-1)?.field }",
    replace: "{ isObject, field: undefined }",
    tests: JSON_TESTS,
  },
  {
    name: "guard: a number that goes on counts as an integer",
    file: STREAM,
    find: "const mayBeKnown = isNumber ||",
    replace: "const mayBeKnown =",
    tests: JSON_TESTS,
  },
  {
    name: "guard: the mark of a placeholder is a word before a number",
    file: "src/guard/context.ts",
    find: "if (start > 0 && isInPlaceholder(this.#text, start, end)) return;",
    replace: "",
    tests: ["test/guard/hidden-twice.test.ts"],
  },
  {
    name: "guard: a placeholder is hidden like a secret",
    file: PLACEHOLDERS,
    find: "if (isInPlaceholder(text, one.from, one.to)) continue;",
    replace: "",
    tests: ["test/guard/hidden-twice.test.ts"],
  },
  {
    name: "guard: a placeholder in an answer is masked",
    file: "src/guard/answer-search.ts",
    find: "if (isInPlaceholder(this.#window, from - this.#base, union.to - this.#base)) return;",
    replace: "",
    tests: ["test/guard/hidden-twice.test.ts"],
  },
];
