// Where traces and logs are exported: the section `telemetry`, and the variables that OpenTelemetry's SDKs read.
import { type Static, Type } from "@sinclair/typebox";
import type { OtlpDestination, TelemetryRules } from "../core/log/telemetry-rules.ts";
import type { Issues } from "./errors.ts";
import { baseUrl, number, options, orNull } from "./field-types.ts";
import type { Environment } from "./interpolate.ts";
import { networkFields, readNetwork } from "./network.ts";
import { readVariable } from "./providers/platform.ts";
import { headers } from "./providers/provider-schema.ts";
import { parseBaseUrl } from "./units.ts";

const truth = Type.Boolean();
const otlp = options(
  {
    endpoint: orNull(
      baseUrl,
      "an http or https URL without credentials, query or fragment, or null for none",
    ),
    headers,
    sample: number(0, 1),
    content: truth,
    propagate: truth,
    trust_parent: truth,
    ...networkFields,
  },
  "A collector that takes OTLP over HTTP.",
);
export const telemetry = options({ otlp }, "Where traces and logs are exported.");

type TelemetryConfig = Static<typeof telemetry>;
type Env = Environment["env"];
type ExportedSignal = "traces" | "logs";

const TIMEOUT_MS = 10_000;
const TIMEOUT_MAX_MS = 300_000;
const PROTOCOLS: ReadonlySet<string> = new Set(["", "http/json", "http/protobuf"]);
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e\t]{0,4096}$/;
/** Set by the connection, or by the exporter itself. */
const RESERVED = /^(host|content-length|content-type|content-encoding|transfer-encoding|connection)$/i;

/** The file's fields come before the variables. `OTEL_SDK_DISABLED=true` turns off what only variables turn on. */
export function buildTelemetryRules(
  { otlp: given = {} }: TelemetryConfig = {},
  env: Env,
  issues: Issues,
): TelemetryRules {
  const { endpoint = null, sample, content = false, propagate = false, trust_parent = false } = given;
  const isOff = endpoint === null && readVariable(env, "OTEL_SDK_DISABLED").toLowerCase() === "true";
  const reader = new OtlpVariables(isOff ? () => undefined : env, issues);
  const own = readConfiguredHeaders(given.headers ?? {}, issues);
  const connection = readNetwork(given, ["telemetry", "otlp"], issues);
  const find = (signal: ExportedSignal) => {
    const destination = reader.findDestination(signal, endpoint, own);
    return destination && { ...destination, ...connection };
  };
  return {
    traces: find("traces"),
    logs: find("logs"),
    resource: reader.readResource(),
    timeoutMs: reader.readTimeout(),
    sample: sample ?? reader.readSample(),
    content,
    propagate,
    trustParent: trust_parent,
    isProtobufAsked: reader.readProtocols().has("http/protobuf"),
  };
}

