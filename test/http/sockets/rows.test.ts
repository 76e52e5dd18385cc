// The rows of turns name the connection on which they came, and lists, the search and exports find them by it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SocketClient } from "./client.ts";

const MODEL = "Local#some-model";
const say = (text: string) => ({ type: "message", role: "user", content: text });

let world: UnderTest;
let rows: readonly JsonObject[];
beforeAll(async () => {
  world = await startUnderTest();
  const client = await new SocketClient(world.url, world.secret).open();
  await client.create({ model: MODEL, input: [say("say: one")] });
  await client.create({ model: MODEL, input: [say("say: two"), { type: "compaction_trigger" }] });
  client.close();
  await world.chat({ model: MODEL, messages: [say("say: three")] });
  rows = asArray(asObject(JSON.parse(await read("/requests"))).data).map(asObject);
});
afterAll(() => world.stop());

async function read(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  return (await fetch(`${world.url}/admin/v1${path}`, { headers })).text();
}

const listIds = async (query: string) =>
  asArray(asObject(JSON.parse(await read(`/requests?${query}`))).data).map((row) => String(asObject(row).id));

test("a turn's row names its connection, and a compaction says that it is one", () => {
  const { socket_id: socket } = rows[1] ?? {};
  expect(String(socket)).toMatch(/^sock_/);
  expect(rows).toMatchObject([
    { transport: "http", socket_id: null, compaction: false },
    { transport: "ws", socket_id: socket, compaction: true },
    { transport: "ws", socket_id: socket, compaction: false },
  ]);
});

test("its turns are found by its id, and by how they came", async () => {
  const [posted = "", ...turns] = rows.map(({ id }) => String(id));
  const socket = String(rows[1]?.socket_id);
  expect(await listIds("transport=ws")).toEqual(turns);
  expect(await listIds("transport=http")).toEqual([posted]);
  expect(await listIds(`socket=${socket}`)).toEqual(turns);
  expect(await listIds("socket=sock_other")).toEqual([]);
  expect(JSON.parse(await read(`/requests/${turns[0]}`))).toMatchObject({ socket_id: socket });
  expect(JSON.parse(await read(`/search?q=${socket}`))).toMatchObject({
    data: [{ type: "socket", id: socket, url: `/#/activity?socket=${socket}` }],
  });
});

test("exports have the columns, and the same filters", async () => {
  const text = await read(`/export/requests.csv?socket=${rows[1]?.socket_id}`);
  const [head = "", ...lines] = text.trim().split("\r\n");
  for (const column of ["transport", "socket_id", "compaction"]) expect(head.split(",")).toContain(column);
  expect(lines).toHaveLength(2);
});
