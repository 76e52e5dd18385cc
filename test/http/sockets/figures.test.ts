// The metrics and the log's line of connections: how many are open, why they were refused and ended, what became of turns.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../../whole/world/until.ts";
import { SocketClient } from "./client.ts";

const MODEL = "Local#some-model";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ more: "responses: { sockets: { all: 20, per_account: 12, per_key: 2 } }" });
});
afterAll(() => world.stop());

const connect = () => new SocketClient(world.url, world.secret).open();

async function readMetrics(): Promise<readonly string[]> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  return text.split("\n").filter((line) => /^poundkey_socket/.test(line));
}

test("turns, warm-ups, refused handshakes and ends are counted", async () => {
  const client = await connect();
  const other = await connect();
  await client.create({ model: MODEL, generate: false, input: "hi" });
  await client.create({ model: MODEL, input: "say: one", stream_id: "a" });
  await client.create({ model: "Nobody#x", input: "say: two" });
  await client.create({ model: `${MODEL}~trouble=400`, input: "say: three" });
  const headers = { upgrade: "websocket", connection: "Upgrade", authorization: `Bearer ${world.secret}` };
  expect((await fetch(`${world.url}/v1/responses`, { headers })).status).toBe(426);
  const open = await readMetrics();
  expect(open.filter((line) => !line.startsWith("poundkey_socket_bytes"))).toEqual([
    "poundkey_sockets 2",
    "poundkey_sockets_max 20",
    "poundkey_sockets_opened_total 2",
    'poundkey_sockets_refused_total{reason="too_many_sockets"} 1',
    'poundkey_socket_turns_total{outcome="completed"} 1',
    'poundkey_socket_turns_total{outcome="refused"} 1',
    'poundkey_socket_turns_total{outcome="failed"} 1',
    "poundkey_socket_warmups_total 1",
  ]);
  expect(open).not.toContain("poundkey_socket_bytes 0");
  client.close();
  other.close();
  await until("both have ended", async () => (await readMetrics()).includes("poundkey_sockets 0"));
  const ended = await readMetrics();
  expect(ended).toContain('poundkey_sockets_closed_total{reason="client_closed"} 2');
  expect(ended).toContain("poundkey_socket_bytes 0");
});

test("a frame above the limit is named in the log and the metrics", async () => {
  const client = await connect();
  client.send("x".repeat(5_000_000));
  expect(await client.gone()).toMatchObject({ code: 1009 });
  await until("it is counted", async () =>
    (await readMetrics()).includes('poundkey_sockets_closed_total{reason="frame_too_large"} 1'),
  );
  if (BINARY !== undefined) return;
  // The log of a binary is elsewhere.
  const ends = world.events.filter(({ event }) => event === "socket.closed");
  expect(ends.at(-1)).toMatchObject({ code: 1009, reason: "frame_too_large" });
});

test("a frame is bounded by server.body_limit, too", async () => {
  const small = await startUnderTest({ server: "body_limit: 1MB" });
  const client = await new SocketClient(small.url, small.secret).open();
  client.send("x".repeat(1_100_000));
  expect(await client.gone()).toMatchObject({ code: 1009 });
  await small.stop();
});

test("a client's own words about its end stay out of the log", async () => {
  const socket: WebSocket = Reflect.construct(WebSocket, [
    `${world.url.replace("http", "ws")}/v1/responses`,
    { headers: { authorization: `Bearer ${world.secret}` } },
  ]);
  await until("the connection is open", () => socket.readyState === WebSocket.OPEN);
  socket.close(4000, "sk-somebodys-secret");
  await until("it has ended", async () =>
    (await readMetrics()).includes('poundkey_sockets_closed_total{reason="client_closed"} 3'),
  );
  expect(JSON.stringify(world.events)).not.toContain("somebodys-secret");
});

// The log of a binary is elsewhere.
test.skipIf(BINARY !== undefined)(
  "what a connection carried is counted in bytes, not in characters",
  async () => {
    const client = await connect();
    const frame = JSON.stringify({ type: "response.create", model: MODEL, input: "say: größe" });
    client.send(frame);
    const shown = (await client.ended(0)).map((one) => JSON.stringify(one)).join("");
    client.close();
    const isEnd = ({ event, bytes_in }: { readonly event: string; readonly bytes_in?: unknown }) =>
      event === "socket.closed" && bytes_in === Buffer.byteLength(frame);
    await until("it has ended", () => world.events.some(isEnd));
    expect(shown).toContain("größe");
    expect(world.events.find(isEnd)).toMatchObject({ bytes_out: Buffer.byteLength(shown) });
  },
);
