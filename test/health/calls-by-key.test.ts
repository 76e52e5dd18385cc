// Conversations that go on stay where they are, unless one gateway key has filled the place.
import { beforeEach, describe, expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { ProviderSetup } from "../../src/core/settings.ts";
import { Ending } from "../../src/core/world/ending.ts";
import type { Selection } from "../../src/gateway/plan/plan.ts";
import { planRequest } from "../../src/gateway/plan/plan-request.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import { Caches } from "../../src/health/caches.ts";
import { Health } from "../../src/health/health.ts";
import type { Permit } from "../../src/health/permit.ts";
import { Stickiness } from "../../src/health/stickiness.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { makeConversation, plainCall } from "../harness/conversation.ts";
import { makeKey } from "../harness/samples.ts";
import { NO_LEARNING } from "../learning/no-learning.ts";
import { digestWithKey } from "../selectors/planning.ts";
import { asking, makeCard, RULES, TRIVIA } from "../selectors/sample-cards.ts";

const PLACES = 8;
const FILLED = 64;
const NOW_MS = 0;
let nowMs = NOW_MS;
const CLOCK = { nowMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {}, every: () => () => {} };
const MODELS = Array.from({ length: PLACES }, (_, at) => makeCard(`model-${at}`, 1));
const [MODEL = makeCard("model", 1)] = MODELS;

const ONE_MODEL: Selection = { kind: "card", card: MODEL, fallbacks: [] };
const GROUP: Selection = {
  kind: "group",
  members: MODELS.map((card) => ({ card, weight: 1 })),
  fallbacks: [],
};

const nameCredential = ({ credential }: Attempt) => credential.secret ?? "";
const nameModel = ({ card }: Attempt) => card.id;

/** A provider with this many credentials. */
class Place {
  readonly health = new Health(() => {});
  readonly #selection: Selection;
  readonly #setup: ProviderSetup;

  constructor(selection: Selection, credentials: number) {
    this.#selection = selection;
    this.#setup = {
      name: "Acme",
      dialect: "openai",
      baseUrl: "http://x.test",
      headers: {},
      unlistedModels: false,
      credentials: Array.from({ length: credentials }, (_, at) => ({ secret: `s${at}`, weight: 1 })),
      timeouts: { connectMs: 1, firstByteMs: null, idleMs: 1, totalMs: 1 },
    };
    this.health.configured([this.#setup]);
  }

  /** Plans a request that begins no call yet. */
  expect(keyId: string, session: string) {
    const { attempts, coming } = this.#plan(keyId, session);
    if (attempts[0] === undefined) throw new Error("an empty plan");
    return { first: attempts[0], coming };
  }

  plan(keyId: string, session: string) {
    const {
      attempts: [first],
      load,
      coming,
    } = this.#plan(keyId, session);
    if (first === undefined) throw new Error("an empty plan");
    coming?.end();
    return { first, load };
  }

  #plan(keyId: string, session: string) {
    const { health } = this;
    const ask = asking(TRIVIA);
    const upstreams = new Map([["Acme", makeUpstream(this.#setup, [findDialect("openai")])]]);
    return planRequest(
      {
        random: { bytes: (count: number) => new Uint8Array(count) },
        health,
        stickiness: new Stickiness(),
        vault: { digest: digestWithKey },
        learning: NO_LEARNING,
        caches: new Caches(),
        log: () => {},
        deadlines: new DeadlineSweep(CLOCK),
      },
      {
        id: "chatcmpl-1",
        created: 0,
        requestId: "req-1",
        origin: UNKNOWN_ORIGIN,
        key: makeKey(keyId),
        ask,
        operation: CHAT,
        surface: "openai-chat",
        ...plainCall(),
        conversation: makeConversation(keyId, ask, session),
        selection: this.#selection,
        rules: RULES,
        markup: 1,
        ending: new Ending(),
        routes: new Routes(CHAT, "openai", upstreams),
      },
    );
  }

  /** Begins this many calls of a session. */
  fill(count: number, keyId: string, session: string): readonly Permit[] {
    return Array.from({ length: count }, () => {
      const { first, load } = this.plan(keyId, session);
      const permit = this.health.begin(first, NOW_MS, null, load);
      if (permit === null) throw new Error("it may not be asked");
      return permit;
    });
  }
}

describe.each([
  ["credential", ONE_MODEL, PLACES, nameCredential],
  ["model of a group", GROUP, 1, nameModel],
] as const)("a conversation that goes on and its %s", (_, selection, credentials, nameOf) => {
  let place: Place;
  const firstOf = (keyId: string, session: string) => nameOf(place.plan(keyId, session).first);
  /** A session of another gateway key that has its place there, too. */
  const findNeighbour = (home: string) =>
    Array.from({ length: 100 }, (_, at) => `other ${at}`).find((one) => firstOf("key_b", one) === home) ?? "";

  beforeEach(() => {
    place = new Place(selection, credentials);
  });

  test("stay together, unless 64 calls of its gateway key are under way there", () => {
    const home = firstOf("key_a", "s");
    const neighbour = findNeighbour(home);
    const permits = place.fill(FILLED - 1, "key_a", "s");
    expect(firstOf("key_a", "s")).toBe(home);
    place.fill(1, "key_a", "s");
    expect(firstOf("key_a", "s")).not.toBe(home);
    // Another key's calls are no reason to move.
    expect(firstOf("key_b", neighbour)).toBe(home);
    permits[0]?.finish(NOW_MS, null);
    expect(firstOf("key_a", "s")).toBe(home);
  });

  test("stay together where the place has no more than four times its share", () => {
    const home = firstOf("key_a", "s");
    place.fill(FILLED, "key_a", "s");
    const others = Array.from({ length: 100 }, (_, at) => `other ${at}`).filter(
      (one) => firstOf("key_b", one) !== home,
    );
    for (const session of others.slice(0, FILLED - 1)) place.fill(1, "key_b", session);
    expect(firstOf("key_a", "s")).not.toBe(home);
    for (const session of others.slice(FILLED - 1, FILLED)) place.fill(1, "key_b", session);
    expect(firstOf("key_a", "s")).toBe(home);
  });
});

describe("requests that come at the same moment", () => {
  beforeEach(() => {
    nowMs = NOW_MS;
  });

  test.each([
    ["credential", ONE_MODEL, PLACES, nameCredential],
    ["model of a group", GROUP, 1, nameModel],
  ] as const)(
    "count at their %s before any of them calls, until they call or end",
    (_, selection, credentials, nameOf) => {
      const place = new Place(selection, credentials);
      const firstOf = () => nameOf(place.plan("key_a", "s").first);
      const home = firstOf();
      const coming = Array.from({ length: FILLED }, () => place.expect("key_a", "s"));
      expect(coming.map(({ first }) => nameOf(first))).toEqual(Array.from({ length: FILLED }, () => home));
      expect(firstOf()).not.toBe(home);
      coming[0]?.coming?.end();
      coming[0]?.coming?.end();
      expect(firstOf()).toBe(home);
    },
  );

  test("aren't counted any longer ten seconds later, if nobody says how they ended", () => {
    const place = new Place(ONE_MODEL, PLACES);
    const home = nameCredential(place.plan("key_a", "s").first);
    const [{ first } = place.expect("key_a", "s")] = Array.from({ length: FILLED }, () =>
      place.expect("key_a", "s"),
    );
    nowMs += 9999;
    expect(nameCredential(place.plan("key_a", "s").first)).not.toBe(home);
    nowMs += 1;
    place.expect("key_b", "s");
    expect(place.health.coming.findCredential(first)).toBeUndefined();
    expect(nameCredential(place.plan("key_a", "s").first)).toBe(home);
  });
});

test("the calls of one model with one credential aren't counted by key", () => {
  expect(new Place(ONE_MODEL, 1).plan("key_a", "s").load.keyId).toBeUndefined();
  expect(new Place(ONE_MODEL, 2).plan("key_a", "s").load.keyId).toBe("key_a");
});
