// The five ways to authenticate at a tool server, and what never reaches one.
import { afterAll, describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { ToolAuth } from "../../../src/core/tools/tool-server.ts";
import { mintSecret } from "../../../src/keys/secret.ts";
import { until } from "../../whole/world/until.ts";
import { startTokenServer } from "../auth/token-server.ts";
import { makeServer, openToolWorld, readFirstText } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const tokens = await startTokenServer();
afterAll(() => tokens.stop());

async function readCode(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof Fault ? `${thrown.code}: ${thrown.message}` : String(thrown);
}

const ROWS: readonly (readonly [ToolAuth, Readonly<Record<string, string>>])[] = [
  [{ kind: "none" }, {}],
  [{ kind: "bearer", token: "t-1" }, { authorization: "Bearer t-1" }],
  [{ kind: "header", headers: new Map([["x-test-key", "k-1"]]) }, { "x-test-key": "k-1" }],
];

test.each(ROWS)("%j is sent with every request", async (auth, headers) => {
  const fake = startFake({ era: "older", sessions: true });
  const node = startNode([makeServer(fake.url, { auth })]);
  await node.listNames();
  await node.call("echo");
  node.servers.close();
  expect(fake.seen.length).toBeGreaterThan(6);
  for (const one of fake.seen) expect(one.headers).toMatchObject(headers);
  expect(
    fake.seen.filter(({ headers: { authorization } }) => authorization !== headers.authorization),
  ).toEqual([]);
  expect(fake.mistakes).toEqual([]);
});

describe("oauth", () => {
  const makeAuth = (more: Partial<Extract<ToolAuth, { kind: "oauth" }>> = {}): ToolAuth => ({
    kind: "oauth",
    tokenUrl: `${tokens.origin}/token`,
    clientId: "id",
    clientSecret: "secret-of-the-client",
    scope: null,
    resource: null,
    ...more,
  });

  test("fetches one token for all", async () => {
    tokens.seen.length = 0;
    const fake = startFake({ era: "newer" });
    const node = startNode([
      makeServer(fake.url, { auth: makeAuth({ resource: "https://mcp.example.com" }) }),
    ]);
    await Promise.all([node.call("echo"), node.call("echo"), node.listNames()]);
    expect(tokens.seen).toHaveLength(1);
    expect(tokens.seen[0]?.fields).toEqual({
      grant_type: "client_credentials",
      client_id: "id",
      client_secret: "secret-of-the-client",
      resource: "https://mcp.example.com",
    });
  });

  test.each(["older", "newer"] as const)(
    "fetches another token after a 401 of a server of the %s era, and sends the request once more",
    async (era) => {
      tokens.seen.length = 0;
      const fake = startFake({ era, sessions: era === "older" });
      const node = startNode([makeServer(fake.url, { auth: makeAuth(), prompts: true })]);
      for (const method of ["tools/list", "prompts/list", "tools/call", "prompts/get"] as const)
        fake.plan(method, { kind: "status", status: 401 });
      expect(await node.listNames()).toContain("echo");
      expect(readFirstText(await node.call("echo", { text: "once" }))).toBe("echo: once");
      expect(await node.call("greet", {}, { method: "prompts/get" })).toMatchObject({ kind: "result" });
      expect(tokens.seen).toHaveLength(5);
      expect(fake.texts).toEqual(["once"]);
      const [refused, carried] = fake.listSeen("tools/call");
      expect(carried?.headers.authorization).not.toBe(refused?.headers.authorization);
      expect(fake.mistakes).toEqual([]);
    },
  );

  test("gives up after a second 401, and fetches another token for the next call", async () => {
    tokens.seen.length = 0;
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { auth: makeAuth() })]);
    fake.plan("tools/call", { kind: "status", status: 401 }, { kind: "status", status: 401 });
    expect(await readCode(node.call("echo"))).toStartWith("tool_server_auth");
    expect(fake.listSeen("tools/call")).toHaveLength(2);
    expect(tokens.seen).toHaveLength(2);
    await node.call("echo");
    expect(tokens.seen).toHaveLength(3);
  });

  test("without a token is a failure that names neither server", async () => {
    tokens.answer = () => ({ status: 401, body: { error: "invalid_client" } });
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { auth: makeAuth({ scope: "tools" }) })]);
    const code = await readCode(node.call("echo"));
    tokens.answer = null;
    expect(code).toBe(
      'tool_server_auth: The tool server "fake" refused the gateway\'s credential. Only the operator can change it.',
    );
    expect(fake.seen).toEqual([]);
    expect(tokens.seen.at(-1)?.fields).toMatchObject({ scope: "tools" });
  });
});

describe("pass", () => {
  const auth: ToolAuth = { kind: "pass", header: "x-github-token" };

  test("sends the caller's value to the server, and asks for it where it is missing", async () => {
    const fake = startFake({ era: "older", sessions: true, token: "Bearer one" });
    const node = startNode([makeServer(fake.url, { auth })]);
    expect(await readCode(node.call("echo"))).toBe(
      'tool_credential_missing: The tool server "fake" needs your own credential: send it in the header `x-github-token`.',
    );
    expect(await readCode(node.listNames())).toStartWith("tool_credential_missing");
    expect(fake.seen).toEqual([]);
    expect(readFirstText(await node.call("echo", { text: "mine" }, { pass: "Bearer one" }))).toBe(
      "echo: mine",
    );
    expect(await readCode(node.call("echo", {}, { pass: "Bearer two" }))).toContain("`x-github-token`");
    const [row = ""] = node.sessions.rows.keys();
    expect(row).not.toContain("Bearer");
    await node.listNames("fake", "Bearer one");
    await until("no session but the caller's is left", () => fake.sessions.size === 1);
    expect([...fake.sessions]).toEqual([...node.sessions.rows.values()]);
    expect(fake.mistakes).toEqual([]);
  });

  test("shows nothing that one value has learned to another", async () => {
    const fake = startFake({ era: "newer", token: "Bearer one" });
    const node = startNode([makeServer(fake.url, { auth })]);
    expect(await node.listNames("fake", "Bearer one")).toContain("echo");
    expect(await node.listNames("fake", "Bearer two")).toBeNull();
    expect(node.servers.describe()[0]).toMatchObject({ tools: 0, era: null, instructions: null });
    expect(node.servers.findInstructions("fake", "Bearer one")).toBe("Ask nicely.");
    expect(node.servers.findInstructions("fake", "Bearer two")).toBeNull();
  });

  test("never sends one of the gateway's own secrets", async () => {
    const fake = startFake({ era: "newer" });
    const node = startNode([makeServer(fake.url, { auth })]);
    const secret = mintSecret({ bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) });
    for (const pass of [secret, `Bearer ${secret}`])
      expect(await readCode(node.call("echo", {}, { pass }))).toStartWith("tool_credential_missing");
    expect(fake.seen).toEqual([]);
  });
});

test("a token of the operator's that is refused is sent once: there is no other", async () => {
  const fake = startFake({ era: "newer" });
  const node = startNode([makeServer(fake.url, { auth: { kind: "bearer", token: "t-1" } })]);
  fake.plan("tools/call", { kind: "status", status: 401 });
  expect(await readCode(node.call("echo"))).toStartWith("tool_server_auth");
  expect(fake.listSeen("tools/call")).toHaveLength(1);
});
