// Secrets between clients, the gateway and tool servers: a server's credential doesn't come back, and the gateway's own don't leave.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { mintAdminToken, mintLoginSecret, mintSecret, mintTokenSecret } from "../../../src/keys/secret.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { QuotingServer } from "../../simulator/tools/quoting-server.ts";
import { ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { MODELS } from "./loop/loop-world.ts";

const SECRET = "operators-secret-0123456789";
const random = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };

const quoting = new QuotingServer();
const own = new ToolServerFake({ era: "newer" });
let gateway: UnderTest;
beforeAll(async () => {
  const fields = `auth: { bearer: "${SECRET}" }, resources: true, prompts: true`;
  gateway = await startUnderTest({
    more: `mcp: { allowed_tools: ["*"], servers: {
      quotes: { url: "${quoting.url}", ${fields} },
      own: { url: "${own.url}", auth: { pass: x-own } } } }`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await quoting.stop();
  await own.stop();
});

const TYPES = { accept: "application/json, text/event-stream", "content-type": "application/json" };

async function send(path: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `Bearer ${gateway.secret}`;
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { ...TYPES, authorization, ...headers },
    body: JSON.stringify(body),
  });
  return response.text();
}

const ask = (path: string, method: string, params: JsonObject, headers?: Readonly<Record<string, string>>) =>
  send(path, { jsonrpc: "2.0", id: 1, method, params }, headers);

describe.each(["json", "events"] as const)(
  "a credential that a server quotes in answers of %s",
  (answers) => {
    beforeAll(() => {
      quoting.options = { dress: (secret) => `I got ${secret}`, answers };
    });

    test.each(["/mcp", "/mcp/quotes"])("is in no answer of %s", async (path) => {
      const name = path === "/mcp" ? "quotes_" : "";
      const uri = path === "/mcp" ? "quotes+file:///a" : "file:///a";
      const _meta = { progressToken: 7 };
      const all = [
        await ask(path, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} }),
        await ask(path, "tools/list", {}),
        await ask(path, "prompts/list", {}),
        await ask(path, "resources/list", {}),
        await ask(path, "resources/templates/list", {}),
        await ask(path, "prompts/get", { name: `${name}greet` }),
        await ask(path, "resources/read", { uri }),
      ];
      for (const tool of ["result", "refuse", "fail", "link"]) {
        all.push(await ask(path, "tools/call", { name: name + tool, arguments: {} }));
        all.push(await ask(path, "tools/call", { name: name + tool, arguments: {}, _meta }));
      }
      const shown = path === "/mcp" ? all.slice(1) : all;
      for (const one of shown) expect(one).toContain("I got [redacted]");
      expect(all.join("\n")).not.toContain(SECRET);
    });

    test.each(MODELS)("reaches neither %s nor its client, whole or streamed", async (model) => {
      const tools = [
        { type: "mcp", server_label: "quotes", server_url: "poundkey:quotes", require_approval: "never" },
      ];
      const input = "Please call quotes_result({}) call quotes_refuse({}) call quotes_fail({})";
      for (const stream of [false, true]) {
        const answer = await send("/v1/responses", { model, input, tools, stream });
        expect(answer).toContain("[redacted]");
        expect(answer).not.toContain(SECRET);
      }
      expect(JSON.stringify(gateway.simulator.calls.all())).not.toContain(SECRET);
    });

    test("is in no log line, and not where the operator reads of servers", async () => {
      const headers = { authorization: `Bearer ${gateway.adminToken}` };
      const response = await fetch(`${gateway.url}/admin/v1/mcp/servers`, { headers });
      const servers = await response.text();
      expect(servers).toContain("[redacted]");
      expect(servers + JSON.stringify(gateway.events)).not.toContain(SECRET);
    });
  },
);

describe("a secret of the gateway's", () => {
  const SECRETS = {
    "a key": mintSecret(random),
    "a token": mintTokenSecret(random),
    "a sign-in of the command line": mintLoginSecret(random),
    "an admin token": mintAdminToken(random),
  };
  const WAYS: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => `Bearer ${secret}`,
    (secret) => `token=${secret}`,
    (secret) => `"${secret}"`,
    (secret) => `Bearer,${secret}`,
    (secret) => `sk=${secret};x`,
    (secret) => `sk-${secret}`,
    (secret) => `Basic ${Buffer.from(`u:${secret}`).toString("base64")}`,
    (secret) => `basic  ${Buffer.from(secret).toString("base64url")}`,
  ];
  test.each(Object.entries(SECRETS))(
    "%s is never sent to a tool server, however it is dressed",
    async (_, secret) => {
      const before = own.seen.length;
      for (const dress of WAYS) {
        const headers = { "x-own": dress(secret) };
        const call = { name: "own_echo", arguments: {} };
        expect(await ask("/mcp", "tools/call", call, headers)).toContain("tool_credential_missing");
        const server = {
          type: "mcp",
          server_label: "own",
          server_url: "poundkey:own",
          require_approval: "never",
        };
        const tools = [{ ...server, authorization: dress(secret) }];
        const asked = { model: "Local#some-model", input: "say: hello", tools };
        expect(await send("/v1/responses", asked)).toContain("needs your own credential");
      }
      expect(own.seen.length).toBe(before);
    },
  );

  test("is in no tag, however it is dressed", async () => {
    for (const dress of WAYS) {
      const tag = dress(SECRETS["a key"]);
      const headers = { "x-poundkey-tags": `who=${tag.replaceAll(/[,;=]/g, ":")}` };
      await send(
        "/v1/chat/completions",
        { model: "Local#m", messages: [{ role: "user", content: "hi" }] },
        headers,
      );
    }
    const response = await fetch(`${gateway.url}/admin/v1/requests?operation=chat&limit=50`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    const rows = asArray(asObject(await response.json()).data).map(asObject);
    const tags = rows.map((row) => String(asObject(row.tags).who));
    expect(tags.length).toBeGreaterThan(5);
    expect(tags.filter((tag) => tag.includes(SECRETS["a key"].slice(3, -4)))).toEqual([]);
  });

  test("is told from a value that only resembles one", async () => {
    const another = `sk-${"a".repeat(49)}`;
    own.options = { era: "newer", token: `Bearer ${another}` };
    const answer = await ask(
      "/mcp",
      "tools/call",
      { name: "own_echo", arguments: { text: "hi" } },
      {
        "x-own": `Bearer ${another}`,
      },
    );
    expect(answer).toContain("echo: hi");
  });
});
