// A gateway whose collector does not answer, or refuses: no request waits for it, and what is lost is counted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { BINARY, startUnderTest, type UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import { asking } from "../whole/world/world.ts";
import { type Collector, startCollector } from "./collector.ts";

const AWS = '{ access_key_id: "AKIDOFTHETESTS", secret_access_key: "secret/of+the/tests" }';
const REQUESTS = 40;

let collector: Collector;
let gateway: UnderTest;
beforeAll(async () => {
  collector = startCollector();
  const more = (url: string) =>
    [
      `  Signed: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", aws: ${AWS}, unlisted_models: true }`,
      "telemetry: { otlp: { propagate: true } }",
    ].join("\n");
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_SERVICE_NAME: "named-by-a-variable",
  };
  gateway = await startUnderTest({ more, env });
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop();
});

test("every request is answered while the collector answers nothing", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  collector.answer = async () => {
    await held;
    return Response.json({});
  };
  await gateway.chat(asking("Local#sim-mini", "say: first"));
  await until("both signals are under way", () => collector.calls.size === 2);
  const asked = Array.from({ length: REQUESTS }, async (_, at) => {
    const response = await gateway.chat(asking("Local#sim-mini", "say: good day", { stream: at % 2 === 0 }));
    return [response.status, (await response.text()).includes("day")];
  });
  // It would hang if any of them waited.
  expect(await Promise.all(asked)).toEqual(asked.map(() => [200, true]));
  expect([...collector.calls.values()]).toEqual([1, 1]);
  release();
  const count = () => collector.spans.filter(({ kind }) => kind === "server").length;
  await until("their spans arrive", () => count() === REQUESTS + 1);
  expect(collector.resources[0]).toMatchObject({ "service.name": "named-by-a-variable" });
});

test("spans and lines that the collector refuses are counted, by signal", async () => {
  collector.answer = () => new Response("no", { status: 400 });
  await gateway.chat(asking("Local#sim-mini", "say: good day"));
  const shown = await until("they are counted", async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const counts = [...text.matchAll(/^poundkey_telemetry_dropped_total\{signal="(\w+)"\} (\d+)$/gm)];
    return counts.length === 2 && counts.every(([, , count]) => Number(count) > 0) ? counts : null;
  });
  expect(shown.map(([, signal]) => signal).toSorted()).toEqual(["logs", "traces"]);
  collector.answer = null;
});

test("calls carry the trace on, unless Amazon's signature covers them", async () => {
  const chat = async (provider: string) => {
    expect((await gateway.chat(asking(`${provider}#amazon.nova-pro-v1:0`, "say: good day"))).status).toBe(
      200,
    );
    return gateway.simulator.calls.last()?.headers;
  };
  const signed = await chat("Signed");
  expect(signed?.authorization).toStartWith("AWS4-HMAC-SHA256 ");
  expect(signed?.traceparent).toBeUndefined();
  expect((await chat("Bedrock"))?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

test.skipIf(BINARY !== undefined)("the log says once that JSON is sent in the place of protobuf", () => {
  expect(gateway.events.filter(({ event }) => event === "telemetry_as_json")).toHaveLength(1);
});
