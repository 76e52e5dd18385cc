// Traces of clients: linked to or continued, carried on to providers, and prompts in spans only where that is wanted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { MADE_UP } from "../steps/made-up.ts";
import { createOperator } from "../whole/world/operator.ts";
import { asking } from "../whole/world/world.ts";
import { type Collector, startCollector } from "./collector.ts";
import { sendTraced } from "./traced.ts";

const OTHERS = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const PARENT = { traceparent: `00-${OTHERS}-${SPAN}-01` };
const CHAT = "/v1/chat/completions";

interface World {
  readonly collector: Collector;
  readonly gateway: UnderTest;
}

let linking: World;
let trusting: World;

async function start(otlp: string): Promise<World> {
  const collector = startCollector();
  const more = `telemetry: { otlp: { endpoint: "${collector.url}/", ${otlp} } }`;
  return { collector, gateway: await startUnderTest({ more, steps: MADE_UP }) };
}

async function stop({ gateway, collector }: World): Promise<void> {
  await gateway.stop();
  await collector.stop();
}

beforeAll(async () => {
  [linking, trusting] = await Promise.all([
    start("content: true"),
    start("trust_parent: true, propagate: true, sample: 0"),
  ]);
});
afterAll(async () => {
  await Promise.all([stop(linking), stop(trusting)]);
});

const chat = (prompt: string, more: Record<string, unknown> = {}) => asking("Local#sim-mini", prompt, more);

/** The row of the request with that trace, whether it is its own or the client's. */
async function findRow({ gateway }: World, traceId: string) {
  const { body } = await createOperator(gateway).get(`/requests?trace_id=${traceId}`);
  return body.data as Record<string, unknown>[];
}

test.concurrent("a stranger's trace is linked to, and the row is found by both ids", async () => {
  const { server } = await sendTraced(linking, CHAT, chat("say: linked"), PARENT);
  expect(server).toMatchObject({ parentSpanId: null, links: [{ traceId: OTHERS, spanId: SPAN }] });
  expect(server.traceId).not.toBe(OTHERS);
  const own = await findRow(linking, server.traceId);
  expect(own).toMatchObject([{ trace_id: server.traceId, parent_trace_id: OTHERS }]);
  expect(await findRow(linking, OTHERS)).toEqual(own);
});

test.concurrent("a trusted trace is continued if it is sampled, and carried on to the provider", async () => {
  const { server, below } = await sendTraced(trusting, CHAT, chat("say: continued"), PARENT);
  expect(server).toMatchObject({ traceId: OTHERS, parentSpanId: SPAN, links: [] });
  const call = below.find(({ kind }) => kind === "client");
  const sent = trusting.gateway.simulator.calls
    .all()
    .find(({ body }) => JSON.stringify(body).includes("say: continued"));
  expect(sent?.headers.traceparent).toBe(`00-${OTHERS}-${call?.spanId}-01`);
  expect(await findRow(trusting, OTHERS)).toMatchObject([{ trace_id: OTHERS, parent_trace_id: null }]);
});

test.concurrent.each([
  ["not sampled", `00-${"1".repeat(32)}-${SPAN}-00`],
  ["without a parent, by the share", ""],
  ["with zeros for an id", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["of the version that is reserved", `ff-${OTHERS}-${SPAN}-01`],
  ["with more than the version has", `00-${OTHERS}-${SPAN}-01-x`],
])("no spans of a trace %s, but it is carried on as not sampled", async (name, traceparent) => {
  const { gateway, collector } = trusting;
  const id = `unsampled-${crypto.randomUUID()}`;
  const headers = { "x-request-id": id, ...(traceparent === "" ? {} : { traceparent }) };
  const response = await gateway.chat(chat(`say: ${name}`), { headers });
  expect(response.status).toBe(200);
  const sent = gateway.simulator.calls
    .all()
    .find(({ body }) => JSON.stringify(body).includes(`say: ${name}`));
  expect(sent?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  // A request that is traced, sent later, has arrived.
  await sendTraced(trusting, CHAT, chat("say: after"), { traceparent: `00-${"3".repeat(32)}-${SPAN}-01` });
  expect(collector.of(id)).toEqual([]);
});

test.concurrent("a later version's first four fields count", async () => {
  const header = `01-${"2".repeat(32)}-${SPAN}-01-what-may-come`;
  const { server } = await sendTraced(trusting, CHAT, chat("say: later"), { traceparent: header });
  expect(server.traceId).toBe("2".repeat(32));
});

test.concurrent.each([false, true])(
  "prompts and answers as the provider got and gave them (streamed: %p)",
  async (stream) => {
    // A step sends `hidden` for `secret`, and shows `fruit` for the answer's `banana`.
    const asked = chat("say: my secret banana", { stream, stop: ["END"] });
    const { below } = await sendTraced(linking, CHAT, asked);
    const attributes = below.find(({ kind }) => kind === "client")?.attributes ?? {};
    const input = String(attributes["gen_ai.input.messages"]);
    const output = String(attributes["gen_ai.output.messages"]);
    expect(JSON.parse(input)).toMatchObject([
      { role: "user", parts: [{ type: "text", content: expect.stringContaining("hidden") }] },
    ]);
    expect(input).not.toContain("secret");
    expect(JSON.parse(output)).toMatchObject([
      { role: "assistant", parts: [{ type: "text" }], finish_reason: "stop" },
    ]);
    expect(output).toContain("banana");
    expect(attributes["gen_ai.request.stop_sequences"]).toEqual(["END"]);
  },
);

test.concurrent("no prompt of a key whose conversations are not stored", async () => {
  const { secret } = await linking.gateway.newKey({ keep_responses: false });
  const headers = { authorization: `Bearer ${secret}` };
  const { below } = await sendTraced(linking, CHAT, chat("say: private", { stop: "private" }), headers);
  expect(JSON.stringify(below.map(({ attributes }) => attributes))).not.toContain("private");
});

test("everything that came was valid", () => {
  expect([...linking.collector.errors, ...trusting.collector.errors]).toEqual([]);
});
