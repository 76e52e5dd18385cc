// The order of attempts: fallbacks, open breakers, probes, and conversations that stay on their model.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/fault.ts";
import { NOBODY } from "../../src/core/keys/key.ts";
import { keepAble } from "../../src/gateway/plan/group-order.ts";
import type { ChatMessage } from "../../src/operations/chat/form.ts";
import { HOUSE, makeCard, names, OTHER, Planning } from "./planning.ts";

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
  const model = (content: string): ChatMessage => ({ role: "assistant", content });
  const MINUTE_MS = 60_000;

  /** Serves a request with the named credential. */
  function serve(name: string, nowMs: number, asking: Parameters<Planning["plan"]>[1]): void {
    const conversation = router.conversationOf(asking);
    router.plan(nowMs, asking, conversation);
    router.stickiness.keep(conversation, router.attemptOf(name === "x" ? OTHER : HOUSE, name), nowMs);
  }

  /** The first attempt of each of twenty plans, without repeats. */
  function firstOf(nowMs: number, asking: Parameters<Planning["plan"]>[1]): string {
    const all = Array.from({ length: 20 }, () => names(router.plan(nowMs, asking).slice(0, 1)));
    return [...new Set(all)].toSorted().join("|");
  }

  const first = [user("a story, please"), model("Once upon a time …")];

  test.each(["a", "b"])("stays on credential %s, turn after turn, with or without tool calls", (name) => {
    const messages = [user("a story, please")];
    for (let turn = 0; turn < 4; turn++) {
      if (turn > 0) expect(firstOf(turn, { messages })).toBe(name);
      serve(name, turn, { messages });
      const calls = [
        { id: `call_${turn}`, type: "function", function: { name: "f", arguments: "{}" } },
      ] as const;
      messages.push({ role: "assistant", content: null, tool_calls: calls });
      messages.push({ role: "tool", tool_call_id: `call_${turn}`, content: "done" });
      messages.push(user(`and then? ${turn}`));
    }
  });

  test("is recognized by what was said before its last turn, for this key only", () => {
    serve("b", 0, { messages: [...first, user("go on")] });
    expect(firstOf(1, { messages: [...first, user("stop")] })).toBe("b");
    expect(firstOf(1, { messages: [...first, user("stop")], keyId: "key_b" })).toBe("a|b");
    expect(firstOf(1, { messages: [user("another"), model("…"), user("stop")] })).toBe("a|b");
    expect(firstOf(1, { messages: [user("a story, please")] })).toBe("a|b");
  });

  test.each(["prompt_cache_key", "user"])("is recognized by %s", (field) => {
    serve("b", 0, { more: { [field]: "anna" } });
    expect(firstOf(1, { more: { [field]: "anna" }, messages: [user("something else")] })).toBe("b");
    expect(firstOf(1, { more: { [field]: "bert" } })).toBe("a|b");
    expect(firstOf(1, { more: { [field]: "anna" }, keyId: "key_b" })).toBe("a|b");
  });

  test("of an agent keeps its credential per provider, whichever models it calls in between", () => {
    const agent = { ...TWIN, more: { prompt_cache_key: "session" } };
    for (const name of ["b", "a"]) {
      serve(name, 0, agent);
      serve("x", 1, agent);
      const conversation = router.conversationOf(agent);
      router.plan(1, agent, conversation);
      router.stickiness.keep(conversation, router.attemptOf(makeCard("House#large"), name), 2);
      expect(firstOf(3, agent)).toBe(name);
    }
  });

  test("stays on a fallback that served it, unless that may not be called", () => {
    const asking = { ...TWIN, messages: [...first, user("go on")] };
    serve("x", 0, asking);
    expect(firstOf(1, asking)).toBe("x");
    breaks(OTHER, "x", 1);
    expect(firstOf(1, asking)).toBe("a|b");
    router.fails(HOUSE, "a", 1, "provider_busy", { upstreamStatus: 429, retryAfterMs: 5000 });
    serve("a", 1, asking);
    expect(firstOf(2, asking)).toBe("b");
    expect(firstOf(5001, asking)).toBe("a");
  });

  test("is forgotten after ten minutes of silence", () => {
    const asking = { messages: [...first, user("go on")] };
    serve("b", 0, asking);
    expect(firstOf(9 * MINUTE_MS, asking)).toBe("b");
    expect(firstOf(10 * MINUTE_MS, asking)).toBe("a|b");
  });

  test("is one of up to 50,000 remembered, and 2,000 models", () => {
    serve("b", 0, { more: { user: "the first" } });
    for (let at = 0; at < 50_000; at++) serve("a", 1, { more: { user: `user ${at}` } });
    expect(firstOf(2, { more: { user: "the first" } })).toBe("a|b");
    expect(firstOf(2, { more: { user: "user 0" } })).toBe("a");
    for (let at = 0; at < 3000; at++) router.fails(makeCard(`House#made-up-${at}`), "a", 0, "upstream_error");
    expect([...router.health.cards()].length).toBe(2000);
  });
});
