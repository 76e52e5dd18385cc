// The places of conversations: under the store's key, by the ids and weights of credentials, and whatever clients and operators make of names.
import { heapStats } from "bun:jsc";
import { beforeEach, describe, expect, test } from "bun:test";
import { RecentTurns } from "../../../src/health/recent-turns.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import { makeConversation } from "../../harness/conversation.ts";
import { digestWithKey, HOUSE, names, Planning } from "../planning.ts";

const OPENINGS = Array.from({ length: 400 }, (_, at) => `story ${at}`);
const LATER: readonly ChatMessage[] = [
  { role: "assistant", content: "once" },
  { role: "user", content: "and then?" },
];

let router: Planning;
beforeEach(() => {
  router = new Planning();
  router.digest = digestWithKey;
  router.on("House", ["a", 1], ["b", 1], ["c", 2]);
});

const firstOf = (opening: string, more = {}) =>
  names(router.plan(0, { messages: [{ role: "user", content: opening }, ...LATER], more }).slice(0, 1));
const firsts = () => OPENINGS.map((opening) => firstOf(opening));
const shareOf = (all: readonly string[], name: string) =>
  all.filter((one) => one === name).length / all.length;

test("can't be guessed without the store's key", () => {
  const own = firsts();
  router.digest = (text) => new Bun.CryptoHasher("sha256", "another key").update(text).digest("hex");
  const others = firsts();
  // Independent orders agree by the sum of the squares of the shares, which is three eighths.
  const same = own.filter((name, at) => name === others[at]).length / own.length;
  expect(same).toBeWithin(0.28, 0.47);
});

test("of credentials of the store are known by their ids: their order and their secrets change nothing", () => {
  const stored = (secret: string, id: string, weight = 1) => [secret, weight, { id }] as const;
  router.on("House", stored("a", "one"), stored("b", "two"), stored("c", "three", 2));
  const before = firsts();
  expect(shareOf(before, "c")).toBeWithin(0.42, 0.58);
  router.on("House", stored("c", "three", 2), stored("b", "two"), stored("a", "one"));
  expect(firsts()).toEqual(before);
  router.on("House", stored("c", "three", 2), stored("new", "two"), stored("a", "one"));
  expect(firsts()).toEqual(before.map((name) => (name === "b" ? "new" : name)));
});

test("stay where they are while secrets are replaced in their places every hour, and nothing of the old ones is kept", () => {
  const before = firsts();
  for (let hour = 0; hour < 500; hour++) {
    const [first] = router.plan(hour, { messages: [{ role: "user", content: OPENINGS[hour % 400] ?? "" }] });
    if (first === undefined) throw new Error("an empty plan");
    router.begun(first, hour).finish(hour + 1, 10);
    router.on("House", [`a ${hour}`, 1], [`b ${hour}`, 1], [`c ${hour}`, 2]);
  }
  expect(firsts().map((name) => name.slice(0, 1))).toEqual(before);
  expect(router.health.card(HOUSE.id)?.deployments.size ?? 0).toBeLessThanOrEqual(3);
});

test("belong to a place of the list where credentials have neither ids nor names", () => {
  const before = firsts();
  router.on("House", ["b", 1], ["a", 1], ["c", 2]);
  const swapped: Record<string, string> = { a: "b", b: "a", c: "c" };
  expect(firsts()).toEqual(before.map((name) => swapped[name] ?? ""));
});

describe("one name for many conversations", () => {
  test("leaves them their places by what they open with, unless it names a session", () => {
    for (const more of [{ user: "acme" }, { prompt_cache_key: "acme" }]) {
      const all = OPENINGS.map((opening) => firstOf(opening, more));
      expect(shareOf(all, "a")).toBeWithin(0.17, 0.33);
      expect(shareOf(all, "c")).toBeWithin(0.42, 0.58);
    }
    const inSession = OPENINGS.map((content) =>
      names(
        router
          .plan(
            0,
            {},
            makeConversation("key_a", router.requestOf({ messages: [{ role: "user", content }] }), "acme"),
          )
          .slice(0, 1),
      ),
    );
    expect(new Set(inSession).size).toBe(1);
  });

  test("and one opening, ten thousand times, leaves nothing behind", () => {
    const turns = new RecentTurns();
    const asking = { messages: [{ role: "user", content: "hello" }] } as const;
    const play = (from: number, count: number) => {
      for (let at = from; at < from + count; at++) {
        const conversation = router.conversationOf(asking);
        conversation.opening.noteTurn(turns, "House#m", at);
        const [first] = router.plan(at, asking, conversation);
        if (first === undefined) throw new Error("an empty plan");
        router.begun(first, at).finish(at + 1, 10);
      }
      const own = router.attemptOf(HOUSE, "a");
      expect([router.health.key(own)?.inFlight, router.health.key(own)?.callsByKey.count("key_a")]).toEqual([
        0, 0,
      ]);
      return countObjects();
    };
    const before = play(0, 1000);
    expect(play(1000, 10_000) - before).toBeLessThan(2000);
  });
});

/** The objects of the heap that are still in use. */
function countObjects(): number {
  Bun.gc(true);
  return heapStats().objectCount;
}
