// A reload that swaps tool servers while calls run and clients listen: what runs ends where it began, everything else is new at once.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { until } from "../../whole/world/until.ts";

const ADMIN = "admin-token-of-the-tests";
const TEST_MS = 120_000;

const left = new ToolServerFake({ era: "older", sessions: true });
const kept = new ToolServerFake({ era: "older", sessions: true });
const fresh = new ToolServerFake({ era: "newer" });
let place: Place;
let serving: Serving;
let url: string;
let secret: string;

function compose(servers: Readonly<Record<string, ToolServerFake>>, kept = ""): string {
  const rows = Object.entries(servers).map(([name, fake]) => {
    const more = name === "kept" ? kept : "";
    return `${name}: { url: "${fake.url}", price_per_call: 0.002${more} }`;
  });
  const mcp = rows.length === 0 ? "" : `mcp: { allowed_tools: ["*"], servers: { ${rows.join(", ")} } }`;
  return `server: { port: 0, admin_token: "${ADMIN}" }\nstore: "sqlite:./poundkey.db"\n${mcp}\n`;
}

async function reload(yaml: string): Promise<void> {
  const before = serving.events("config_reloaded").length;
  place.configure(yaml);
  serving.signal("SIGHUP");
  await serving.logged("config_reloaded", before + 1);
}

beforeAll(async () => {
  place = newPlace(compose({ left, kept }));
  serving = startServe(place, "--simulate");
  url = await serving.listens();
  const made = await fetch(`${url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test" }),
  });
  secret = String(asObject(await made.json()).secret);
}, TEST_MS);
afterAll(async () => {
  serving.end();
  place.remove();
  await Promise.all([left, kept, fresh].map((fake) => fake.stop()));
});

function post(path: string, message: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${secret}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
}

const call = async (name: string, headers = {}) => {
  const params = { name, arguments: { text: name } };
  return (await post("/mcp", { method: "tools/call", params }, headers)).text();
};

async function listNames(): Promise<readonly string[]> {
  const answer = asObject(await (await post("/mcp", { method: "tools/list" })).json());
  return asArray(asObject(answer.result).tools).map((tool) => String(asObject(tool).name));
}

/** A listening client of the older era. */
async function listen(path: string) {
  const begun = await post(path, { method: "initialize", params: { protocolVersion: "2025-11-25" } });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  const headers = { authorization: `Bearer ${secret}`, accept: "text/event-stream", ...session };
  const stream = await fetch(`${url}${path}`, { headers });
  const heard = { text: "", isOver: false, session };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of stream.body ?? []) heard.text += decoder.decode(bytes, { stream: true });
  };
  const end = () => {
    heard.isOver = true;
  };
  void read().then(end, end);
  return heard;
}

const countChanges = ({ text }: { readonly text: string }) => text.split("tools/list_changed").length - 1;
const lastSession = (fake: ToolServerFake) => fake.listSeen("tools/call").at(-1)?.headers["mcp-session-id"];

test(
  "servers change at once, calls under way end on the old ones, and listeners hear of it",
  async () => {
    const all = await listen("/mcp");
    const [ofLeft, ofKept] = [await listen("/mcp/left"), await listen("/mcp/kept")];
    await call("kept_echo", all.session);
    const session = lastSession(kept);
    const running = call("left_slow", all.session);
    await until("the tool works", () => left.countRuns("slow") === 1);

    await reload(compose({ kept, fresh }));
    expect(await call("left_echo")).toContain("Unknown tool: left_echo");
    expect(await call("fresh_echo")).toContain("echo: fresh_echo");
    const names = await listNames();
    expect(names).toContain("fresh_echo");
    expect(names.some((name) => name.startsWith("left_"))).toBe(false);
    await until("it is heard", () => countChanges(all) > 0);
    // A server that is gone has nothing more to say, and one that stays says nothing.
    await until("its listener is let go", () => ofLeft.isOver);
    expect([countChanges(ofKept), ofKept.isOver]).toEqual([0, false]);

    left.finish();
    expect(await running).toContain("slow: left_slow");
    expect(left.cancelled).toEqual([]);
    await call("kept_echo", all.session);
    expect(lastSession(kept)).toBe(session ?? "");
    // The streams to a server that stays aren't cut: a change there is heard as before.
    kept.change([...kept.tools, { name: "more", inputSchema: { type: "object" } }]);
    await until("it is heard", () => countChanges(ofKept) === 1);

    // The same address with other tools: clients of this server alone hear of it, too.
    await reload(compose({ kept, fresh }, ', tools: ["echo"]'));
    await until("it is heard", () => countChanges(ofKept) === 2);
    expect((await listNames()).filter((name) => name.startsWith("kept_"))).toEqual(["kept_echo"]);
  },
  TEST_MS,
);

test(
  "without any server the address is gone, streams end, and a call under way ends well",
  async () => {
    await reload(compose({ fresh }));
    const all = await listen("/mcp");
    const running = call("fresh_slow");
    await until("the tool works", () => fresh.countRuns("slow") === 1);
    await reload(compose({}));
    expect((await post("/mcp", { method: "tools/list" })).status).toBe(404);
    await until("the stream is over", () => all.isOver);
    fresh.finish();
    expect(await running).toContain("slow: fresh_slow");
    await reload(compose({ left }));
    expect(await call("left_echo")).toContain("echo: left_echo");
  },
  TEST_MS,
);
