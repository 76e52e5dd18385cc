// Google's Interactions API with Google's own JavaScript SDK, over every dialect: steps, tools, thinking, streams and state.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGoogle } from "@ai-sdk/google";
import { GoogleGenAI, type Interactions } from "@google/genai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { foldEvents } from "../surfaces/interactions/interactions-read.ts";
import { ASK_ONE, ASK_TWO, failure, PICTURE, PICTURE_SEEN, PLAIN, THINKING, WEATHER } from "./setting.ts";

/** One model of each family: chat completions, Messages, Gemini, Responses. */
const FAMILIES = [PLAIN, "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash", "Responses#gpt-6.1-sol"];
const TOOLS: Interactions.Tool[] = [
  { type: "function", name: WEATHER.name, description: WEATHER.description, parameters: WEATHER.parameters },
];

let under: UnderTest;
let client: GoogleGenAI;

beforeAll(async () => {
  under = await startUnderTest({ more: "responses: { keep: 30d, max_bytes: 1MB }" });
  client = new GoogleGenAI({
    apiKey: under.secret,
    httpOptions: { baseUrl: under.url, retryOptions: { attempts: 1 } },
  });
});
afterAll(() => under.stop());

type Asked = Omit<Interactions.CreateModelInteractionParamsNonStreaming, "stream">;
/** The parts of an answer that whole ones and streams share. */
interface Seen {
  readonly id: string;
  readonly status: unknown;
  readonly steps: readonly JsonObject[];
  readonly usage: JsonObject;
}

async function askWhole(asked: Asked): Promise<Seen> {
  const { id, status, steps, usage } = await client.interactions.create(asked);
  return { id: id ?? "", status, steps: asArray(steps).map(asObject), usage: asObject(usage) };
}

async function askStreamed(asked: Asked): Promise<Seen> {
  return readStream(await client.interactions.create({ ...asked, stream: true }));
}

async function readStream(events: AsyncIterable<unknown>): Promise<Seen> {
  const { id, status, steps, usage } = foldEvents((await Array.fromAsync(events)).map(asObject));
  return { id: String(id), status, steps: asArray(steps).map(asObject), usage: asObject(usage) };
}

const WAYS = [askWhole, askStreamed];

function readText({ steps }: Seen): string {
  return steps
    .flatMap(({ type, content }) => (type === "model_output" ? asArray(content) : []))
    .map((content) => asObject(content).text)
    .join("");
}

function listCalls({ steps }: Seen): readonly JsonObject[] {
  return steps.filter(({ type }) => type === "function_call");
}

function answer(calls: readonly JsonObject[]): Interactions.Step[] {
  return calls.map(({ id, name }) => ({
    type: "function_result",
    call_id: String(id),
    name: String(name),
    result: "7 degrees, rain",
  }));
}

