// Eras and sessions at tool servers: found once, kept, one for each owner, and asked for again when the server forgets.
import { describe, expect, test } from "bun:test";
import { Credentials } from "../../../src/transport/tool-servers/credentials.ts";
import { KnownFacts } from "../../../src/transport/tool-servers/known-facts.ts";
import { Peer } from "../../../src/transport/tool-servers/peer.ts";
import { RequestIds } from "../../../src/transport/tool-servers/request-ids.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld, readFirstText, SessionsInMemory } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const HOUR_MS = 3_600_000;

describe("a server's era", () => {
  test("is found once for all who ask, and looked for again after an hour", async () => {
    const fake = startFake({ era: "older" });
    const node = startNode([makeServer(fake.url)]);
    await Promise.all([node.call("echo"), node.call("echo"), node.call("echo"), node.listNames()]);
    expect(fake.listSeen("server/discover")).toHaveLength(1);
    expect(fake.listSeen("initialize")).toHaveLength(1);
    expect(fake.listSeen("notifications/initialized")).toHaveLength(1);
    await node.pass(HOUR_MS);
    await node.call("echo");
    expect(fake.listSeen("server/discover")).toHaveLength(2);
    expect(fake.mistakes).toEqual([]);
  });

  test.each([
    ["newer", "older", false],
    ["newer", "older", true],
    ["older", "newer", false],
    ["older", "newer", true],
  ] as const)(
    "that changes from %s to %s is noticed by its words (sessions: %p)",
    async (from, to, sessions) => {
      const fake = startFake({ era: from, sessions });
      const node = startNode([makeServer(fake.url)]);
      await node.call("echo", { text: "1" });
      fake.options = { ...fake.options, era: to };
      fake.mistakes.length = 0;
      expect(readFirstText(await node.call("echo", { text: "2" }))).toBe("echo: 2");
      expect(fake.countRuns("echo")).toBe(2);
    },
  );

  test.each([
    ["a 400 without a word", { kind: "status", status: 400 }],
    ["a 404", { kind: "status", status: 404 }],
    ["a 405", { kind: "status", status: 405 }],
    ["method not found", { kind: "answer", message: { error: { code: -32601, message: "?" } } }],
  ] as const)("is the older if it answers with %s", async (_name, fault) => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    fake.plan("server/discover", fault);
    expect(readFirstText(await node.call("echo", { text: "on" }))).toBe("echo: on");
  });

  test.each([
    ["a 500", { kind: "status", status: 500 }],
    ["a 401", { kind: "status", status: 401 }],
  ] as const)("isn't told by %s", async (_name, fault) => {
    const fake = startFake({ era: "both" });
    const node = startNode([makeServer(fake.url)]);
    fake.plan("server/discover", fault);
    expect(await node.listNames()).toBeNull();
    expect(fake.listSeen("initialize")).toHaveLength(0);
  });
});

