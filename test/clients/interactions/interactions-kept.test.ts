// Kept interactions with Google's own SDK: chains, forks, reading again and deleting, and the refusals of all their routes.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Interactions } from "@google/genai";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { foldEvents } from "../../surfaces/interactions/interactions-read.ts";
import { ASK_ONE, ASK_TWO, failure, PLAIN, THINKING } from "../setting.ts";
import {
  answerCalls,
  FAMILIES,
  InteractionsClient,
  KEEPING,
  listCalls,
  TOOLS,
} from "./interactions-setting.ts";

let under: UnderTest;
let client: InteractionsClient;

beforeAll(async () => {
  under = await startUnderTest(KEEPING);
  client = new InteractionsClient(under, under.secret);
});
afterAll(() => under.stop());

test("a chain of four turns by id goes from family to family, and can be forked", async () => {
  let previous: string | undefined;
  for (const [turn, model] of FAMILIES.entries()) {
    const more = previous === undefined ? {} : { previous_interaction_id: previous };
    const ask = turn % 2 === 0 ? client.whole : client.streamed;
    previous = (await ask({ model, input: `say: turn ${turn}`, ...more })).id;
  }
  const before = under.simulator.calls.total;
  for (const model of FAMILIES) {
    const { id } = await client.whole({ model, input: "say: a fork", previous_interaction_id: previous });
    expect(id).not.toBe(previous);
    const sent = JSON.stringify(under.simulator.calls.last()?.body);
    for (const turn of [0, 1, 2, 3]) expect(sent).toContain(`say: turn ${turn}`);
  }
  expect(under.simulator.calls.total).toBe(before + FAMILIES.length);
});

test("an agent's repeated thought stands once", async () => {
  const generation_config = { thinking_level: "low" as const };
  const first = await client.whole({ model: THINKING, input: ASK_ONE, tools: TOOLS, generation_config });
  const thoughts = first.steps.filter(({ type }) => type === "thought") as Interactions.Step[];
  const input = [...thoughts, ...answerCalls(listCalls(first))];
  const asked = { model: THINKING, input, tools: TOOLS, previous_interaction_id: first.id };
  const second = await client.whole(asked);
  const read = () => JSON.stringify(under.simulator.calls.last()?.body).split("Thinking about").length - 1;
  expect(read()).toBe(1);
  await client.whole({ model: THINKING, input: "say: on", previous_interaction_id: second.id });
  expect(read()).toBe(2);
});

test("a kept interaction is read with its input, as a stream and from an event on, until it is deleted", async () => {
  const { id, steps } = await client.whole({ model: PLAIN, input: "say: hi" });
  const kept = await client.sdk.interactions.get(id);
  const own = { type: "user_input", content: [{ type: "text", text: "say: hi" }] };
  expect<unknown>(kept.steps).toEqual([own, ...steps]);
  expect(kept).not.toHaveProperty("input");
  expect(await client.sdk.interactions.get(id, { include_input: true })).toMatchObject({ input: "say: hi" });
  const replayed = await client.sdk.interactions.get(id, { stream: true });
  const events = (await Array.fromAsync(replayed)).map(asObject);
  expect(foldEvents(events).steps).toEqual(steps);
  expect(events.map(({ event_id: number }) => number)).toEqual(events.map((_event, at) => String(at + 1)));
  const rest = await client.sdk.interactions.get(id, { stream: true, last_event_id: "3" });
  expect((await Array.fromAsync(rest)).map(asObject)).toEqual(events.slice(3));
  expect(await get(`/v1/interactions/${id}`, "DELETE")).toMatchObject({ status: 200, body: {} });
  for (const call of [client.sdk.interactions.get(id), client.sdk.interactions.delete(id)])
    expect(await failure(Error, call)).toMatchObject({ status: 404 });
});

const HISTORY_ADVICE = /steps in 'input'.*store: false/;

test("an id that isn't kept, or is another's, is refused before anybody is asked", async () => {
  const { id } = await client.whole({ model: PLAIN, input: "say: hi" });
  const response = await post("/v1/responses", { model: PLAIN, input: "say: hi" });
  const unstored = await client.whole({ model: PLAIN, input: "say: hi", store: false });
  const stranger = (await under.newKey({ account_id: await createAccount(), requests_per_day: null })).secret;
  const before = under.simulator.calls.total;
  const ids = [[unstored.id], ["int_nobody"], [String(asObject(response.body).id)], [id, stranger]] as const;
  for (const [previous_interaction_id, secret] of ids) {
    const { status, body } = await post(
      "/v1/interactions",
      { model: PLAIN, input: "say: ho", previous_interaction_id },
      secret,
    );
    const { reason, message } = asObject(asObject(body).error);
    expect({ status, reason }).toEqual({ status: 400, reason: "unsupported_parameter" });
    expect(message).toMatch(HISTORY_ADVICE);
  }
  const { status } = await post("/v1/responses", {
    model: PLAIN,
    input: "say: ho",
    previous_response_id: id,
  });
  expect(status).toBe(404);
  expect((await get(`/v1/responses/${id}`)).status).toBe(404);
  expect((await get(`/v1/interactions/${asObject(response.body).id}`)).status).toBe(404);
  expect(under.simulator.calls.total).toBe(before);
});

