// The order of attempts: fallbacks, open breakers, probes, and conversations that stay on their model.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { keepAble } from "../../src/gateway/plan/group-order.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { makeConversation } from "../harness/conversation.ts";
import { digestWithKey, formatName, HOUSE, makeCard, names, OTHER, Planning } from "./planning.ts";

const TWIN = { fallbacks: [OTHER] };

let router: Planning;
beforeEach(() => {
  router = new Planning();
});

function breaks(model: typeof HOUSE, name: string, nowMs: number): void {
  for (let at = 0; at < 5; at++) router.fails(model, name, nowMs, "upstream_error");
}

test("models that refuse a request are left out; a bug in the check is no refusal", () => {
  const cards = [makeCard("Acme#a"), makeCard("Acme#b")];
  const refuse = (thrown: Error) => (card: (typeof cards)[number]) => {
    if (card === cards[0]) throw thrown;
  };
  const fault = new Fault("unsupported_capability", "no");
  expect(keepAble(cards, refuse(fault))).toEqual({ able: cards.slice(1), refused: fault });
  expect(() => keepAble(cards, refuse(new TypeError("a bug")))).toThrow("a bug");
});

describe("fallbacks", () => {
  test("follow the model's own credentials, and always have a place", () => {
    expect(names(router.plan(0, TWIN)).slice(-1)).toBe("x");
    router.on("House", ["a", 1], ["b", 1], ["c", 1], ["d", 1], ["e", 1]);
    expect(names(router.plan(0, TWIN))).toMatch(/^[a-e] [a-e] x$/);
    expect(router.plan(0)).toHaveLength(4);
  });

  test("serve while the model's breakers are open, and the one due first is probed by one request", () => {
    breaks(HOUSE, "a", 0);
    expect(names(router.plan(500, TWIN))).toBe("b x");
    breaks(HOUSE, "b", 0);
    expect(names(router.plan(500, TWIN))).toBe("x");
    expect(names(router.plan(1000, TWIN)).slice(-1)).toBe("x");
    const [probed] = router.plan(1000, TWIN);
    if (probed) router.begun(probed, 1000);
    expect(names(router.plan(1000, TWIN)).split(" ")).toHaveLength(2);
    router.health.begin(router.attemptOf(HOUSE, "a"), 1000);
    router.health.begin(router.attemptOf(HOUSE, "b"), 1000);
    expect(names(router.plan(1000, TWIN))).toBe("x");
  });

  test("a credential due for a probe comes before healthy ones", () => {
    breaks(HOUSE, "a", 0);
    for (let at = 0; at < 20; at++) expect(names(router.plan(1000))).toBe("a b");
  });

  test("if nothing may be called, the plan still exists to say so", () => {
    breaks(HOUSE, "a", 0);
    breaks(HOUSE, "b", 300);
    const plan = router.plan(400);
    expect(plan).toHaveLength(2);
    expect(plan.map((attempt) => router.health.begin(attempt, 400))).toEqual([null, null]);
    const fault = router.health.unavailable(plan, 400, NOBODY);
    expect([fault.code, fault.details.retryAfterMs]).toEqual(["no_provider_available", 600]);
  });
});