describe.each(FAMILIES)("%s", (model) => {
  test("answers whole and streamed alike", async () => {
    for (const ask of WAYS) {
      const seen = await ask({
        model,
        input: "say: good day",
        system_instruction: "Be brief.",
        store: false,
      });
      expect(readText(seen)).toContain("good day");
      expect(seen.status).toBe("completed");
      const { total_input_tokens, total_output_tokens, total_thought_tokens, total_tokens } = seen.usage;
      expect(Number(total_tokens)).toBe(
        Number(total_input_tokens) + Number(total_output_tokens) + Number(total_thought_tokens),
      );
      expect(seen.usage).toMatchObject({ cost: expect.any(Number), charged: 0 });
    }
  });

  test("sees a picture", async () => {
    const [, data] = PICTURE.split(",");
    const image = { type: "image" as const, mime_type: "image/png", data };
    const seen = await askWhole({ model, input: [{ type: "text", text: "describe" }, image] });
    expect(readText(seen)).toContain(PICTURE_SEEN);
  });

  test("calls functions in parallel and goes on from their results, by its whole history", async () => {
    for (const ask of WAYS) {
      const first = await ask({ model, input: ASK_TWO, tools: TOOLS, store: false });
      expect(first.status).toBe("requires_action");
      const calls = listCalls(first);
      expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      const history = [
        { type: "user_input", content: [{ type: "text", text: ASK_TWO }] },
        ...first.steps,
        ...answer(calls),
      ] as Interactions.Step[];
      const second = await ask({ model, input: history, tools: TOOLS, store: false });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });

  test("only needs the results by id, whole and streamed", async () => {
    for (const ask of WAYS) {
      const first = await ask({ model, input: ASK_ONE, tools: TOOLS });
      const previous_interaction_id = first.id;
      const second = await ask({
        model,
        input: answer(listCalls(first)),
        tools: TOOLS,
        previous_interaction_id,
      });
      expect(readText(second)).toContain("7 degrees, rain");
    }
  });
});

test("a chain of four turns by id goes from family to family, and can be forked", async () => {
  let previous: string | undefined;
  for (const [turn, model] of FAMILIES.entries()) {
    const more = previous === undefined ? {} : { previous_interaction_id: previous };
    const ask = turn % 2 === 0 ? askWhole : askStreamed;
    previous = (await ask({ model, input: `say: turn ${turn}`, ...more })).id;
  }
  const before = under.simulator.calls.total;
  for (const model of FAMILIES) {
    const { id } = await askWhole({ model, input: "say: a fork", previous_interaction_id: previous });
    expect(id).not.toBe(previous);
    const sent = JSON.stringify(under.simulator.calls.last()?.body);
    for (const turn of [0, 1, 2, 3]) expect(sent).toContain(`say: turn ${turn}`);
  }
  expect(under.simulator.calls.total).toBe(before + FAMILIES.length);
});

test("thinking is shown if it is asked for, and comes back without being shown", async () => {
  for (const ask of WAYS) {
    for (const thinking_summaries of ["auto", "none"] as const) {
      const generation_config = { thinking_level: "low" as const, thinking_summaries };
      const first = await ask({
        model: THINKING,
        input: ASK_ONE,
        tools: TOOLS,
        generation_config,
        store: false,
      });
      const [thought] = first.steps.filter(({ type }) => type === "thought");
      expect(thought?.signature).toBeString();
      expect(asArray(thought?.summary).length).toBe(thinking_summaries === "auto" ? 1 : 0);
      const input = [
        { type: "user_input", content: [{ type: "text", text: ASK_ONE }] },
        ...first.steps,
        ...answer(listCalls(first)),
      ] as Interactions.Step[];
      await ask({ model: THINKING, input, tools: TOOLS, store: false });
      expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain("reasoning_content");
    }
  }
});

test("an agent's repeated thought stands once", async () => {
  const generation_config = { thinking_level: "low" as const };
  const first = await askWhole({ model: THINKING, input: ASK_ONE, tools: TOOLS, generation_config });
  const thoughts = first.steps.filter(({ type }) => type === "thought") as Interactions.Step[];
  const input = [...thoughts, ...answer(listCalls(first))];
  await askWhole({ model: THINKING, input, tools: TOOLS, previous_interaction_id: first.id });
  const sent = JSON.stringify(under.simulator.calls.last()?.body);
  expect(sent.split('"reasoning_content"').length).toBe(2);
});

test("a kept interaction is read with its input, as a stream and from an event on, until it is deleted", async () => {
  const { id, steps } = await askWhole({ model: PLAIN, input: "say: hi" });
  const kept = await client.interactions.get(id);
  const own = { type: "user_input", content: [{ type: "text", text: "say: hi" }] };
  expect<unknown>(kept.steps).toEqual([own, ...steps]);
  expect(kept).not.toHaveProperty("input");
  expect(await client.interactions.get(id, { include_input: true })).toMatchObject({ input: "say: hi" });
  const replayed = await client.interactions.get(id, { stream: true });
  const events = (await Array.fromAsync(replayed)).map(asObject);
  expect(foldEvents(events).steps).toEqual(steps);
  expect(events.map(({ event_id: number }) => number)).toEqual(events.map((_event, at) => String(at + 1)));
  const rest = await client.interactions.get(id, { stream: true, last_event_id: "3" });
  expect((await Array.fromAsync(rest)).map(asObject)).toEqual(events.slice(3));
  expect(await get(`/v1/interactions/${id}`, "DELETE")).toMatchObject({ status: 200, body: {} });
  for (const call of [client.interactions.get(id), client.interactions.delete(id)])
    expect(await failure(Error, call)).toMatchObject({ status: 404 });
});

const HISTORY_ADVICE = /steps in 'input'.*store: false/;

test("an id that isn't kept, or is another's, is refused before anybody is asked", async () => {
  const { id } = await askWhole({ model: PLAIN, input: "say: hi" });
  const response = await post("/v1/responses", { model: PLAIN, input: "say: hi" });
  const unstored = await askWhole({ model: PLAIN, input: "say: hi", store: false });
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
  const first = await askWhole({ model: PLAIN, input: ASK_TWO, tools: TOOLS });
  const [one] = answer(listCalls(first));
  const body = { model: PLAIN, input: [one], tools: TOOLS, previous_interaction_id: first.id };
  const { status, body: refused } = await post("/v1beta/interactions", body);
  expect(status).toBe(400);
  expect(asObject(asObject(refused).error)).toMatchObject({
    reason: "invalid_value",
    message: expect.stringContaining(String(listCalls(first)[1]?.id)),
  });
});

test.each(["/v1", "/v1beta"])("refusals below %s are in Google's form", async (version) => {
  const { id } = await askWhole({ model: PLAIN, input: "say: hi" });
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
    [await post(`${base}/${id}/steps`, {}), 404, "unknown_url"],
  ] as const;
  for (const [{ status: seen, body }, status, reason] of rows) {
    const { error } = asObject(body);
    expect({ status: seen, error }).toMatchObject({ status, error: { code: status, reason } });
    expect(Object.keys(asObject(error))).toContain("status");
  }
  expect((await get(base)).allow).toBe("POST");
  expect((await get(`${base}/${id}`, "PUT")).allow).toBe("GET, DELETE");
  expect((await get(`${base}/${id}?alt=sse&stream=false`)).status).toBe(200);
});

