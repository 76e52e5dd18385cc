// Mutants of the memory of conversations: whose it is, and what a request may repeat of an earlier one.
import type { Mutant } from "./mutant.ts";

const EARLIER = "src/core/json/earlier-body.ts";
const READ = ["test/http/body/earlier-bodies.test.ts"];
const SCOPE = ["test/http/body/earlier-scope.test.ts"];
const GROWING = ["test/http/sockets/growing.test.ts"];

export const CONVERSATIONS: readonly Mutant[] = [
  {
    name: "a conversation goes on in another account",
    file: "src/http/body/body.ts",
    find: "[owner, keyId, surface]",
    replace: "[keyId, surface]",
    tests: SCOPE,
  },
  {
    name: "a conversation of a key that keeps nothing is remembered",
    file: "src/http/door/arrive.ts",
    find: "key.keepsResponses && arrival.line === null ? key.id : null",
    replace: "key.id",
    tests: ["test/http/body/body-memory.test.ts"],
  },
  {
    name: "changed fields behind a conversation's messages are read as before",
    file: EARLIER,
    find: "bytes.compare(this.bytes, place.close, this.bytes.length, close) !== 0",
    replace: "bytes.length === 0",
    tests: READ,
  },
  {
    name: "a changed message is read as before",
    file: EARLIER,
    find: "if (end <= close && isEqual(this.bytes, bytes, from, end)) {",
    replace: "if (end <= close) {",
    tests: READ,
  },
  {
    name: "a name given twice in a new message leaves as it came",
    file: "src/core/json/plain.ts",
    find: "countElements(value) === elements ? { value, elements } : null",
    replace: "{ value, elements }",
    tests: READ,
  },
  {
    name: "half of a pair passes in a new message",
    file: "src/core/json/plain.ts",
    find: "value === undefined || (scanned.hasSurrogate && !isWellFormed(value))",
    replace: "value === undefined",
    tests: READ,
  },
  {
    name: "a new message isn't checked",
    file: "src/surfaces/checker.ts",
    find: "if (passed === 0 || passed === elements.length) return passed > 0;",
    replace: "if (passed >= 0) return passed > 0;",
    tests: READ,
  },
  {
    name: "what was found out about a changed message stays known",
    file: "src/core/json/growing.ts",
    find: "shared: countShared(list, done.elements, done.count)",
    replace: "shared: Math.min(list.length, done.count)",
    tests: READ,
  },
  {
    name: "a call keeps its tool's flat name when the tools change",
    file: "src/surfaces/openai-responses/read-places.ts",
    find: "if (!isSameNamed(tools, names.copy())) return null;",
    replace: "",
    tests: GROWING,
  },
  {
    name: "a turn is read on in its middle",
    file: "src/surfaces/openai-responses/read-places.ts",
    find: "findLastIndex(({ items }) => items <= shared)",
    replace: "findLastIndex(({ items }) => items <= shared + 1)",
    tests: GROWING,
  },
  {
    name: "a tool in a conversation isn't counted when it is gone on from",
    file: "src/surfaces/openai-responses/lane.ts",
    find: "return this.#dropped.length + this.#found;",
    replace: "return this.#dropped.length;",
    tests: GROWING,
  },
  {
    name: "what is written of a conversation has no commas",
    file: "src/core/json/source.ts",
    find: "pieces.push(pieces.at(-1) === OPEN ? one.subarray(1) : one);",
    replace: "pieces.push(one.subarray(1));",
    tests: GROWING,
  },
];
