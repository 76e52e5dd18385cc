// The Responses API over WebSockets: a turn is the POST with everything in it, at every family of models.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../../whole/world/until.ts";
import { SocketClient } from "./client.ts";

const FAMILIES = [
  "Responses#gpt-4.1",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
];
const say = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

const connect = (secret = world.secret, headers = {}) => new SocketClient(world.url, secret, headers).open();
const lastBody = () => JSON.stringify(world.simulator.calls.all().at(-1)?.body);
const last = (frames: readonly JsonObject[]) => frames.at(-1) ?? {};
const responseOf = (frames: readonly JsonObject[]) => asObject(last(frames).response);

async function post(body: object): Promise<string> {
  const response = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.text();
}

describe.each(FAMILIES)("%s", (model) => {
  test("is sent what a POST with everything would send, turn by turn", async () => {
    const client = await connect();
    const first = await client.create({ model, input: [say("say: one")], store: false });
    expect(last(first).type).toBe("response.completed");
    const { id, output } = responseOf(first);
    const second = await client.create({
      model,
      previous_response_id: id,
      input: [say("say: two")],
      store: false,
    });
    const bySocket = lastBody();
    expect(responseOf(second).previous_response_id).toBe(String(id));
    await post({
      model,
      input: [say("say: one"), ...asArray(output), say("say: two")],
      store: false,
      stream: true,
    });
    expect(bySocket).toBe(lastBody());
    client.close();
  });

  test("answers with the events of the stream, and the first has the answer's headers", async () => {
    const body = { model, input: [say("say: hello there")], store: false };
    const client = await connect();
    const frames = await client.create(body);
    const text = await post({ ...body, stream: true });
    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => String(type));
    expect(frames.map(({ type }) => String(type))).toEqual(types);
    const [first = {}] = frames;
    expect(asObject(first.headers)["x-poundkey-model"]).toBe(model);
    expect(String(asObject(first.headers)["x-request-id"])).toStartWith("req_");
    client.close();
  });
});

test("a warm-up asks nobody, costs nothing, and is gone on from", async () => {
  const client = await connect();
  const calls = world.simulator.calls.total;
  const model = "Anthropic#claude-sonnet-4-6";
  const rules = { type: "message", role: "developer", content: "Answer in rhymes." };
  const warmed = await client.create({
    model,
    generate: false,
    input: [rules],
    store: false,
    client_metadata: {},
  });
  expect(warmed.map(({ type }) => String(type))).toEqual(["response.created", "response.completed"]);
  expect(responseOf(warmed)).toMatchObject({ output: [], usage: { input_tokens: 0, output_tokens: 0 } });
  expect(world.simulator.calls.total).toBe(calls);
  await client.create({
    model,
    previous_response_id: responseOf(warmed).id,
    input: [say("say: hi")],
    store: false,
  });
  expect(lastBody()).toContain("Answer in rhymes.");
  client.close();
});

test("lanes run beside each other, and one may go on from another's response", async () => {
  const client = await connect();
  const model = "Local#some-model";
  const slow = {
    type: "response.create",
    model: `${model}~latency=2000`,
    stream_id: "slow",
    input: "say: slow",
  };
  client.send(slow);
  const fast = { type: "response.create", model, stream_id: "fast", input: "say: fast" };
  client.send(fast);
  await until(
    "both have ended",
    () => client.frames.filter(({ type }) => type === "response.completed").length === 2,
  );
  const ended = client.frames.filter(({ type }) => type === "response.completed");
  expect(ended.map((frame) => String(frame.stream_id))).toEqual(["fast", "slow"]);
  const { id } = asObject(ended[1]?.response);
  await client.create({ model, stream_id: "fast", previous_response_id: id, input: "say: more" });
  expect(lastBody()).toContain("say: slow");
  client.close();
});

