// Thinking of the history that the model wasn't shown: each reason of a provider stands in row, metric and header, once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Removing, startRemoving } from "./removing.ts";

let removing: Removing;
beforeAll(async () => {
  removing = await startRemoving();
});
afterAll(() => removing.stop());

/** Reasons as the provider says them, and as the gateway does. */
const REASONS = {
  Claude: [
    ["prefix", "prefix"],
    ["model", "model"],
    ["organization", "organization"],
    ["end_user", "end_user"],
    ["moonphase", "other"],
  ],
  Answers: [
    ["prefix", "prefix"],
    ["model", "model"],
    ["organization", "organization"],
    ["end_user", "end_user"],
    ["turn_boundary", "turn_boundary"],
    ["moonphase", "other"],
  ],
} as const;
const LANES = [
  ["Claude", "messages", "native"],
  ["Claude", "chat", "translated"],
  ["Claude", "responses", "translated"],
  ["Answers", "responses", "native"],
  ["Answers", "chat", "translated"],
  ["Answers", "messages", "translated"],
] as const;

describe.each(LANES)("%s on %s, %s", (provider, surface, lane) => {
  test.each(REASONS[provider])("%s is %s", async (said, reason) => {
    for (const stream of [false, true]) {
      const before = await removing.countMetric(reason);
      const { status, text, header, row } = await removing.ask(
        surface,
        `${provider}#m~removes=${said}:2`,
        stream,
      );
      expect([status, row.reasoning_removed]).toEqual([200, [{ reason, count: 2 }]]);
      expect((await removing.countMetric(reason)) - before).toBe(1);
      expect(header).toBe(lane === "native" ? null : `${reason}=2`);
      expect(text.includes("input_transformations")).toBe(lane === "native");
      expect(text).toContain("hi");
    }
  });

  test("several stand beside each other, and what was shown all the same doesn't count", async () => {
    for (const stream of [false, true]) {
      const removed = `${provider}#m~removes=prefix:2,allowed:3,model`;
      const { header, row } = await removing.ask(surface, removed, stream);
      expect(row.reasoning_removed).toEqual([
        { reason: "prefix", count: 2 },
        { reason: "model", count: 1 },
      ]);
      expect(header).toBe(lane === "native" ? null : "prefix=2,model=1");
      const shown = await removing.ask(surface, `${provider}#m~removes=allowed:2`, stream);
      expect([shown.row.reasoning_removed, shown.header]).toEqual([[], null]);
    }
  });

  test.each([12_000, 100_000])("of %d entries, ten thousand are read", async (count) => {
    for (const stream of [false, true]) {
      const { status, row, text } = await removing.ask(
        surface,
        `${provider}#m~removes=prefix:${count}`,
        stream,
      );
      expect([status, row.reasoning_removed]).toEqual([200, [{ reason: "prefix", count: 10_000 }]]);
      expect(text).toContain("hi");
      const told = text.match(/prefix_(binding_)?mismatch/g)?.length ?? 0;
      if (lane === "native") expect(told).toBeGreaterThanOrEqual(10_000);
    }
  });

  test("an answer with other lists as long fails as ever", async () => {
    removing.distort = (body) => ({
      ...body,
      others: Array.from({ length: 100_000 }, () => ({ type: "none" })),
    });
    const { status } = await removing.ask(surface, `${provider}#m`).finally(() => {
      removing.distort = null;
    });
    expect(status).toBe(502);
  });

  test.each([
    "a text",
    7,
    null,
    { type: "thinking_dropped", reason: "prefix_binding_mismatch" },
    [null, 3, "thinking_dropped", [], { type: "thinking_dropped" }, { type: "reasoning" }],
  ])("a report that is none changes nothing: %p", async (list) => {
    const usual = await removing.ask(surface, `${provider}#m`);
    removing.distort = (body) => ({ ...body, input_transformations: list });
    const { status, header, row, text } = await removing.ask(surface, `${provider}#m`).finally(() => {
      removing.distort = null;
    });
    const isListed = Array.isArray(list) && provider === "Claude";
    const removed = isListed ? [{ reason: "other", count: 1 }] : [];
    expect([status, row.reasoning_removed]).toEqual([200, removed]);
    expect(header).toBe(isListed && lane === "translated" ? "other=1" : null);
    expect([row.cost_usd, row.tokens]).toEqual([usual.row.cost_usd, usual.row.tokens]);
    expect(text).toContain("hi");
  });
});

test("an answer that breaks off, and one of several choices, have the reasons too", async () => {
  const broken = await removing.ask("chat", "Claude#m~removes=prefix:2~trouble=cut", true);
  expect([broken.row.ended, broken.row.reasoning_removed]).toEqual([
    "broken_off",
    [{ reason: "prefix", count: 2 }],
  ]);
  for (const stream of [false, true]) {
    const { header, row } = await removing.ask("chat", "Claude#m~removes=prefix:2", stream, { n: 3 });
    expect([header, row.reasoning_removed]).toEqual(["prefix=2", [{ reason: "prefix", count: 2 }]]);
  }
});

test("the exports have both", async () => {
  const { row } = await removing.ask("chat", "Claude#m~removes=prefix:2");
  const read = async (form: string) => {
    const headers = { authorization: `Bearer ${removing.world.adminToken}` };
    const path = `/admin/v1/export/requests.${form}?q=${row.request_id}`;
    return await (await fetch(removing.world.url + path, { headers })).text();
  };
  expect(await read("csv")).toContain('"[{""reason"":""prefix"",""count"":2}]"');
  expect(await read("jsonl")).toContain('"mended":[],"reasoning_removed":[{"reason":"prefix","count":2}]');
});
