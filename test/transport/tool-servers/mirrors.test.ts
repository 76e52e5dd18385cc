// Mirrors of tool servers' lists: when they are asked for, how long they are shown, what is left out, and changes heard.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { CallScope } from "../../../src/transport/tool-servers/call-scope.ts";
import type { ServerChange } from "../../../src/transport/tool-servers/tool-servers.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const SECOND_MS = 1000;

function makeTools(names: readonly string[]) {
  return names.map((name) => ({ name, inputSchema: { type: "object" } }));
}

describe("a list", () => {
  test("reads all pages, once for all who ask", async () => {
    const fake = startFake({ era: "newer", pageSize: 3 });
    fake.tools = makeTools(Array.from({ length: 10 }, (_, at) => `tool-${at}`));
    const node = startNode([makeServer(fake.url)]);
    const lists = await Promise.all([node.listNames(), node.listNames(), node.listNames()]);
    expect(lists.map((names) => names?.length)).toEqual([10, 10, 10]);
    expect(fake.listSeen("tools/list")).toHaveLength(4);
  });

  test("ends after 100 pages, and 1,000 tools", async () => {
    const fake = startFake({ era: "newer", answers: "json", pageSize: 11 });
    fake.tools = makeTools(Array.from({ length: 1200 }, (_, at) => `tool-${at}`));
    const node = startNode([makeServer(fake.url)]);
    expect(await node.listNames()).toHaveLength(1000);
    expect(fake.listSeen("tools/list")).toHaveLength(100);
    const [{ leftOut } = { leftOut: [] }] = node.servers.describe();
    expect(leftOut).toHaveLength(100);
    expect(leftOut[0]).toEqual({ name: "tool-1000", reason: "beyond 1000 tools" });
  });

  test.each(["json", "events"] as const)(
    "of %s leaves out the tools beyond the bounds alone, named with the bound, and those with fields of the gateway's lose them",
    async (answers) => {
      const fake = startFake({ era: "newer", answers });
      const nest = (levels: number): JsonObject =>
        levels === 0 ? { type: "string" } : { type: "object", properties: { 'a"}': nest(levels - 1) } };
      const wide = Object.fromEntries(Array.from({ length: 130_000 }, (_, at) => [`p${at}`, {}]));
      const [first, last] = makeTools(["first", "last"]);
      fake.tools = [
        { ...first, _meta: { "poundkey/error": { code: "forged" }, mine: 1 } },
        { name: "deep", inputSchema: nest(60) },
        { inputSchema: nest(5_000), name: 'deeper "}]' },
        { name: "wide", inputSchema: { type: "object", properties: wide } },
        { name: "wider", inputSchema: { type: "object", properties: wide } },
        { name: "nested", inputSchema: nest(45) },
        ...(last === undefined ? [] : [last]),
      ];
      const node = startNode([makeServer(fake.url)]);
      const mirror = await node.servers.list("fake", null);
      expect([...(mirror?.tools.keys() ?? [])]).toEqual(["first", "nested", "last"]);
      expect(mirror?.tools.get("first")?.members).toEndWith('"_meta":{"mine":1}');
      expect(node.servers.describe()[0]).toMatchObject({ state: "up", tools: 3 });
      expect(mirror?.leftOut).toEqual([
        { name: "deep", reason: "nested deeper than 96 levels" },
        { name: 'deeper "}]', reason: "nested deeper than 96 levels" },
        { name: "wide", reason: "larger than 64 KB" },
        { name: "wider", reason: "larger than 64 KB" },
      ]);
    },
  );

  test("of prompts and resources leaves out the entries beyond the bounds alone", async () => {
    const fake = startFake({ era: "newer" });
    let deep: JsonObject = {};
    for (let at = 0; at < 200; at++) deep = { deep };
    const keys = { name: "deep", uri: "file:///deep", uriTemplate: "file:///{deep}" };
    for (const [method, field, key] of [
      ["prompts/list", "prompts", "name"],
      ["resources/list", "resources", "uri"],
      ["resources/templates/list", "resourceTemplates", "uriTemplate"],
    ] as const) {
      const result = {
        resultType: "complete",
        [field]: [
          { ...keys, _meta: deep },
          { [key]: "plain", name: "plain" },
        ],
      };
      fake.plan(method, { kind: "answer", message: { result } });
    }
    const node = startNode([makeServer(fake.url, { prompts: true, resources: true })]);
    const { prompts, resources, templates } = (await node.servers.list("fake", null)) ?? {};
    for (const entries of [prompts, resources, templates])
      expect(entries?.map(({ key }) => key)).toEqual(["plain"]);
  });

  test("is shown for 60 s, then shown while it is asked for again", async () => {
    const fake = startFake({ era: "newer" });
    fake.tools = makeTools(["a"]);
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    fake.tools = makeTools(["b"]);
    await node.pass(59 * SECOND_MS);
    expect(await node.listNames()).toEqual(["a"]);
    expect(fake.listSeen("tools/list")).toHaveLength(1);
    await node.pass(2 * SECOND_MS);
    expect(await node.listNames()).toEqual(["a"]);
    await until("the new list is there", async () => (await node.listNames())?.[0] === "b");
    expect(fake.listSeen("tools/list")).toHaveLength(2);
  });

  test("is shown for ten minutes while the server fails, which is asked every 10 s at most", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    await fake.stop();
    const isAsked = () => node.servers.describe()[0]?.checkedAtMs === node.clock.nowMs();
    for (let at = 0; at < 5; at++) {
      await node.pass(100 * SECOND_MS);
      expect(await node.listNames()).toContain("echo");
      await until("it was asked", isAsked);
    }
    const [{ state, error } = { state: "", error: "" }] = node.servers.describe();
    expect(`${state}: ${error}`).toStartWith("down: connection refused");
    await node.pass(101 * SECOND_MS);
    expect(await node.listNames()).toBeNull();
    await until("it was asked", isAsked);
    fake.restart();
    expect(await node.listNames()).toBeNull();
    await node.pass(10 * SECOND_MS);
    expect(await node.listNames()).toContain("echo");
  });

  test("waits 5 s for a server that doesn't answer, and no other list waits as long", async () => {
    const fake = startFake({ era: "newer" });
    fake.plan("server/discover", { kind: "stall" });
    const node = startNode([makeServer(fake.url)]);
    const first = node.listNames();
    await until("it is asked", () => fake.seen.length === 1);
    await node.pass(3 * SECOND_MS);
    const second = node.listNames();
    await node.pass(2 * SECOND_MS);
    expect(await Promise.all([first, second])).toEqual([null, null]);
    expect(await node.listNames()).toBeNull();
    expect(fake.seen).toHaveLength(1);
    expect(node.servers.describe()[0]?.state).toBe("unknown");
  });

  test("leaves tools out by name and reason, and none hurts another", async () => {
    const fake = startFake({ era: "newer" });
    const own = { type: "object", properties: {} };
    fake.tools = [
      { name: "good", inputSchema: own, description: 7, annotations: "none", title: "Good" },
      { name: "", inputSchema: own },
      { name: "bare" },
      { name: "any", inputSchema: { anyOf: [own, own] } },
      { name: "good", inputSchema: own },
      { name: "task", inputSchema: own, execution: { taskSupport: "required" } },
      { name: "vast", inputSchema: own, description: "x".repeat(70_000) },
      {
        name: "header",
        inputSchema: { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } },
      },
      { name: "deep", inputSchema: { type: "object", items: { type: "string", "x-mcp-header": "A" } } },
    ];
    const node = startNode([makeServer(fake.url)]);
    const mirror = await node.servers.list("fake", null);
    expect([...(mirror?.tools.values() ?? [])].map(({ members }) => JSON.parse(`{${members}}`))).toEqual([
      { inputSchema: own, title: "Good" },
    ]);
    expect(mirror?.leftOut.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      ": no name",
      "bare: its schema is not that of an object",
      "any: its schema is not that of an object",
      "good: another tool has the same name",
      "task: it only runs as a task",
      "vast: larger than 64 KB",
      "header: `x-mcp-header` stands at an argument that is no string, integer or boolean",
      "deep: `x-mcp-header` stands where properties alone don't lead",
    ]);
    expect(node.logged).toMatchObject([{ event: "tools_left_out", server: "fake", count: 8 }]);
    await node.pass(61 * SECOND_MS);
    fake.tools = fake.tools.slice(0, -1);
    await until("fewer are left out", async () => {
      await node.listNames();
      return node.servers.describe()[0]?.leftOut.length === 7;
    });
  });

  test("keeps what is known of a server that stays the same over a reload", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    node.servers.replace([makeServer(fake.url)]);
    await node.listNames();
    expect(fake.listSeen("tools/list")).toHaveLength(1);
    node.servers.replace([makeServer(fake.url, { auth: { kind: "bearer", token: "t" } })]);
    await node.listNames();
    expect(fake.listSeen("tools/list")).toHaveLength(2);
  });
});