async function createAccount(): Promise<unknown> {
  const { body } = await post("/admin/v1/accounts", { name: "another" }, under.adminToken);
  return asObject(body).id;
}

async function post(path: string, body: JsonObject | null, secret = under.secret) {
  return read(
    await fetch(under.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    }),
  );
}

async function get(path: string, method = "GET") {
  return read(await fetch(under.url + path, { method, headers: { "x-goog-api-key": under.secret } }));
}

async function read(response: Response) {
  const text = await response.text();
  return { status: response.status, allow: response.headers.get("allow"), body: parseJson(text) };
}

test("calls that wait for a result need one in the next turn", async () => {
  const first = await client.whole({ model: PLAIN, input: ASK_TWO, tools: TOOLS });
  const [one] = answerCalls(listCalls(first));
  const body = { model: PLAIN, input: [one], tools: TOOLS, previous_interaction_id: first.id };
  const { status, body: refused } = await post("/v1beta/interactions", body);
  expect(status).toBe(400);
  expect(asObject(asObject(refused).error)).toMatchObject({
    reason: "invalid_value",
    message: expect.stringContaining(String(listCalls(first)[1]?.id)),
  });
});

test.each(["/v1", "/v1beta"])("refusals below %s are in Google's form", async (version) => {
  const { id } = await client.whole({ model: PLAIN, input: "say: hi" });
  const base = `${version}/interactions`;
  const rows = [
    [await post(base, { model: PLAIN, input: [] }), 400, "empty_array"],
    [await post(base, { model: PLAIN, contents: [] }), 400, "missing_required_parameter"],
    [await post(base, { model: "Acme#nobody", input: "a" }), 404, "model_not_found"],
    [await post(base, { model: PLAIN, input: "a" }, "pk-nobody"), 401, "invalid_api_key"],
    [await post(`${base}/${id}/cancel`, null), 400, "invalid_value"],
    [await post(`${base}/${id}/cancel`, {}), 400, "invalid_value"],
    [await post(`${base}/int_nobody/cancel`, {}), 404, "interaction_not_found"],
    [await get(`${base}/int_nobody`), 404, "interaction_not_found"],
    [await get(`${base}/${id}?stream=yes`), 400, "invalid_value"],
    [await get(`${base}/${id}?last_event_id=1`), 400, "invalid_value"],
    [await get(`${base}/${id}?stream=true&last_event_id=900`), 400, "invalid_value"],
    [await get(base), 405, "method_not_supported"],
    [await get(`${base}/${id}`, "PUT"), 405, "method_not_supported"],
    [await post(`${base}/${id}`, {}), 405, "method_not_supported"],
    [await post(`${base}/${id}/steps`, {}), 404, "unknown_url"],
  ] as const;
  for (const [{ status: seen, body }, status, reason] of rows) {
    const { error } = asObject(body);
    expect({ status: seen, error }).toMatchObject({ status, error: { code: status, reason } });
    expect(Object.keys(asObject(error))).toContain("status");
  }
  expect((await get(base)).allow).toBe("POST");
  for (const other of [await get(`${base}/${id}`, "PUT"), await post(`${base}/${id}`, {})])
    expect(other.allow).toBe("GET, DELETE");
  expect((await get(`${base}/${id}?key=${under.secret}`)).status).toBe(400);
  expect((await get(`${base}/${id}?alt=sse&stream=false`)).status).toBe(200);
});

test("long integers in a kept call's arguments and in its result stay as they were", async () => {
  const id = "1234567890123456789";
  const given = `{"order":${id}}`;
  const body = `{"model":"${PLAIN}","input":[{"type":"user_input","content":"a"},{"type":"function_call","id":"c","name":"find","arguments":${given}},{"type":"function_result","call_id":"c","result":${given}},{"type":"user_input","content":"say: hi"}]}`;
  const headers = { "x-goog-api-key": under.secret, "content-type": "application/json" };
  const response = await fetch(`${under.url}/v1/interactions`, { method: "POST", headers, body });
  const { id: kept } = asObject(await response.json());
  const text = await (await fetch(`${under.url}/v1/interactions/${kept}`, { headers })).text();
  expect(text.split(given).length).toBe(3);
  await client.whole({ model: PLAIN, input: "say: ho", previous_interaction_id: String(kept) });
  expect(JSON.stringify(under.simulator.calls.last()?.body).split(id).length).toBe(3);
});
