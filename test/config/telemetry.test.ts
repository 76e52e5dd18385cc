// Traces and logs in the configuration: the section `telemetry`, OpenTelemetry's variables, and refused settings.
import { describe, expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import type { TelemetryRules } from "../../src/core/log/telemetry-rules.ts";
import { loadText, readSettings } from "../harness/settings.ts";

type Variables = Readonly<Record<string, string>>;

const BASE = "http://collector:4318";
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: BASE };

function rulesOf(otlp: string | null, env: Variables = {}): TelemetryRules {
  return readSettings(otlp === null ? null : `telemetry: { otlp: { ${otlp} } }`, env).telemetry;
}

function errorsOf(otlp: string, env: Variables = {}): readonly string[] {
  const loaded = loadText(`telemetry: { otlp: { ${otlp} } }`, { env });
  return loaded.ok ? [] : loaded.errors.map(formatError);
}

describe("the destinations", () => {
  test("nothing is exported unless an address is given", () => {
    expect(rulesOf(null)).toMatchObject({ traces: null, logs: null, propagate: false, content: false });
  });

  test("the paths of the signals are added to the file's address", () => {
    expect(rulesOf(`endpoint: "${BASE}/otlp/", headers: { X-Token: abc }`)).toMatchObject({
      traces: { url: `${BASE}/otlp/v1/traces`, headers: { "x-token": "abc" } },
      logs: { url: `${BASE}/otlp/v1/logs`, headers: { "x-token": "abc" } },
    });
  });

  test("and to the variable's, but a variable of one signal is its whole URL", () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/take" };
    const { traces, logs } = rulesOf(null, { ...ENDPOINT, ...own });
    expect([traces?.url, logs?.url]).toEqual(["https://traces.example/take", `${BASE}/v1/logs`]);
  });

  test("the file's address comes before every variable", () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/take" };
    expect(rulesOf('endpoint: "http://own:1"', env).traces?.url).toBe("http://own:1/v1/traces");
  });

  test("a signal can be left out, and variables can be switched off as a whole", () => {
    expect(rulesOf(null, { ...ENDPOINT, OTEL_LOGS_EXPORTER: "none" })).toMatchObject({
      traces: { url: `${BASE}/v1/traces` },
      logs: null,
    });
    const off = { ...ENDPOINT, OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    expect(rulesOf(null, off)).toMatchObject({ traces: null, logs: null });
  });

  test("headers of variables are decoded, and the nearest counts: signal, then file", () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc, X-Scope=all,x-file=variable",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-scope=logs",
    };
    const { traces, logs } = rulesOf("headers: { x-file: own }", env);
    expect(traces?.headers).toEqual({ authorization: "Basic abc", "x-scope": "all", "x-file": "own" });
    expect(logs?.headers).toMatchObject({ "x-scope": "logs" });
  });
});

describe("the other variables", () => {
  test("name the program", () => {
    expect(rulesOf(null).resource).toEqual({ "service.name": "poundkey" });
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: "service.name=one,deployment.environment=a%20b" };
    expect(rulesOf(null, attributes).resource).toEqual({
      "service.name": "one",
      "deployment.environment": "a b",
    });
    expect(rulesOf(null, { ...attributes, OTEL_SERVICE_NAME: "two" }).resource["service.name"]).toBe("two");
  });

  test.each([
    ["always_on", "", 1],
    ["always_off", "", 0],
    ["parentbased_always_off", "", 0],
    ["traceidratio", "0.25", 0.25],
    ["parentbased_traceidratio", "0.5", 0.5],
    ["traceidratio", "", 1],
  ])("the sampler %s with %p takes a share of %p", (sampler, argument, share) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(rulesOf(null, env).sample).toBe(share);
    expect(rulesOf("sample: 0.75", env).sample).toBe(0.75);
  });

  test("protobuf is known to be asked for, and the time limit is in milliseconds", () => {
    expect(rulesOf(null, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }).isProtobufAsked).toBeTrue();
    expect(rulesOf(null, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }).isProtobufAsked).toBeFalse();
    expect(rulesOf(null, { OTEL_EXPORTER_OTLP_TIMEOUT: "2500" }).timeoutMs).toBe(2500);
  });
});

describe("refused", () => {
  test.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /OTEL_EXPORTER_OTLP_PROTOCOL.*gRPC.*http\/json.*4318/],
    [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "grpc" }, /OTEL_EXPORTER_OTLP_LOGS_PROTOCOL.*gRPC/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "soap" }, /expected http\/json/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, /expected an http or https URL/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:b@collector" }, /without credentials/],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "no-value" }, /expected name=value/],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "content-length=0" }, /expected name=value/],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=%zz" }, /expected name=value/],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, /expected milliseconds/],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, /from 0 to 1/],
  ])("%p", (env: Variables, message) => {
    expect(errorsOf("", env).join("\n")).toMatch(message);
  });

  test("a header of the connection's, a share beyond 1, an address with a query", () => {
    expect(errorsOf(`endpoint: "${BASE}", headers: { Host: other }`).join()).toContain(
      "telemetry.otlp.headers.Host",
    );
    expect(errorsOf("sample: 1.5").join()).toContain("telemetry.otlp.sample");
    expect(errorsOf(`endpoint: "${BASE}?token=1"`).join()).toContain("telemetry.otlp.endpoint");
  });

  test("no error quotes a header's value", () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer a-secret,broken" };
    expect(errorsOf("", env).join()).not.toContain("a-secret");
  });
});
