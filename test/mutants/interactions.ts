// Mutants of Google's Interactions API: steps, signatures, and what is kept.
import type { Mutant } from "./mutant.ts";

const READ = ["test/surfaces/interactions/requests.test.ts"];
const SIGNED = ["test/surfaces/interactions/signatures.test.ts"];
const KEPT = ["test/clients/interactions/interactions-kept.test.ts"];

export const INTERACTIONS: readonly Mutant[] = [
  {
    name: "interactions: an id that isn't kept is answered without its history",
    file: "src/surfaces/interactions/stored.ts",
    find: "if (previous === null) throw refuseUnkept(id, keeping !== null);",
    replace: "if (previous === null) return [];",
    tests: KEPT,
  },
  {
    name: "interactions: a response's id goes on as an interaction's",
    file: "src/http/conversations/earlier.ts",
    find: "id.startsWith(INTERACTIONS.idPrefix) === (idPrefix === INTERACTIONS.idPrefix)",
    replace: "id.length + idPrefix.length + INTERACTIONS.idPrefix.length > 0",
    tests: KEPT,
  },
  {
    name: "interactions: a repeated thought stands twice",
    file: "src/surfaces/interactions/steps.ts",
    find: 'return signature !== "" && known.has(signature);',
    replace: 'return signature === "" && known.has(signature);',
    tests: KEPT,
  },
  {
    name: "interactions: a result without a call is sent",
    file: "src/surfaces/interactions/input.ts",
    find: "if (!this.#calls.delete(id)) {",
    replace: "if (!this.#calls.delete(id) && id === path) {",
    tests: READ,
  },
  {
    name: "interactions: a call's foreign signature becomes a text's",
    file: "src/surfaces/interactions/input.ts",
    find: "    const signature = this.#signature;\n    this.#signature = null;\n    this.#open().call(",
    replace: "    this.#sign();\n    const signature = this.#signature;\n    this.#open().call(",
    tests: SIGNED,
  },
  {
    name: "interactions: thinking that wasn't shown comes back without its text",
    file: "src/surfaces/signature.ts",
    find: "return PREFIX + seal.seal(JSON.stringify({ text, details: omitShown(text, details) }));",
    replace: 'return PREFIX + seal.seal(JSON.stringify({ text: "", details: omitShown(text, details) }));',
    tests: SIGNED,
  },
];
