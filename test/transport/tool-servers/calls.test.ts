// Calls to tool servers of both eras: what is sent, what comes back, and what goes wrong.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { ToolProgress } from "../../../src/core/tools/tool-reply.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import type { ToolFault } from "../../simulator/tools/faults.ts";
import type { ToolServerFake, ToolServerOptions } from "../../simulator/tools/tool-server.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld, readFirstText } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const SERVERS: readonly (readonly [string, ToolServerOptions])[] = [
  ["newer, JSON", { era: "newer", answers: "json" }],
  ["newer, events", { era: "newer" }],
  ["both, events", { era: "both" }],
  ["older with sessions", { era: "older", sessions: true }],
  ["older without sessions, JSON", { era: "older", answers: "json" }],
  ["older, 2025-03-26", { era: "older", version: "2025-03-26" }],
  ["older, as 2024-11-05", { era: "older", version: "2024-11-05" }],
];

async function failWith(promise: Promise<unknown>): Promise<Fault> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof Fault) return thrown;
  throw new Error(`not a fault: ${String(thrown)}`);
}

/** True once the server knows: by a message in the older era, by the end of the connection in the newer. */
function isCancelled(fake: ToolServerFake): boolean {
  const [call] = fake.listSeen("tools/call");
  return fake.cancelled.includes(fake.options.era === "older" ? call?.id : `closed ${call?.id}`);
}