describe("a session", () => {
  test("is one for each owner, opened once by all who ask at the time, and never the lists' own", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    const owners = ["key:1", "key:2", "key:1", "key:2", "session:1"];
    await Promise.all(owners.map((owner) => node.call("echo", {}, { owner })));
    const used = fake.listSeen("tools/call").map(({ headers }) => headers["mcp-session-id"]);
    expect(new Set(used).size).toBe(3);
    expect([...node.sessions.rows.values()].toSorted()).toEqual([...new Set(used)].map(String).toSorted());
    const [list] = fake.listSeen("tools/list");
    expect(used).not.toContain(list?.headers["mcp-session-id"]);
    expect(fake.listSeen("initialize")).toHaveLength(4);
    expect(fake.mistakes).toEqual([]);
  });

  test("is found by another node, and one that came second is ended", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const sessions = new SessionsInMemory();
    const nodes = [1, 2].map(() => startNode([makeServer(fake.url)], sessions));
    await Promise.all(nodes.map((node) => node.listNames()));
    await Promise.all(nodes.map((node) => node.call("echo")));
    await Promise.all(nodes.map((node) => node.call("echo")));
    const kept = [...sessions.rows.values()];
    expect(kept).toHaveLength(1);
    const later = fake.listSeen("tools/call").slice(2);
    expect(later.map(({ headers }) => headers["mcp-session-id"])).toEqual([kept[0], kept[0]]);
    await until("the second is ended", () => fake.sessions.size === 3);
    expect(fake.mistakes).toEqual([]);
  });

  test("that the server has forgotten is opened again, and the call sent once more", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    await node.call("echo");
    fake.plan("tools/call", { kind: "forget" });
    expect(readFirstText(await node.call("echo", { text: "again" }))).toBe("echo: again");
    expect(fake.listSeen("tools/call")).toHaveLength(3);
    expect(fake.countRuns("echo")).toBe(2);
    expect([...node.sessions.rows.values()]).toEqual([...fake.sessions].slice(-1));
  });

  test("that a server refuses in words, with a 400, is opened again as well", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    await node.call("echo");
    const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
    fake.plan("tools/call", { kind: "answer", status: 400, message: { error } });
    expect(readFirstText(await node.call("echo", { text: "again" }))).toBe("echo: again");
  });

  test("is asked for twice at most", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    fake.plan("tools/call", { kind: "forget" }, { kind: "forget" }, { kind: "forget" });
    expect(readFirstText(await node.call("echo"))).toBe("error -32001: Session not found");
    expect(fake.listSeen("tools/call")).toHaveLength(2);
  });

  test("is needed by a server that had none before", async () => {
    const fake = startFake({ era: "older" });
    const node = startNode([makeServer(fake.url)]);
    await node.call("echo");
    fake.options = { era: "older", sessions: true };
    expect(readFirstText(await node.call("echo", { text: "now" }))).toBe("echo: now");
  });

  test("of the lists ends with the configuration, and one of a caller on demand", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    await node.call("echo");
    const [kept = ""] = node.sessions.rows.values();
    await node.servers.endSession("fake", kept);
    expect(fake.ended).toEqual([kept]);
    node.servers.replace([]);
    await until("the lists' own is ended", () => fake.sessions.size === 0);
  });

  test("of the lists is begun once by all who need it at the time", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const { ports } = startNode([]);
    const server = makeServer(fake.url);
    const credentials = new Credentials(server, ports);
    const peer = new Peer({ server, credentials, pass: null, ports, ids: new RequestIds(ports.random) });
    const known = new KnownFacts(ports);
    const facts = await known.get(peer);
    known.forgetSession(known.session ?? "");
    const [one, other] = await Promise.all([known.open(peer, facts), known.open(peer, facts)]);
    expect(one).toBe(other);
    expect(fake.listSeen("initialize")).toHaveLength(2);
    known.forgetSession(one ?? "");
    known.forget(facts);
    await Promise.all([known.open(peer, facts), known.get(peer)]);
    await until("the one that came first is ended", () => fake.ended.length === 1);
    expect(fake.ended).not.toContain(known.session);
  });

  test("of the lists that is begun while the configuration changes is ended as well", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    const listing = node.listNames();
    node.servers.replace([]);
    await listing;
    expect(fake.listSeen("initialize").length).toBeGreaterThan(0);
    await until("none is left", () => fake.sessions.size === 0);
  });

  test("of the lists has ended at its server once a process has let go of the servers", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const [idle, asking] = [1, 2].map(() => startNode([makeServer(fake.url)]));
    await idle?.listNames();
    void asking?.listNames();
    await Promise.all([idle?.close(), asking?.close()]);
    expect(fake.ended.length).toBeGreaterThan(1);
    expect(fake.sessions.size).toBe(0);
  });

  test("of the lists is left to a server that doesn't answer for a second", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    await node.listNames();
    fake.plan("", { kind: "stall" });
    const closing = node.close();
    await until("it hears of the end", () => fake.seen.at(-1)?.verb === "DELETE");
    await node.pass(1000);
    await closing;
    expect(fake.ended).toEqual([]);
  });

  test("of a stream that is begun while the configuration changes is ended as well", async () => {
    const fake = startFake({ era: "older", sessions: true });
    const node = startNode([makeServer(fake.url)]);
    const stop = node.servers.watch();
    node.servers.replace([]);
    stop();
    await until("it has been ended", () => fake.ended.length > 0);
    await until("none is left", () => fake.sessions.size === 0);
  });
});