describe("a failure", () => {
  test("before the answer is one frame with the HTTP answer's status, and the connection goes on", async () => {
    const client = await connect();
    const [frame = {}] = await client.create({ model: "Nobody#x", input: "hi" });
    expect(frame).toMatchObject({ type: "error", status: 404, error: { code: "model_not_found" } });
    expect(last(await client.create({ model: "Local#m", input: "say: hi" })).type).toBe("response.completed");
    client.close();
  });

  test("of an unknown response says so, and of a refused turn forgets nothing", async () => {
    const client = await connect();
    const model = "Local#m";
    const unknown = await client.create({ model, previous_response_id: "resp_x", input: "hi" });
    expect(last(unknown)).toMatchObject({
      status: 400,
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
    const { id } = responseOf(await client.create({ model, input: "say: kept", store: false }));
    await client.create({ model: `${model}~trouble=400`, previous_response_id: id, input: "no" });
    const again = await client.create({ model, previous_response_id: id, input: "say: yes" });
    expect(last(again).type).toBe("response.completed");
    const other = await connect();
    expect(last(await other.create({ model, previous_response_id: id, input: "hi" })).status).toBe(400);
    client.close();
    other.close();
  });

  test("of money is final for clients, and closes nothing", async () => {
    const account = await world.newAccount();
    const { secret } = await world.newKey({ account_id: account, requests_per_day: 1 });
    const client = await connect(secret);
    await client.create({ model: "Local#m", input: "say: one" });
    const frame = last(await client.create({ model: "Local#m", input: "say: two" }));
    expect(frame).toMatchObject({ status: 429, error: { code: "insufficient_quota" } });
    expect(client.closed).toBeNull();
    client.close();
  });

  test.each([
    ["{", { status: 400, error: { code: null, param: null } }],
    ["[]", { status: 400, error: { code: null, param: null } }],
    ["null", { status: 400, error: { code: null, param: null } }],
    [{}, { status: 400, error: { code: "invalid_value", param: "type" } }],
    [{ type: "response.cancel" }, { status: 400, error: { code: "invalid_value", param: "type" } }],
    [
      { type: "response.create", stream_id: "a b", model: "Local#m", input: "x" },
      { error: { code: "invalid_stream_id" } },
    ],
    [
      { type: "response.create", headers: { authorization: "x" }, model: "Local#m", input: "x" },
      { error: { code: "invalid_value", param: "headers" } },
    ],
    [{ type: "response.create", headers: "x" }, { error: { code: "invalid_type", param: "headers" } }],
    [{ type: "response.create", generate: "no" }, { error: { code: "invalid_type", param: "generate" } }],
    [
      { type: "response.create", previous_response_id: 7 },
      { error: { code: "invalid_type", param: "previous_response_id" } },
    ],
  ])("is told of the frame %j", async (frame, expected) => {
    const client = await connect();
    client.send(frame);
    expect(last(await client.ended(0))).toMatchObject(expected);
    client.close();
  });
});

test("steering is refused, and the turn goes on", async () => {
  const client = await connect();
  client.send({ type: "response.create", model: "Local#m~latency=1500", input: "say: on" });
  client.send({ type: "response.steer", previous_response_id: "resp_1", input: [] });
  const frames = await client.ended(0);
  expect(frames.map(({ type }) => String(type))).toContain("response.steer.failed");
  expect(last(frames).type).toBe("response.completed");
  client.close();
});

describe("a handshake", () => {
  const shake = (headers: Record<string, string>) =>
    fetch(`${world.url}/v1/responses`, {
      headers: {
        upgrade: "websocket",
        connection: "Upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });

  test("with a wrong key is refused before it", async () => {
    const answer = await shake({ authorization: "Bearer sk-wrong" });
    expect([answer.status, asObject(asObject(await answer.json()).error).code]).toEqual([
      401,
      "invalid_api_key",
    ]);
  });

  test("beyond a key's connections sends clients to HTTP", async () => {
    const { secret } = await world.newKey({ requests_per_day: null });
    const open = await Promise.all(Array.from({ length: 8 }, () => connect(secret)));
    const answer = await shake({ authorization: `Bearer ${secret}` });
    expect([answer.status, asObject(await answer.json()).error]).toMatchObject([
      426,
      { code: "too_many_sockets", limit: { kind: "sockets", limit: 8, used: 8 } },
    ]);
    for (const client of open) client.close();
    const admin = { authorization: `Bearer ${world.adminToken}` };
    await until("the refusal is listed", async () => {
      const listed = await fetch(`${world.url}/admin/v1/refusals?code=too_many_sockets`, { headers: admin });
      return asObject(asArray(asObject(await listed.json()).data)[0]).route === "GET /v1/responses";
    });
  });
});

test("turned off, handshakes are refused, and clients go on by HTTP", async () => {
  const own = await startUnderTest({ more: "responses: { sockets: { on: false } }" });
  const headers = { upgrade: "websocket", connection: "Upgrade", authorization: `Bearer ${own.secret}` };
  const answer = await fetch(`${own.url}/responses`, { headers });
  expect([answer.status, asObject(asObject(await answer.json()).error).code]).toEqual([
    426,
    "websockets_off",
  ]);
  await own.stop();
});

test.each([
  ["revoked", 401, { method: "DELETE" }],
  ["paused", 403, { method: "PATCH", body: JSON.stringify({ paused: true }) }],
] as const)("a %s key's connections end within two seconds", async (_ended, status, change) => {
  const { secret, id } = await world.newKey({ requests_per_day: null });
  const client = await connect(secret);
  const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
  const { ok } = await fetch(`${world.url}/admin/v1/keys/${id}`, { headers, ...change });
  expect(ok).toBe(true);
  expect(await client.gone()).toMatchObject({ code: 1008 });
  expect(client.frames).toMatchObject([{ type: "error", status }]);
});

test("at a stop, what waits is refused while what runs goes on", async () => {
  const own = await startUnderTest();
  const client = await new SocketClient(own.url, own.secret).open();
  client.send({ type: "response.create", model: "Local#m~latency=600000", input: "say: runs" });
  client.send({ type: "response.create", model: "Local#m", input: "say: waits" });
  await until("the first is asked for", () => own.simulator.calls.total === 1);
  const stopped = own.stop();
  await client.ended(0);
  expect(client.frames).toMatchObject([{ type: "error", status: 503, error: { code: "shutting_down" } }]);
  expect(client.closed).toBeNull();
  client.close();
  await stopped;
});

describe("a key that was moved to another account", () => {
  async function move(id: string): Promise<void> {
    const account = await world.newAccount(`Moved to ${id}`);
    const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
    const body = JSON.stringify({ account_id: account });
    const moved = await fetch(`${world.url}/admin/v1/keys/${id}`, { method: "PATCH", headers, body });
    expect(moved.status).toBe(200);
  }

  test("ends its connections within two seconds", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await connect(secret);
    await move(id);
    expect(await client.gone()).toMatchObject({ code: 1008 });
    expect(client.frames).toMatchObject([{ type: "error", status: 401 }]);
  });

  test("takes nothing along of what they remember", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await connect(secret);
    const said = await client.create({ model: "Local#m", input: "say: of the old account", store: false });
    await move(id);
    const { id: previous_response_id } = asObject(said.at(-1)?.response);
    const frames = await client.create({ model: "Local#m", input: "say: more", previous_response_id });
    expect(frames).toMatchObject([{ type: "error" }]);
    await client.gone();
  });
});

test("a client that leaves ends its turn", async () => {
  const client = await connect();
  client.send({ type: "response.create", model: "Local#slow~latency=20000", input: "say: late" });
  await until("the provider is asked", () =>
    world.simulator.calls.all().some(({ model }) => model?.startsWith("slow")),
  );
  client.close();
  const call = () => world.simulator.calls.all().find(({ model }) => model?.startsWith("slow"));
  await until("the call has ended", () => call()?.ended !== null);
});