function readConfiguredHeaders(
  given: Readonly<Record<string, string>>,
  issues: Issues,
): Record<string, string> {
  for (const name of Object.keys(given).filter((one) => RESERVED.test(one))) {
    const message = "this header can't be set, because the connection sets it";
    issues.atKey(["telemetry", "otlp", "headers", name], message);
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The variables of OpenTelemetry's exporters, as its specification names them. */
class OtlpVariables {
  readonly #env: Env;
  readonly #issues: Issues;

  constructor(env: Env, issues: Issues) {
    this.#env = env;
    this.#issues = issues;
  }

  /** Null if the signal isn't exported. */
  findDestination(
    signal: ExportedSignal,
    endpoint: string | null,
    own: Readonly<Record<string, string>>,
  ): OtlpDestination | null {
    const base = endpoint ?? this.#readUrl("OTEL_EXPORTER_OTLP_ENDPOINT");
    const shared = base && `${base.replace(/\/+$/, "")}/v1/${signal}`;
    // A variable of one signal holds its whole URL.
    const url = endpoint === null ? (this.#readUrl(name("ENDPOINT", signal)) ?? shared) : shared;
    if (url === null || this.#read(`OTEL_${signal.toUpperCase()}_EXPORTER`) === "none") return null;
    const variables = {
      ...this.#readHeaders("OTEL_EXPORTER_OTLP_HEADERS"),
      ...this.#readHeaders(name("HEADERS", signal)),
    };
    return { url, headers: { ...variables, ...own } };
  }

  /** The protocols asked for. Any that isn't spoken is an error. */
  readProtocols(): ReadonlySet<string> {
    const names = ["OTEL_EXPORTER_OTLP_PROTOCOL", name("PROTOCOL", "traces"), name("PROTOCOL", "logs")];
    const asked = names.map((variable) => [variable, this.#read(variable)] as const);
    for (const [variable, protocol] of asked) {
      if (PROTOCOLS.has(protocol)) continue;
      const message =
        protocol === "grpc"
          ? "OTLP over gRPC isn't spoken: set http/json, and the collector's HTTP address, whose port is usually 4318"
          : "expected http/json";
      this.#issues.atVariable(variable, message);
    }
    return new Set(asked.map(([, protocol]) => protocol));
  }

  readTimeout(): number {
    const variable = "OTEL_EXPORTER_OTLP_TIMEOUT";
    const given = this.#read(variable);
    if (given === "") return TIMEOUT_MS;
    const ms = Number(given);
    if (ms >= 1 && ms <= TIMEOUT_MAX_MS) return ms;
    this.#issues.atVariable(variable, `expected milliseconds from 1 to ${TIMEOUT_MAX_MS}`);
    return TIMEOUT_MS;
  }

  readSample(): number {
    const sampler = this.#read("OTEL_TRACES_SAMPLER");
    if (sampler.endsWith("always_off")) return 0;
    if (!sampler.endsWith("traceidratio")) return 1;
    const variable = "OTEL_TRACES_SAMPLER_ARG";
    const share = Number(this.#read(variable) || "1");
    if (share >= 0 && share <= 1) return share;
    this.#issues.atVariable(variable, "expected a number from 0 to 1");
    return 1;
  }

  readResource(): Record<string, string> {
    const attributes = this.#readPairs("OTEL_RESOURCE_ATTRIBUTES");
    const service = this.#read("OTEL_SERVICE_NAME") || attributes["service.name"] || "poundkey";
    return { ...attributes, "service.name": service };
  }

  #read(variable: string): string {
    return readVariable(this.#env, variable);
  }

  #readUrl(variable: string): string | null {
    const given = this.#read(variable);
    if (given === "") return null;
    const url = parseBaseUrl(given);
    if (url === null) {
      const message = "expected an http or https URL without credentials, query or fragment";
      this.#issues.atVariable(variable, message);
    }
    return url;
  }

  #readHeaders(variable: string): Record<string, string> {
    const pairs = Object.entries(this.#readPairs(variable));
    const isValid = ([key, value]: readonly [string, string]) =>
      HEADER.test(key) && HEADER_VALUE.test(value) && !RESERVED.test(key);
    if (!pairs.every(isValid)) this.#refusePairs(variable);
    return Object.fromEntries(pairs.map(([key, value]) => [key.toLowerCase(), value]));
  }

  /** Reads `key=value,key=value`, whose values may be percent-encoded (W3C Baggage). */
  #readPairs(variable: string): Record<string, string> {
    const pairs: [string, string][] = [];
    for (const part of this.#read(variable).split(",")) {
      const at = part.indexOf("=");
      if (part.trim() === "") continue;
      const value = decode(part.slice(at + 1).trim());
      if (at < 1 || value === null) {
        this.#refusePairs(variable);
        return {};
      }
      pairs.push([part.slice(0, at).trim(), value]);
    }
    return Object.fromEntries(pairs);
  }

  #refusePairs(variable: string): void {
    this.#issues.atVariable(variable, "expected name=value, several separated by commas");
  }
}

function name(setting: string, signal: ExportedSignal): string {
  return `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${setting}`;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
