// Mutants of the places of conversations: where they go, when they move, and what is said of it.
import type { Mutant } from "../mutant.ts";

const ORDER = ["test/health/hash-order.test.ts"];
const PLACES = ["test/selectors/staying/places.test.ts"];
const PLAN = ["test/selectors/plan.test.ts"];
const COMING = ["test/health/calls-by-key.test.ts"];
const MOVES = ["test/selectors/staying/moves.test.ts"];

const ATTEMPT_ORDER = "src/gateway/plan/attempt-order.ts";
const HOME = "src/gateway/plan/home.ts";
const PASSING = "src/health/order/passing-over.ts";

export const PLACE_MUTANTS: readonly Mutant[] = [
  {
    name: "a client can guess where its conversations go",
    file: "src/health/stickiness.ts",
    find: "BigInt(`0x${digest(this.name).slice(0, SEED_DIGITS)}`)",
    replace: "digest === undefined ? null : Bun.hash.wyhash(this.name.slice(0, SEED_DIGITS * 64))",
    tests: PLACES,
  },
  {
    name: "weights don't decide where conversations go",
    file: "src/health/order/hash-order.ts",
    find: "Math.max(weight, Number.MIN_VALUE)",
    replace: "Math.min(Math.max(weight, 1), 1)",
    tests: ORDER,
  },
  {
    name: "all conversations go to the same place",
    file: "src/health/order/hash-order.ts",
    find: "Bun.hash.wyhash(name, seed)",
    replace: "Bun.hash.wyhash(name, seed & 0n)",
    tests: ORDER,
  },
  {
    name: "the weights of credentials are left to drawing",
    file: ATTEMPT_ORDER,
    find: "name: `credential ${name}`, weight: credential.weight",
    replace: "name: `credential ${name}`, weight: 1",
    tests: PLAN,
  },
  {
    name: "a credential of the store is known by its place",
    file: ATTEMPT_ORDER,
    find: "credential.id ?? `${card.provider} ${place}`",
    replace: "`${card.provider} ${place}`",
    tests: PLACES,
  },
  {
    name: "a named credential is known by its place",
    file: ATTEMPT_ORDER,
    find: 'credential.name === undefined ? (credential.position ?? at + 1) : `"${credential.name}"`',
    replace: "credential.position ?? at + 1",
    tests: PLAN,
  },
  {
    name: "a credential is known by its secret",
    file: ATTEMPT_ORDER,
    find: "const name = credential.id ?? ",
    replace: "const name = credential.secret ?? ",
    tests: PLAN,
  },
  {
    name: "each model of a group gets as many conversations",
    file: "src/gateway/plan/group-order.ts",
    find: "({ ...member, name: `model ${member.card.id}` })",
    replace: "({ ...member, weight: 1, name: `model ${member.card.id}` })",
    tests: ["test/selectors/groups.test.ts"],
  },
  {
    name: "one opening sent by many fills one credential",
    file: PASSING,
    find: "if (inFlight >= CALLS_MIN && holdsMoreThan(CALLS_SHARE_MAX, own, all)) return true;",
    replace: "",
    tests: PLAN,
  },
  {
    name: "requests that come at the same moment don't see each other",
    file: "src/gateway/plan/plan-request.ts",
    find: "if (!plan.home || first === undefined) return plan;",
    replace: "if (plan || first === undefined) return plan;",
    tests: COMING,
  },
  {
    name: "a request that was refused is still to come",
    file: "src/gateway/settle/closing.ts",
    find: "context.plan.coming?.end();",
    replace: "",
    tests: ["test/whole/models/troubled-keys.test.ts"],
  },
  {
    name: "a call that nobody hears of is to come forever",
    file: "src/health/order/coming-calls.ts",
    find: "if (nowMs - call.atMs < COMING_MAX_MS) break;",
    replace: "if (nowMs >= call.atMs) break;",
    tests: COMING,
  },
  {
    name: "new conversations go to a credential that fails",
    file: PASSING,
    find: "if (good + bad >= OUTCOMES_MIN && bad > BAD_SHARE_MAX * (good + bad)) return true;",
    replace: "",
    tests: PLAN,
  },
  {
    name: "new conversations go to a slow credential",
    file: PASSING,
    find: "return own.waitMs > WAIT_FACTOR_MAX * Math.max(meanMs, WAIT_FLOOR_MS);",
    replace: "return false;",
    tests: PLAN,
  },
  {
    name: "a conversation that goes on leaves a slow or failing credential",
    file: "src/health/stickiness.ts",
    find: "return this.isFirstTurn && !this.goesOn;",
    replace: "return true;",
    tests: PLAN,
  },
  {
    name: "a first turn with a sign of going on is passed on",
    file: "src/health/stickiness.ts",
    find: "return this.isFirstTurn && !this.goesOn;",
    replace: "return this.isFirstTurn;",
    tests: PLAN,
  },
  {
    name: "one gateway key fills a credential with conversations that go on",
    file: PASSING,
    find: "own.ofKey >= KEY_CALLS_MIN && holdsMoreThan(KEY_CALLS_SHARE_MAX, own, all)",
    replace: "own.ofKey < 0 && all.length > 0",
    tests: ["test/health/calls-by-key.test.ts"],
  },
  {
    name: "a turn that began elsewhere is said to have failed over",
    file: HOME,
    find: 'cause: home.passedFor ?? "failover" };',
    replace: 'cause: "failover" };',
    tests: MOVES,
  },
  {
    name: "another credential of the home's model is no move",
    file: HOME,
    find: "isSameModel ? served.credential === home.credential : !home.isModelOrdered",
    replace: "isSameModel || !home.isModelOrdered",
    tests: MOVES,
  },
  {
    name: "a turn is said to have moved though its home served it",
    file: HOME,
    find: "if (isSameModel ? served.credential === home.credential : !home.isModelOrdered) return null;",
    replace: "if (!isSameModel && !home.isModelOrdered) return null;",
    tests: MOVES,
  },
  {
    name: "a rest is taken for the breaker",
    file: HOME,
    find: 'if (deployment?.isResting(nowMs)) return "rest";',
    replace: "",
    tests: MOVES,
  },
  {
    name: "rows don't say why a turn has moved",
    file: "src/gateway/context.ts",
    find: "moved: plan.home ? nameCause(plan.home, this.attempt) : null,",
    replace: "moved: null,",
    tests: ["test/whole/models/groups.test.ts"],
  },
  {
    name: "the log doesn't say which turns have moved",
    file: "src/gateway/settle/move-lines.ts",
    find: "if (move === null) return [];",
    replace: "if (move !== undefined) return [];",
    tests: ["test/whole/models/groups.test.ts"],
  },
];
