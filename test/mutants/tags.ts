// Mutants of tags, broken one at a time.
import type { Mutant } from "./mutant.ts";

const LEDGER = ["test/ledger/tags.test.ts"];

export const TAG_MUTANTS: readonly Mutant[] = [
  {
    name: "one tag more in a day",
    file: "src/ledger/usage-sums.ts",
    find: "known.size >= TAGS_PER_DAY_MAX",
    replace: "known.size > TAGS_PER_DAY_MAX",
    tests: LEDGER,
  },
  {
    name: "requests with tags count as untagged too",
    file: "src/ledger/usage-sums.ts",
    find: 'record.tags === null ? "" : TAGGED',
    replace: '""',
    tests: LEDGER,
  },
  {
    name: "a request's own tags come before its key's",
    file: "src/core/log/tags.ts",
    find: "{ ...readTagsText(own), ...owners }",
    replace: "{ ...owners, ...readTagsText(own) }",
    tests: LEDGER,
  },
  {
    name: "an account's tags come before its key's",
    file: "src/ledger/admit.ts",
    find: "{ ...tags, ...key.tags }",
    replace: "{ ...key.tags, ...tags }",
    tests: ["test/whole/log/tags.test.ts"],
  },
  {
    name: "an answer from the cache has no tags of its key",
    file: "src/ledger/admit.ts",
    find: "tagRecord(settlement.record, findTags(key, account))",
    replace: "settlement.record",
    tests: ["test/whole/log/tags.test.ts"],
  },
  {
    name: "the line of an answer from the cache has no tags of its key",
    file: "src/gateway/settle/closing.ts",
    find: "tagRecord(outcome.record, context.granted?.tags)",
    replace: "outcome.record",
    tests: ["test/whole/log/tags.test.ts"],
  },
];
