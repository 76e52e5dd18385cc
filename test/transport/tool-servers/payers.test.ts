// Two accounts at one tool server: what the calls of one make of it is nothing to the other.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { ToolReply } from "../../../src/core/tools/tool-reply.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import type { ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld, readFirstText } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const A = { id: "key", accountId: "acct_a", memberId: null };
const B = { id: "key", accountId: "acct_b", memberId: null };
const MEMBERS = [
  { id: "key", accountId: "acct_a", memberId: "mem_1" },
  { id: "key", accountId: "acct_a", memberId: "mem_2" },
] as const;

/** Returns the first text of the answer, or the code of the failure. */
function read(call: Promise<ToolReply>): Promise<unknown> {
  return call.then(readFirstText, (thrown: unknown) => (thrown instanceof Fault ? thrown.code : thrown));
}

/** Calls a tool that crashes. */
async function crash(fake: ToolServerFake, call: () => Promise<ToolReply>): Promise<unknown> {
  fake.plan("tools/call", { kind: "status", status: 500 });
  const sent = fake.listSeen("tools/call").length;
  const code = await read(call());
  // One that was refused before it was sent leaves the fault to the next call.
  if (fake.listSeen("tools/call").length === sent) fake.faults.delete("tools/call");
  return code;
}

describe.each([
  ["of another account", A, B],
  ["of another member", ...MEMBERS],
] as const)("an agent %s that repeats a crashing tool", (_name, agent, other) => {
  test("leaves the calls of others served, 143 of 143 in 75 s, of the same tool too", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    const codes = new Set<unknown>();
    let served = 0;
    for (let at = 0; at < 143; at++) {
      for (let again = 0; again < 6; again++)
        codes.add(await crash(fake, () => node.call("progress", {}, { key: agent })));
      const tool = at % 2 === 0 ? "echo" : "progress";
      if (String(await read(node.call(tool, { text: "b" }, { key: other }))).startsWith(tool)) served++;
      await node.pass(524);
    }
    expect(served).toBe(143);
    expect([...codes]).toEqual(["tool_server_unavailable"]);
    // Five failures, and tests of the tool after 10, 20 and 40 s.
    expect(fake.listSeen("tools/call")).toHaveLength(143 + 8);
    expect(node.servers.describe()[0]).toMatchObject({ state: "up", error: null });
    expect(await read(node.call("echo", { text: "a" }, { key: agent }))).toBe("echo: a");
  });
});

describe("a server's state", () => {
  test("isn't changed by one call that fails, but by a connection that does, until its lists come again", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    for (const fault of [{ kind: "status", status: 500 }, { kind: "cut" }, { kind: "garble" }] as const) {
      fake.plan("tools/call", fault);
      await read(node.call("echo"));
      expect(node.servers.describe()[0]).toMatchObject({ state: "up", error: null });
    }
    await fake.stop();
    await until("the kept connections are gone", async () => {
      await read(node.call("echo"));
      return node.servers.describe()[0]?.state === "down";
    });
    fake.restart();
    await node.pass(61_000);
    await until("its lists have come", async () => {
      await node.listNames();
      return node.servers.describe()[0]?.state === "up";
    });
  });
});

describe("forty slow calls of one key", () => {
  test("leave places to a second account while the first holds its three quarters for ever", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { timeoutMs: 1_800_000 })]);
    await node.listNames();
    const client = new Ending();
    const slow = Array.from({ length: 40 }, () => read(node.call("slow", {}, { key: A, client })));
    await until("its share runs", () => fake.countRuns("slow") === 24);
    const serveOther = () =>
      Promise.all(Array.from({ length: 8 }, () => read(node.call("echo", { text: "b" }, { key: B }))));
    const codes: unknown[] = [];
    for (const one of slow) void one.then((code) => codes.push(code));
    for (let minutes = 0; minutes < 20; minutes++) {
      expect(await serveOther()).toEqual(Array.from({ length: 8 }, () => "echo: b"));
      await node.pass(60_000);
    }
    expect(codes).toEqual(Array.from({ length: 16 }, () => "tool_server_busy"));
    expect(fake.countRuns("slow")).toBe(24);
    client.end();
    await Promise.all(slow);
    expect(await read(node.call("echo", { text: "a" }, { key: A }))).toBe("echo: a");
  });

  test("wait for 5 s, and one that waits takes the place of the first that ends", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { parallel: 2 })]);
    await node.listNames();
    const first = read(node.call("slow", { text: "1" }, { key: A }));
    await until("it runs", () => fake.countRuns("slow") === 1);
    const next = read(node.call("echo", { text: "2" }, { key: A }));
    const leaving = new Ending();
    const left = read(node.call("echo", { text: "3" }, { key: A, client: leaving }));
    await node.pass(4900);
    leaving.end();
    expect(await left).toBe("client_gone");
    fake.finish();
    expect(await first).toBe("slow: 1");
    expect(await next).toBe("echo: 2");
    expect(fake.countRuns("echo")).toBe(1);
  });
});
