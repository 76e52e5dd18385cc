// Mutants of web searches: who may answer, what is held, and what comes back.
import type { Mutant } from "./mutant.ts";

const NEEDED = ["test/whole/models/search-needs.test.ts"];
const SENT = ["test/providers/searches.test.ts"];
const BACK = ["test/surfaces/searches-back.test.ts"];

export const SEARCHES: readonly Mutant[] = [
  {
    name: "searches: a forced one that can't be had is left out",
    file: "src/gateway/plan/unable.ts",
    find: "wishes.mustSearch && wishes.searches?.(card) !== true",
    replace: "wishes.mustSearch && wishes.searches === undefined",
    tests: NEEDED,
  },
  {
    name: "searches: selectors choose as if none were offered",
    file: "src/selectors/sift.ts",
    find: "...(input.searches === undefined ? [] : [lacksSearch])",
    replace: "...(input.searches === undefined ? [] : [lacksSearch].slice(1))",
    tests: NEEDED,
  },
  {
    name: "searches: a model that can't is a candidate for a forced one",
    file: "src/selectors/sieve.ts",
    find: "sieve.mustSearch && !isSearching(sieve.asked, row)",
    replace: "sieve.mustSearch && row < 0",
    tests: NEEDED,
  },
  {
    name: "searches: they are sent without a limit",
    file: "src/operations/chat/prompt/web-search.ts",
    find: "max_uses: USES_DEFAULT }",
    replace: "max_uses: undefined }",
    tests: SENT,
  },
  {
    name: "searches: Google gets one beside functions before Gemini 3",
    file: "src/dialects/gemini/dialect.ts",
    find: "(tools === undefined || (mixes && findFacts(card).signed))",
    replace: "(tools === undefined || mixes)",
    tests: SENT,
  },
  {
    name: "searches: Anthropic gets the gateway's own results",
    file: "src/surfaces/anthropic-messages/searches.ts",
    find: "id.startsWith(OWN_ID) ? reader.read(block) : undefined",
    replace: "id === OWN_ID ? reader.read(block) : undefined",
    tests: BACK,
  },
];
