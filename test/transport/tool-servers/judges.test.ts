// Servers by others: both SDKs of the protocol, in each way that they serve, and the reference server of all features.
import { afterAll, describe, expect, test } from "bun:test";
import type { ToolProgress } from "../../../src/core/tools/tool-reply.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { startEverything, startFirstSdk, startSecondSdk } from "../../harness/reference-servers.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld, readFirstText } from "./tool-world.ts";

const { startNode } = openToolWorld();

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

describe.each([
  ["the second SDK, newer alone", () => startSecondSdk(true), "2026-07-28"],
  ["the second SDK, both eras", () => startSecondSdk(false), "2026-07-28"],
  ["the first SDK, with sessions", startFirstSdk, "2025-11-25"],
] as const)("%s", (_name, start, version) => {
  test("lists, runs, reports progress, cancels, and a change is heard", async () => {
    const judge = start();
    stops.push(judge.stop);
    const node = startNode([makeServer(judge.url)]);
    expect(await node.listNames()).toEqual(["echo", "fail", "slow"]);
    expect(node.servers.describe()[0]).toMatchObject({ state: "up", era: version, leftOut: [] });
    expect(readFirstText(await node.call("echo", { text: "hi" }))).toBe("echo: hi");
    const unknown = await node.call("missing");
    expect(unknown.kind === "error" ? unknown.error.code : unknown.result.isError).toBeOneOf([-32602, true]);
    const client = new Ending();
    const reports: ToolProgress[] = [];
    const call = node
      .call("slow", {}, { client, onProgress: (one) => reports.push(one) })
      .catch(() => "ended");
    await until("progress comes", () => reports.length === 1);
    client.end();
    expect(await call).toBe("ended");
    await until("it is cancelled there", () => judge.countCancelled() === 1);
    const end = node.servers.watch();
    await until("it listens", async () => {
      judge.change();
      return (await node.listNames())?.includes("late");
    });
    end();
  });
});

test("the reference server of all features", async () => {
  const { url, stop } = await startEverything();
  stops.push(stop);
  const node = startNode([makeServer(url, { prompts: true, resources: true })]);
  const mirror = await node.servers.list("fake", null);
  expect(mirror?.tools.size).toBeGreaterThan(8);
  expect(mirror?.prompts.length).toBeGreaterThan(1);
  expect(mirror?.resources.length).toBeGreaterThan(1);
  expect(mirror?.templates.length).toBeGreaterThan(0);
  expect(readFirstText(await node.call("echo", { message: "hi" }))).toBe("Echo: hi");
  expect(await node.call("get-structured-content", { location: "Chicago" })).toMatchObject({
    result: { structuredContent: { humidity: expect.any(Number) } },
  });
  const reports: number[] = [];
  const given = { duration: 0.2, steps: 4 };
  await node.call("trigger-long-running-operation", given, {
    onProgress: ({ progress }) => reports.push(progress),
  });
  expect(reports).toEqual([1, 2, 3, 4]);
  const [resource] = mirror?.resources ?? [];
  expect(await node.call(resource?.key ?? "", undefined, { method: "resources/read" })).toMatchObject({
    kind: "result",
  });
  const owners = ["key:1", "key:2"].map((owner) => node.call("get-sum", { a: 1, b: 2 }, { owner }));
  expect((await Promise.all(owners)).map(readFirstText)).toEqual(Array(2).fill("The sum of 1 and 2 is 3."));
  expect(node.sessions.rows.size).toBe(2);
});
