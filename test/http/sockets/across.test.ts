// Conversations that go on over another way in, as Codex-Manager 421 asks: what is kept is found from either.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SocketClient } from "./client.ts";

const MODEL = "Local#some-model";
const TRIGGER = { type: "compaction_trigger" };

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ more: "responses: { keep: 1h }" });
});
afterAll(() => world.stop());

async function post(body: object): Promise<JsonObject> {
  const response = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  return asObject(await response.json());
}

const lastBody = () => JSON.stringify(world.simulator.calls.all().at(-1)?.body);
const readResponse = (frames: readonly JsonObject[]) => asObject(frames.at(-1)?.response);

test("one that began by HTTP goes on over a socket, and by HTTP again", async () => {
  const first = await post({ input: "say: by HTTP" });
  const client = await new SocketClient(world.url, world.secret).open();
  const frames = await client.create({
    model: MODEL,
    previous_response_id: first.id,
    input: "say: by socket",
  });
  expect(frames.at(-1)?.type).toBe("response.completed");
  expect(lastBody()).toContain("say: by HTTP");
  const third = await post({ previous_response_id: readResponse(frames).id, input: "say: again" });
  expect(third.status).toBe("completed");
  for (const said of ["say: by HTTP", "say: by socket"]) expect(lastBody()).toContain(said);
  client.close();
});

test("a summary is exactly one item, whole, streamed and over a socket (codex-switcher 14)", async () => {
  const input = [{ type: "message", role: "user", content: "say: hi" }, TRIGGER];
  const whole = await post({ input });
  const streamed = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, input, stream: true }),
  });
  const events = (await streamed.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const completed = asObject(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "{}"));
  const client = await new SocketClient(world.url, world.secret).open();
  const bySocket = readResponse(await client.create({ model: MODEL, input }));
  client.close();
  for (const { output } of [whole, asObject(completed.response), bySocket])
    expect(asArray(output).map((item) => asObject(item).type)).toEqual(["compaction"]);
});