describe.each(["newer", "older"] as const)("a change at a server of the %s era", (era) => {
  test("is heard while somebody watches, and streams are opened again", async () => {
    const fake = startFake({ era, sessions: era === "older" });
    fake.tools = makeTools(["a"]);
    const node = startNode([makeServer(fake.url)]);
    const changes: ServerChange[] = [];
    node.servers.hear((change) => changes.push(change));
    const end = node.servers.watch();
    await until("there is a stream", () => fake.openStreams === 1);
    await until("the first list is there", () => changes.length === 1);
    fake.change([{ name: "a", inputSchema: { type: "object" }, description: "Other." }, ...makeTools(["b"])]);
    const isHeard = async (count: number) => {
      await node.pass(500);
      return changes.length === count;
    };
    await until("it is heard", () => isHeard(2));
    expect(changes[1]).toEqual({ server: "fake", isFirst: false, added: ["b"], removed: [], changed: ["a"] });
    fake.tools = makeTools(["b"]);
    fake.endStreams();
    await until("the stream's end is noticed", async () => {
      await node.pass(1000);
      return fake.openStreams === 1;
    });
    await until("what changed meanwhile is heard", () => isHeard(3));
    expect(changes[2]).toMatchObject({ removed: ["a"] });
    const asked = fake.listSeen("tools/list").length;
    const sinceMs = node.clock.nowMs();
    for (let at = 0; at < 100; at++) fake.announce();
    fake.change(makeTools(["c"]));
    await until("the last change is heard", async () => {
      await node.pass(500);
      return changes.at(-1)?.added.includes("c");
    });
    const seconds = (node.clock.nowMs() - sinceMs) / 1000;
    expect(fake.listSeen("tools/list").length - asked).toBeLessThanOrEqual(seconds + 1);
    end();
    await until("there is no stream", () => fake.openStreams === 0);
    expect(fake.mistakes).toEqual([]);
  });

  test("needs no stream once nobody watches, however early that is", async () => {
    const fake = startFake({ era, sessions: era === "older" });
    const node = startNode([makeServer(fake.url)]);
    node.servers.watch()();
    await node.listNames();
    const end = node.servers.watch();
    await until("there is a stream", () => fake.openStreams > 0);
    end();
    await until("there is no stream", () => fake.openStreams === 0);
  });
});

test("a scope that is closed sends nothing", () => {
  const { deadlines } = startNode([]);
  const scope = new CallScope(deadlines, Number.POSITIVE_INFINITY, () => new Fault("internal_error", "late"));
  scope.close();
  scope.beginReading();
  expect(scope.signal.aborted).toBe(true);
});
