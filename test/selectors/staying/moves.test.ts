// The causes for which a turn is served elsewhere than at its conversation's home, for credentials and for a group's models.
import { describe, expect, test } from "bun:test";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { findMove, type Home } from "../../../src/gateway/plan/home.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import { type Asking, digestWithKey, HOUSE, OTHER, Planning } from "../planning.ts";

const GROUP = [
  { card: HOUSE, weight: 1 },
  { card: OTHER, weight: 1 },
];
const BUSY = { upstreamStatus: 429, retryAfterMs: 60_000 };

function makeRouter(): Planning {
  const made = new Planning();
  made.digest = digestWithKey;
  made.on("House", ["a", 1, { parallel: 1 }], ["b", 1]);
  return made;
}

function findHome(router: Planning, asking: Asking, nowMs = 0): Home {
  const { home } = router.planWhole(nowMs, asking);
  if (!home) throw new Error("the conversation has no order");
  return home;
}

/** Returns a first turn whose home is this credential of this model. */
function open(card: ModelCard, name: string, asking: Asking = {}): Asking {
  const router = makeRouter();
  const { credential } = router.attemptOf(card, name);
  for (let at = 0; at < 200; at++) {
    const opened = { ...asking, messages: [{ role: "user", content: `story ${at}` }] } as const;
    const home = findHome(router, opened);
    if (home.card === card && home.credential.secret === credential.secret) return opened;
  }
  throw new Error("no conversation has this home");
}

const LATER: readonly ChatMessage[] = [
  { role: "assistant", content: "once" },
  { role: "user", content: "and then?" },
];

function goOn({ messages = [], ...asking }: Asking): Asking {
  return { ...asking, messages: [...messages, ...LATER] };
}

describe("a turn moves from its credential", () => {
  const breakDown = (router: Planning) => {
    for (let at = 0; at < 5; at++) router.fails(HOUSE, "a", 0, "upstream_error");
  };
  const slowDown = (router: Planning) => {
    for (let at = 0; at < 60; at++) {
      router.works(HOUSE, "b", at, 200);
      router.works(HOUSE, "a", at, 2000);
    }
  };
  const causes = [
    ["rest", (router: Planning) => router.fails(HOUSE, "a", 0, "provider_busy", BUSY), 1],
    ["breaker", breakDown, 500],
    [
      "retired",
      (router: Planning) => router.fails(HOUSE, "a", 0, "upstream_auth", { upstreamStatus: 401 }),
      1,
    ],
    ["limit", (router: Planning) => router.begun(router.attemptOf(HOUSE, "a"), 0), 1],
    ["load", slowDown, 3000],
  ] as const;

  test.each(causes)("for %s", (cause, trouble, nowMs) => {
    const router = makeRouter();
    const opened = open(HOUSE, "a");
    expect(findHome(router, opened).passedFor).toBeNull();
    trouble(router);
    const home = findHome(router, opened, nowMs);
    expect([home.passedFor, findMove(home, router.attemptOf(HOUSE, "b"))]).toEqual([
      cause,
      { of: "credential", cause },
    ]);
    // A later turn isn't passed on for load.
    expect(findHome(router, goOn(opened), nowMs).passedFor).toBe(cause === "load" ? null : cause);
    expect(findMove(home, router.attemptOf(HOUSE, "a"))).toBeNull();
  });
});

describe("a turn moves from its model", () => {
  test("for what the model can't take, and for a model that is gone or whose only credential rests", () => {
    const opened = open(OTHER, "x", { group: GROUP });
    const router = makeRouter();
    const elsewhere = router.attemptOf(HOUSE, "b");
    const unable = findHome(router, { ...opened, unable: [OTHER] });
    expect([unable.card, findMove(unable, elsewhere)]).toEqual([OTHER, { of: "model", cause: "needs" }]);
    router.fails(OTHER, "x", 0, "provider_busy", BUSY);
    expect(findMove(findHome(router, opened, 1), elsewhere)).toEqual({ of: "model", cause: "rest" });
    const other = makeRouter();
    other.fails(OTHER, "x", 0, "model_not_found", { upstreamStatus: 404, gone: "said" });
    expect(findMove(findHome(other, opened, 1), elsewhere)).toEqual({ of: "model", cause: "gone" });
  });

  test("for a failure, if the plan began at home", () => {
    const opened = open(HOUSE, "a", { group: GROUP });
    const router = makeRouter();
    const home = findHome(router, opened);
    expect(findMove(home, router.attemptOf(OTHER, "x"))).toEqual({ of: "model", cause: "failover" });
    expect(findMove(home, router.attemptOf(HOUSE, "b"))).toEqual({ of: "credential", cause: "failover" });
    expect([findMove(home, null), findMove(home, router.attemptOf(HOUSE, "a"))]).toEqual([null, null]);
  });
});

test("what has one model and one credential, or is drawn, has no home", () => {
  const single = makeRouter();
  single.on("House", ["a", 1]);
  expect(single.planWhole(0).home).toBeNull();
  expect(single.planWhole(0, { fallbacks: [OTHER] }).home).toBeNull();
  expect(new Planning().planWhole(0).home).toBeNull();
});
