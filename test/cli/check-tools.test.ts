// `poundkey check --probe` asks each tool server once, and says what it answered.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { probeTools } from "../../src/app/tools/probe.ts";
import { runCheck } from "../../src/cli/start/check.ts";
import { readFrom } from "../harness/settings.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";

let older: ToolServerFake;
let newer: ToolServerFake;
beforeAll(() => {
  older = new ToolServerFake({ era: "older" });
  newer = new ToolServerFake({ era: "newer" });
});
afterAll(async () => {
  await older.stop();
  await newer.stop();
});

test("each server is asked once, and one that isn't there fails the check", async () => {
  const both = `old: { url: "${older.url}" }, new: { url: "${newer.url}" }`;
  const well = await check(both, ["--probe"]);
  expect(well.code).toBe(0);
  expect(well.lines).toEqual([
    expect.stringMatching(/^mcp\.servers\.old: speaks 2025-\d\d-\d\d, \d+ tools/),
    expect.stringMatching(/^mcp\.servers\.new: speaks 2026-07-28, \d+ tools/),
  ]);
  const ill = await check(`${both}, gone: { url: "http://127.0.0.1:9/mcp" }`, ["--probe"]);
  expect([ill.code, ill.lines[2]]).toEqual([1, expect.stringMatching(/^mcp\.servers\.gone: failed: /)]);
});

test("an address at which no streamable HTTP is spoken is said to be one", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answerAsOf2024 });
  const url = `http://127.0.0.1:${other.port}`;
  const { code, lines } = await check(`root: { url: "${url}" }, sse: { url: "${url}/sse" }`, ["--probe"]);
  await other.stop(true);
  expect(code).toBe(1);
  for (const line of lines) expect(line).toMatch(/status 40[45]: no streamable HTTP .*\/mcp; .*2024/);
  expect(lines).toHaveLength(2);
});

/** HTTP+SSE: events by GET at one path, messages by POST at another. */
function answerAsOf2024({ url, method }: Request): Response {
  if (!url.endsWith("/sse")) return new Response("Not Found", { status: 404 });
  if (method !== "GET") return new Response("Method Not Allowed", { status: 405 });
  return new Response("event: endpoint\ndata: /messages\n\n", {
    headers: { "content-type": "text/event-stream" },
  });
}

test("the JSON has each server's answer, and without --probe none is asked", async () => {
  const { text } = await check(`old: { url: "${older.url}" }`, ["--probe", "--json"]);
  expect(JSON.parse(text)).toMatchObject({ ok: true, tools: [{ server: "old", ok: true, error: null }] });
  const { code, lines } = await check('gone: { url: "http://127.0.0.1:9/mcp" }', []);
  expect([code, lines]).toEqual([0, []]);
});

async function check(servers: string, args: readonly string[]) {
  const said: string[] = [];
  const ports = {
    env: () => undefined,
    known: [],
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": `mcp: { servers: { ${servers} } }` }),
    probe: async () => [],
    probeIssuer: async () => "",
    probeTools,
    exposedFiles: () => [],
    accountNames: async () => null,
    schema: async () => null,
    version: async () => "",
  };
  const say = (text: string) => void said.push(text);
  const code = await runCheck(args, { out: say, err: say }, ports);
  return { code, text: said.join("\n"), lines: said.filter((line) => line.startsWith("mcp.")) };
}
