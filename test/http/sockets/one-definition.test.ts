// A turn is the POST with everything in it: wherever a conversation is cut, the provider gets the same bytes, and the client the
// same events.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { readTraffic } from "../../recorded/load.ts";
import { SocketClient } from "./client.ts";
import { CONVERSATIONS, type Conversation } from "./cuts.ts";

const FAMILIES = [
  "Responses#gpt-4.1",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
];
const say = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const typesOf = (frames: readonly JsonObject[]) => frames.map(({ type }) => String(type));
const responseOf = (frames: readonly JsonObject[]) => asObject(frames.at(-1)?.response);

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

/** A summary that some model has written for the account. */
async function compact(): Promise<object> {
  const answer = await post(world, {
    model: FAMILIES[1],
    input: [say("hi"), { type: "compaction_trigger" }],
  });
  return asObject(asArray(asObject(JSON.parse(answer)).output)[0]);
}

async function post({ url, secret }: UnderTest, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.text();
}

/** Returns the body that a provider gets, or `nothing` for a refused request. */
async function seeBody(ask: () => Promise<unknown>): Promise<string> {
  const { calls } = world.simulator;
  const before = calls.total;
  await ask();
  return calls.total === before ? "nothing" : JSON.stringify(calls.all().at(-1)?.body);
}

async function* cutEverywhere(model: string, { items, tools = [] }: Conversation) {
  const { secret } = await world.newKey({ requests_per_day: null });
  const client = await new SocketClient(world.url, secret).open();
  const fields = { model, tools, store: false };
  const all = [...items, say("say: done")];
  const whole = await seeBody(() => post(world, { ...fields, input: all, stream: true }));
  for (let at = 1; at < all.length; at++) {
    const warmed = await client.create({ ...fields, generate: false, input: all.slice(0, at) });
    const previous = { previous_response_id: responseOf(warmed).id };
    const cut = await seeBody(() => client.create({ ...fields, ...previous, input: all.slice(at) }));
    yield { at, whole, cut };
  }
  client.close();
}

describe.each([...FAMILIES])("%s gets the same bytes", (model) => {
  const first = FAMILIES.indexOf(model);
  test.each([...sampleRows(CONVERSATIONS, 6, first)])(
    "of $name, wherever they are cut",
    async (conversation) => {
      for await (const { at, whole, cut } of cutEverywhere(model, conversation)) {
        expect(whole).not.toBe("nothing");
        expect([at, cut]).toEqual([at, whole]);
      }
    },
  );

  test("of a summary, wherever it is cut", async () => {
    const items = [say("hi"), await compact(), say("go on")];
    for await (const { at, whole, cut } of cutEverywhere(model, { name: "compaction", items }))
      expect([at, cut]).toEqual([at, whole]);
  });

  test.each([...sampleRows([2, 3, 4, 5, 6], 5, first)])(
    "in a chain of %d turns with tools",
    async (turns) => {
      const client = await new SocketClient(world.url, world.secret).open();
      const tools = [{ type: "function", name: "read", parameters: { type: "object" }, strict: false }];
      const history: unknown[] = [];
      let previous = {};
      let input: readonly object[] = [say("call read({})")];
      for (let turn = 1; turn <= turns; turn++) {
        const fields = { model, tools, store: false };
        const sent = input;
        let frames: readonly JsonObject[] = [];
        const bySocket = await seeBody(async () => {
          frames = await client.create({ ...fields, ...previous, input: sent });
        });
        const byPost = await seeBody(() =>
          post(world, { ...fields, input: [...history, ...sent], stream: true }),
        );
        expect([turn, bySocket]).toEqual([turn, byPost]);
        const { id, output } = responseOf(frames);
        history.push(...sent, ...asArray(output));
        previous = { previous_response_id: id };
        const calls = asArray(output)
          .map(asObject)
          .filter(({ type }) => type === "function_call");
        const outputs = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "a" }));
        input = [...outputs, say(turn % 2 === 0 ? "call read({})" : "say: more")];
      }
      client.close();
    },
  );
});

const STREAMS = readTraffic().recordings.filter(
  ({ api, status, streamed, request }) =>
    api === "openai-responses" && status === 200 && streamed && request !== null,
);
const SHORT_STEP = 20;

/** Removes what differs between two answers: our ids, and times. */
function plain(events: readonly JsonObject[]): string {
  const text = JSON.stringify(events.map(({ headers: _headers, ...event }) => event));
  return text
    .replace(/(resp_|_pk1_|call_)[0-9a-f]{20,}/g, "$1")
    .replace(/"created_at":\d+/g, "")
    .replace(/"pk1\.[^"]*"/g, '"pk1"');
}

const readEvents = (text: string) =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => asObject(JSON.parse(String(data))));

test("recorded answers are the same events, over a connection and by HTTP", async () => {
  const playing = { body: "" };
  const own = await startUnderTest({
    fetch: () =>
      Promise.resolve(new Response(playing.body, { headers: { "content-type": "text/event-stream" } })),
  });
  const client = await new SocketClient(own.url, own.secret).open();
  let differences = 0;
  for (const { body, request } of sampleRows(STREAMS, SHORT_STEP)) {
    playing.body = body;
    const { input = "hi", tools = [], instructions } = request ?? {};
    const asked = { model: "Responses#gpt-4.1", input, tools, instructions, store: false };
    const byPost = await post(own, { ...asked, stream: true });
    const events = byPost.startsWith("{") ? [] : readEvents(byPost);
    const frames = await client.create(asked);
    if (events.length === 0) expect(typesOf(frames)).toEqual(["error"]);
    else if (plain(frames) !== plain(events)) differences++;
  }
  expect(differences).toBe(0);
  client.close();
  await own.stop();
});