describe("a conversation", () => {
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const turns = (opening: string, count = 1): readonly ChatMessage[] => [
    user(opening),
    ...Array.from({ length: count }, (_, at) => [
      { role: "assistant", content: `answer ${at}` } as const,
      user(`question ${at}`),
    ]).flat(),
  ];
  const openings = Array.from({ length: 200 }, (_, at) => `story ${at}`);

  function orderedRouter(): Planning {
    const made = new Planning();
    made.digest = digestWithKey;
    made.on("House", ["a", 1], ["b", 1], ["c", 2]);
    return made;
  }

  const firstOf = (messages: readonly ChatMessage[], nowMs = 0, one = router): string =>
    names(one.plan(nowMs, { messages }).slice(0, 1));
  const firsts = (one = router, nowMs = 0) => openings.map((opening) => firstOf(turns(opening), nowMs, one));

  beforeEach(() => {
    router = orderedRouter();
  });

  test("has the same credential at each turn and in each process, by the credentials' weights", () => {
    const all = firsts();
    for (const [at, opening] of openings.entries()) {
      expect(firstOf([user(opening)], 0, orderedRouter())).toBe(all[at] ?? "");
      expect(firstOf(turns(opening, 6), 86_400_000, orderedRouter())).toBe(all[at] ?? "");
    }
    const share = (name: string) => all.filter((one) => one === name).length / all.length;
    expect(share("a")).toBeWithin(0.15, 0.35);
    expect(share("c")).toBeWithin(0.4, 0.6);
  });

  test("is known by its session alone, or by the client's name for it with what it opens with, within its key", () => {
    const nameOf = (more: object, text: string, session: string | null = null, keyId = "key_a") =>
      makeConversation(keyId, { ...router.requestOf({ messages: [user(text)] }), ...more }, session).opening
        .name;
    expect(nameOf({}, "one", "s")).toBe(nameOf({ user: "anna" }, "two", "s"));
    const others = [
      nameOf({}, "one"),
      nameOf({}, "two"),
      nameOf({ user: "anna" }, "one"),
      nameOf({ user: "anna", prompt_cache_key: "k" }, "one"),
      nameOf({}, "one", "s"),
      nameOf({}, "one", null, "key_b"),
    ];
    expect(new Set(others).size).toBe(others.length);
    const marked = [{ type: "text", text: "one", cache_control: { type: "ephemeral" } }] as const;
    const plain = [{ type: "text", text: "one" }] as const;
    const ofParts = (content: typeof marked | typeof plain) =>
      makeConversation("key_a", router.requestOf({ messages: [{ role: "user", content }] })).opening.name;
    expect(ofParts(marked)).toBe(ofParts(plain));
  });

  test("moves while its credential rests, and alone, and comes back", () => {
    const before = firsts();
    router.fails(HOUSE, "a", 0, "provider_busy", { upstreamStatus: 429, retryAfterMs: 60_000 });
    for (const [at, name] of firsts(router, 1).entries()) {
      if (before[at] === "a") expect(name).not.toBe("a");
      else expect(name).toBe(before[at] ?? "");
    }
    expect(firsts(router, 60_001)).toEqual(before);
  });

  test("moves only to a credential that is added, and not at all for a replaced secret", () => {
    const before = firsts();
    router.on("House", ["a", 1], ["b", 1], ["c", 2], ["d", 1]);
    const after = firsts();
    expect(after.every((name, at) => name === "d" || name === before[at])).toBeTrue();
    expect(after.filter((name) => name === "d").length / after.length).toBeWithin(0.1, 0.3);
    router.on("House", ["new", 1], ["b", 1], ["c", 2]);
    expect(firsts()).toEqual(before.map((name) => (name === "a" ? "new" : name)));
  });

  test("follows a named credential to another place, and to another secret under its name", () => {
    const named = (secret: string, name: string, weight = 1) => [secret, weight, { name }] as const;
    router.on("House", named("a", "one"), named("b", "two"), named("c", "3", 2));
    const before = firsts();
    router.on("House", named("c", "3", 2), named("a", "one"), named("b", "two"));
    expect(firsts()).toEqual(before);
    router.on("House", named("b", "two"), named("new", "3", 2), named("a", "one"));
    expect(firsts()).toEqual(before.map((name) => (name === "c" ? "new" : name)));
    router.on("House", named("c", "3", 2), named("a", "one"));
    expect(firsts().every((name, at) => name === before[at] || before[at] === "b")).toBeTrue();
    // A name like a place isn't that place: each has its share.
    router.on("House", ["a", 1], ["b", 1], named("c", "1"));
    expect(firsts().filter((name) => name === "a").length / openings.length).toBeWithin(0.2, 0.47);
    expect(new Set(firsts())).toEqual(new Set(["a", "b", "c"]));
  });

  test("that opens like 500 others at once leaves no credential above twice its share and 16", () => {
    const opening = openings.find((one) => firstOf([user(one)]) === "a") ?? "";
    const begun = new Map<string, number>();
    for (let at = 0; at < 500; at++) {
      const [first] = router.plan(0, { messages: [user(opening)] });
      if (first === undefined) throw new Error("an empty plan");
      router.begun(first, 0);
      begun.set(formatName(first), (begun.get(formatName(first)) ?? 0) + 1);
    }
    expect(begun.get("a") ?? 0).toBeLessThanOrEqual(250 + 16);
    expect(begun.get("b") ?? 0).toBeLessThanOrEqual(250 + 16);
    expect([...begun.keys()]).toContain("c");
    // One that goes on stays all the same.
    expect(firstOf(turns(opening))).toBe("a");
  });

  test.each(["slow", "failing"])(
    "passes over a %s credential only if it is new without a sign of going on",
    (how) => {
      for (let at = 0; at < 60; at++) {
        for (const name of ["b", "c"]) router.works(HOUSE, name, at, 200);
        if (how === "slow") router.works(HOUSE, "a", at, 2000);
        else if (at % 3 === 0) router.fails(HOUSE, "a", at, "upstream_error");
        else router.works(HOUSE, "a", at, 200);
      }
      const opened = openings.map((opening) => firstOf([user(opening)], 3000));
      expect(opened).not.toContain("a");
      expect(firsts(router, 3000)).toEqual(firsts(orderedRouter()));
      const signed = openings.map((opening) =>
        names(
          router
            .plan(3000, { messages: [user(opening)], more: { prompt_cache_retention: "24h" } })
            .slice(0, 1),
        ),
      );
      expect(signed).toEqual(firsts(orderedRouter()));
    },
  );
});