test("a failure behind the first byte is an error event, and nothing after it", async () => {
  const events = await client.interactions.create({
    model: `${PLAIN}~cut`,
    input: "say: a b c d e f",
    stream: true,
  });
  const names = (await Array.fromAsync(events)).map((event) => asObject(event).event_type);
  expect(names.at(-1)).toBe("error");
  expect(names).not.toContain("interaction.completed");
});

test("the SDK's errors have their class", async () => {
  const other = new GoogleGenAI({
    apiKey: "pk-nobody",
    httpOptions: { baseUrl: under.url, retryOptions: { attempts: 1 } },
  });
  const input = "a";
  expect(await failure(Error, other.interactions.create({ model: PLAIN, input }))).toMatchObject({
    status: 401,
  });
  const missing = client.interactions.create({ model: "Acme#nobody", input });
  expect(await failure(Error, missing)).toMatchObject({ status: 404 });
});

describe.each(FAMILIES)("the AI SDK over %s", (model) => {
  const weather = tool({
    description: WEATHER.description,
    inputSchema: z.object({ city: z.string() }),
    execute: () => "7 degrees, rain",
  });

  test("runs tools over several steps, whole and streamed", async () => {
    const google = createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret });
    const asked = {
      model: google.interactions(model),
      prompt: ASK_TWO,
      tools: { get_weather: weather },
      stopWhen: isStepCount(3),
      maxRetries: 0,
    };
    expect((await generateText(asked)).text).toContain("7 degrees, rain");
    expect(await streamText(asked).text).toContain("7 degrees, rain");
  });

  test("goes on by id", async () => {
    const google = createGoogle({ baseURL: `${under.url}/v1beta`, apiKey: under.secret });
    const asked = { model: google.interactions(model), maxRetries: 0 };
    const first = await generateText({ ...asked, prompt: "say: one" });
    const previousInteractionId = String(first.providerMetadata?.google?.interactionId);
    const providerOptions = { google: { previousInteractionId } };
    const second = await generateText({ ...asked, prompt: "say: two", providerOptions });
    expect(second.text).toContain("two");
    expect(JSON.stringify(under.simulator.calls.last()?.body)).toContain("say: one");
  });
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
  await askWhole({ model: PLAIN, input: "say: ho", previous_interaction_id: String(kept) });
  expect(JSON.stringify(under.simulator.calls.last()?.body).split(id).length).toBe(3);
});
