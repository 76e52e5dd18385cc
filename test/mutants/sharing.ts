// Mutants of groups, credentials' own limits and announced prices: the split of the load, and its price.
import type { Mutant } from "./mutant.ts";

const LIMITS = ["test/selectors/limits.test.ts"];
const GROUPS = ["test/selectors/groups.test.ts"];

export const SHARING: readonly Mutant[] = [
  {
    name: "an own limit counts no calls",
    file: "src/health/permit.ts",
    find: "parts.key.limits.take(parts.load, parts.startedMs);",
    replace: "",
    tests: LIMITS,
  },
  {
    name: "an own limit forgets that calls take time to arrive",
    file: "src/health/rate.ts",
    find: "const ARRIVAL_MS = 1000;",
    replace: "const ARRIVAL_MS = 0;",
    tests: LIMITS,
  },
  {
    name: "an own limit keeps the tokens that were only expected",
    file: "src/health/rate.ts",
    find: "this.#tokens?.giveBack(taken);",
    replace: "",
    tests: LIMITS,
  },
  {
    name: "a group sends a conversation anywhere",
    file: "src/gateway/plan/group-order.ts",
    find: "able.length > 1 ? orderSharers(sharers, input) : null",
    replace: "null",
    tests: GROUPS,
  },
  {
    name: "a group's weights don't count",
    file: "src/health/order/draw.ts",
    find: "weight * (1 -",
    replace: "(1 -",
    tests: GROUPS,
  },
  {
    name: "a group's failing models get their whole share",
    file: "src/health/order/draw.ts",
    find: "** 2;",
    replace: "** 0;",
    tests: GROUPS,
  },
  {
    name: "a group opens models that a key may not use",
    file: "src/http/door/selection.ts",
    find: "members.filter(({ card }) => mayUse(key, card.id))",
    replace: "members",
    tests: ["test/whole/models/groups.test.ts"],
  },
  {
    name: "a group refused for its most expensive model",
    file: "src/ledger/admit.ts",
    find: "if (demand.isGroup) return terms;",
    replace: "",
    tests: ["test/whole/models/groups.test.ts"],
  },
  {
    name: "images by URL go where nobody fetches them",
    file: "src/gateway/plan/unable.ts",
    find: "return kinds.find((kind) => route?.codec.takesUrls?.(kind, card, ask) === false) ?? null;",
    replace: "return null;",
    tests: ["test/whole/answers/image-urls.test.ts"],
  },
  {
    name: "an announced price holds too early",
    file: "src/catalogue/later-prices.ts",
    find: "fromMs <= nowMs",
    replace: "fromMs <= nowMs + 1",
    tests: ["test/catalogue/later-prices.test.ts"],
  },
  {
    name: "an announced price waits for a restart",
    file: "src/app/start/live-configuration.ts",
    find: ">= this.#snapshot.catalogue.changesAtMs",
    replace: ">= Number.POSITIVE_INFINITY",
    tests: ["test/catalogue/later-prices.test.ts"],
  },
  {
    name: "one payer's refusal is everybody's",
    file: "src/health/permit.ts",
    find: "const met = { payer: this.#payer, evidence, status, probes };",
    replace: 'const met = { payer: this.#payer, evidence: "shared" as const, status, probes };',
    tests: ["test/health/credentials.test.ts"],
  },
  {
    name: "an account's places are anybody's",
    file: "src/core/keys/payer.ts",
    find: "return Math.max(1, Math.floor((limit * 3) / 4));",
    replace: "return limit;",
    tests: ["test/http/sockets/open-sockets.test.ts", "test/ledger/limits/limits.test.ts"],
  },
  {
    name: "a lesson's condition is dropped",
    file: "src/health/refusals.ts",
    find: "return conditions === null || conditions.some((one) => isMetBy(shape, one));",
    replace: "return conditions?.length !== 0 || shape.size === 0;",
    tests: ["test/health/conditions.test.ts"],
  },
  {
    name: "one payer uses up the retries of others",
    file: "src/health/retry-budget.ts",
    find: "return isWithin(retries - most, requests);",
    replace: "return isWithin(retries, requests);",
    tests: ["test/health/breaker.test.ts"],
  },
];