describe.each(SERVERS)("a server that is %s", (_name, options) => {
  test("lists, runs, reports progress, fails and answers in its own words", async () => {
    const fake = startFake(options);
    const node = startNode([makeServer(fake.url, { prompts: true, resources: true })]);
    expect(await node.listNames()).toContain("echo");
    expect(readFirstText(await node.call("echo", { text: "hi" }))).toBe("echo: hi");
    expect(readFirstText(await node.call("größe/now", {}))).toBe("größe/now: ");
    expect(await node.call("fail")).toMatchObject({ kind: "result", result: { isError: true } });
    expect(readFirstText(await node.call("missing"))).toBe("error -32602: Unknown tool: missing");
    const told: ToolProgress[] = [];
    await node.call("progress", {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await node.call("regional", { region: "größe", count: 3 });
    const read = await node.call("file:///a.txt", undefined, { method: "resources/read" });
    expect(read).toMatchObject({ result: { contents: [{ uri: "file:///a.txt" }] } });
    const prompt = await node.call("greet", { who: "you" }, { method: "prompts/get" });
    expect(prompt).toMatchObject({ result: { messages: [{ role: "user" }] } });
    expect(fake.mistakes).toEqual([]);
    expect(fake.countRuns("echo")).toBe(1);
  });

  test("gives integers that no double holds as they are", async () => {
    const fake = startFake(options);
    fake.plan("tools/call", {
      kind: "garble",
      type: "application/json",
      text: `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x","data":12345678901234567890}}`,
    });
    const reply = await startNode([makeServer(fake.url)]).call("ids");
    expect(JSON.stringify(reply)).toContain("12345678901234567890");
  });

  test("is told within a second when the client leaves, and the call isn't sent again", async () => {
    const fake = startFake(options);
    const node = startNode([makeServer(fake.url)]);
    const client = new Ending();
    let sent = 0;
    const call = failWith(node.call("slow", {}, { client, onSend: () => sent++ }));
    await until("the tool runs", () => fake.countRuns("slow") === 1);
    expect(sent).toBe(1);
    client.end();
    expect((await call).code).toBe("client_gone");
    await until("the server is told", () => isCancelled(fake));
    expect(fake.countRuns("slow")).toBe(1);
  });

  test("is cancelled when its time is over", async () => {
    const fake = startFake(options);
    const node = startNode([makeServer(fake.url, { timeoutMs: 2000 })]);
    await node.servers.list("fake", null);
    const call = failWith(node.call("slow"));
    await until("the tool runs", () => fake.countRuns("slow") === 1);
    await node.pass(2500);
    expect((await call).code).toBe("tool_timeout");
    await until("the server is told", () => isCancelled(fake));
  });
});

test("a server that answers a notification with an endless stream holds nothing up", async () => {
  const fake = startFake({ era: "older", sessions: true });
  fake.plan("notifications/initialized", { kind: "listen" });
  const node = startNode([makeServer(fake.url)]);
  expect(readFirstText(await node.call("echo", { text: "on" }))).toBe("echo: on");
});

const FAULTS: readonly (readonly [string, ToolFault, string])[] = [
  ["a 503", { kind: "status", status: 503 }, "tool_server_unavailable"],
  ["a 429", { kind: "status", status: 429 }, "tool_server_unavailable"],
  ["a 401", { kind: "status", status: 401 }, "tool_server_auth"],
  ["a 403", { kind: "status", status: 403 }, "tool_server_auth"],
  [
    "a redirect",
    { kind: "status", status: 307, headers: { location: "http://169.254.169.254/" } },
    "tool_server_error",
  ],
  ["neither JSON nor events", { kind: "garble" }, "tool_server_error"],
  ["half of JSON", { kind: "garble", type: "application/json", text: '{"jsonrpc":' }, "tool_server_error"],
  ["deep JSON", { kind: "garble", type: "application/json", text: "[".repeat(100_000) }, "tool_server_error"],
  ["an answer to no question", { kind: "answer", message: { id: 1, result: {} } }, "tool_server_error"],
  ["no answer", { kind: "status", status: 202 }, "tool_server_error"],
  ["events without an end", { kind: "cut" }, "tool_server_error"],
  ["a broken connection", { kind: "break" }, "tool_server_error"],
  [
    "a task",
    { kind: "answer", message: { result: { resultType: "task", task: {} } } },
    "tool_input_unsupported",
  ],
  [
    "a question",
    {
      kind: "answer",
      message: {
        result: { resultType: "input_required", inputRequests: { a: { method: "sampling/createMessage" } } },
      },
    },
    "tool_input_unsupported",
  ],
  [
    "a missing capability",
    {
      kind: "answer",
      status: 400,
      message: { error: { code: -32021, message: "no", data: { requiredCapabilities: { roots: {} } } } },
    },
    "tool_input_unsupported",
  ],
];

describe.each(FAULTS)("%s", (_name, fault, code) => {
  test(`is ${code}, and the call isn't sent again`, async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.servers.list("fake", null);
    fake.plan("tools/call", fault);
    const thrown = await failWith(node.call("echo"));
    expect(`${thrown.code}`).toBe(code);
    expect(thrown.message).not.toContain("127.0.0.1");
    expect(fake.listSeen("tools/call")).toHaveLength(1);
  });
});

describe("a server of the older era that asks its client", () => {
  test.each(["sampling/createMessage", "elicitation/create", "roots/list"])(
    "%s hears at once that nobody answers that, and the call goes on",
    async (method) => {
      const fake = startFake({ era: "older", sessions: true });
      const node = startNode([makeServer(fake.url)]);
      fake.plan("tools/call", { kind: "ask", method });
      expect(readFirstText(await node.call("echo", { text: "on" }))).toBe("echo: on");
      await until("the server is answered", () => fake.listSeen("response").length === 1);
      expect(fake.listSeen("response")[0]?.message).toMatchObject({
        id: "from-server",
        error: { code: -32601 },
      });
      expect(fake.mistakes).toEqual([]);
    },
  );
});

describe("a result", () => {
  test.each(["json", "events"] as const)(
    "of more than 10 MB or 1,000 parts is refused: %s",
    async (answers) => {
      const fake = startFake({ era: "newer", answers });
      const node = startNode([makeServer(fake.url)]);
      const makeTool = (name: string) => ({ name, inputSchema: { type: "object" } });
      fake.tools = [makeTool("large"), makeTool("parts")];
      expect((await failWith(node.call("large", { size: 11_000_000 }))).code).toBe("tool_result_too_large");
      expect((await failWith(node.call("parts", { size: 1001 }))).code).toBe("tool_result_too_large");
      expect(await node.call("large", { size: 9_000_000 })).toMatchObject({ kind: "result" });
      expect(await node.call("parts", { size: 1000 })).toMatchObject({ kind: "result" });
    },
  );

  test("comes through behind many notifications, but not behind 64 MB of them", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    fake.plan("tools/call", { kind: "flood", count: 20_000, bytes: 10 });
    expect(readFirstText(await node.call("echo", { text: "through" }))).toBe("echo: through");
    fake.plan("tools/call", { kind: "flood", count: 70, bytes: 1_000_000 });
    expect((await failWith(node.call("echo"))).code).toBe("tool_server_error");
  });

  test("counts once, however often it is given", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    fake.plan("tools/call", { kind: "twice" });
    expect(readFirstText(await node.call("echo", { text: "one" }))).toBe("echo: one");
  });
});

describe("calls under way", () => {
  test("are as many as the server may have, and the next is refused after 5 s", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { parallel: 2 })]);
    const clients = [new Ending(), new Ending()];
    const calls = clients.map((client, at) =>
      failWith(
        node.call("slow", {}, { client, key: { id: "key", accountId: `acct_holder_${at}`, memberId: null } }),
      ),
    );
    await until("both tools run", () => fake.countRuns("slow") === 2);
    const next = failWith(node.call("echo"));
    await node.pass(5001);
    expect((await next).code).toBe("tool_server_busy");
    for (const client of clients) client.end();
    await Promise.all(calls);
    expect(readFirstText(await node.call("echo", { text: "free" }))).toBe("echo: free");
  });

  test("stop for 10 s after five failures in a row, then one call tries", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.servers.list("fake", null);
    const failOnce = async () => {
      fake.plan("tools/call", { kind: "status", status: 500 });
      return failWith(node.call("echo"));
    };
    for (let at = 0; at < 5; at++) await failOnce();
    expect(fake.listSeen("tools/call")).toHaveLength(5);
    expect((await failWith(node.call("echo"))).code).toBe("tool_server_unavailable");
    expect(fake.listSeen("tools/call")).toHaveLength(5);
    expect(node.servers.describe()[0]).toMatchObject({ state: "up", error: null });
    await node.pass(10_001);
    expect(readFirstText(await node.call("echo", { text: "up" }))).toBe("echo: up");
    expect(node.servers.describe()[0]).toMatchObject({
      state: "up",
      error: null,
      era: "2026-07-28",
      version: "2.0",
    });
  });

  test("of a server that was gone for long are sent again within 15 s of its return", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    await fake.stop();
    // As at the door: a call looks at the list first.
    const tryCall = async () => {
      await node.listNames();
      return node.call("echo", { text: "back" }).catch(() => null);
    };
    for (let seconds = 0; seconds < 165; seconds += 5) {
      expect(await tryCall()).toBeNull();
      await node.pass(5000);
    }
    // A look that began before mustn't end after its return, as one that fails then.
    await node.pass(11_000);
    expect(await tryCall()).toBeNull();
    await until(
      "the last look has failed",
      () => node.servers.describe()[0]?.checkedAtMs === node.clock.nowMs(),
    );
    fake.restart();
    await node.pass(11_000);
    const reply = await until("it is found", tryCall);
    expect(readFirstText(reply)).toBe("echo: back");
  });

  test("of a server that is gone fail without a wait, and work once it is back", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    expect(readFirstText(await node.call("echo", { text: "1" }))).toBe("echo: 1");
    await fake.stop();
    expect((await failWith(node.call("echo"))).code).toBe("tool_server_unavailable");
    fake.restart();
    expect(readFirstText(await node.call("echo", { text: "2" }))).toBe("echo: 2");
    expect(fake.mistakes).toEqual([]);
  });
});
