// Writes attributes, spans and log records as OTLP/JSON (opentelemetry-proto 1.x, protobuf's JSON mapping with ids in hex).

/**
 * `2` as a number that may have a fraction is an attribute of another type than `2`, so each call names the type. A span has
 * some thirty of them: keys are the program's own words and aren't escaped, unless they are an operator's.
 */
export class Attributes {
  #json = "[";
  /** Stands before the next attribute. */
  #comma = "";

  /** Null and undefined are left out, as in all of these. */
  text(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    if (PLAIN.test(value)) return this.word(key, value);
    return this.#put(
      `${this.#json}${this.#comma}{"key":"${key}","value":{"stringValue":${JSON.stringify(value)}}}`,
    );
  }

  /** As `text`, for words and ids whose shape holds nothing that JSON escapes. */
  word(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    return this.#put(`${this.#json}${this.#comma}{"key":"${key}","value":{"stringValue":"${value}"}}`);
  }

  /** As `text`, with a key that an operator chose. */
  named(key: string, value: string): this {
    return this.text(JSON.stringify(key).slice(1, -1), value);
  }

  int(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    // 64-bit integers are strings in protobuf's JSON.
    return this.#put(
      `${this.#json}${this.#comma}{"key":"${key}","value":{"intValue":"${Math.round(value)}"}}`,
    );
  }

  double(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    return this.#put(`${this.#json}${this.#comma}{"key":"${key}","value":{"doubleValue":${value}}}`);
  }

  truth(key: string, value: boolean | null | undefined): this {
    if (value == null) return this;
    return this.#put(`${this.#json}${this.#comma}{"key":"${key}","value":{"boolValue":${value}}}`);
  }

  texts(key: string, values: readonly string[] | null | undefined): this {
    if (values == null) return this;
    const list = values.map(writeText).join(",");
    return this.#put(
      `${this.#json}${this.#comma}{"key":"${key}","value":{"arrayValue":{"values":[${list}]}}}`,
    );
  }

  #put(json: string): this {
    this.#json = json;
    this.#comma = ",";
    return this;
  }

  /** Returns the JSON list. */
  write(): string {
    return `${this.#json}]`;
  }
}

/** Text that JSON writes as it is: most are ids and names, for which this takes half the time. */
const PLAIN = /^[ !#-[\]-~]*$/;

function writeString(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

function writeText(value: string): string {
  return `{"stringValue":${writeString(value)}}`;
}

const NANOS_PER_MS = 1_000_000;
const MS_PER_S = 1000;
/** Nine digits behind a one, so that none is lost in front. It fits into 32 bits, which are written much faster. */
const NINE_DIGITS = 1_000_000_000;

/**
 * Returns Unix milliseconds in nanoseconds, as a string. A double can't hold that many digits, and collectors refuse a
 * whole batch for one time with an exponent.
 */
function writeNanos(ms: number): string {
  const whole = Math.trunc(ms);
  const seconds = Math.trunc(whole / MS_PER_S);
  const rest = Math.trunc((ms - whole) * NANOS_PER_MS);
  const nanos = NINE_DIGITS + (whole - seconds * MS_PER_S) * NANOS_PER_MS + rest;
  if (seconds !== lately.seconds) lately = { seconds, text: String(seconds) };
  return `"${lately.text}${String(nanos).slice(1)}"`;
}

/** The seconds that were last written. */
let lately = { seconds: 0, text: "0" };

/** The kinds of spans, by their numbers in OTLP. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first of its trace. */
  readonly parentSpanId: string | null;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  /** Unix milliseconds, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** True if it failed by the server's fault, or by a provider's. */
  readonly isError: boolean;
  /** A span of another trace that led to this one. */
  readonly link: { readonly traceId: string; readonly spanId: string } | null;
}

/** The trace flags of a sampled span. */
const SAMPLED = 1;
const STATUS_ERROR = 2;

export function writeSpan(span: Span): string {
  const { traceId, spanId, parentSpanId, name, attributes, link, isError } = span;
  const parent = parentSpanId === null ? "" : `"parentSpanId":"${parentSpanId}",`;
  const links = link ? `,"links":[{"traceId":"${link.traceId}","spanId":"${link.spanId}"}]` : "";
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}",${parent}"flags":${SAMPLED},` +
    `"name":${writeString(name)},"kind":${KINDS[span.kind]},` +
    `"startTimeUnixNano":${writeNanos(span.startMs)},"endTimeUnixNano":${writeNanos(Math.max(span.startMs, span.endMs))},` +
    `"attributes":${attributes.write()},"status":${isError ? `{"code":${STATUS_ERROR}}` : "{}"}${links}}`
  );
}

export interface LogEntry {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly severity: keyof typeof SEVERITIES;
  readonly event: string;
  readonly attributes: Attributes;
  /** Null if it belongs to no trace. */
  readonly traceId: string | null;
}

/** The numbers of severities in OTLP's data model of logs. */
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17 } as const;

export function writeLogEntry({ atMs, severity, event, attributes, traceId }: LogEntry): string {
  const time = writeNanos(atMs);
  const trace = traceId === null ? "" : `,"traceId":"${traceId}"`;
  return (
    `{"timeUnixNano":${time},"observedTimeUnixNano":${time},"severityNumber":${SEVERITIES[severity]},` +
    `"severityText":"${severity.toUpperCase()}","eventName":${writeString(event)},"body":${writeText(event)},` +
    `"attributes":${attributes.write()}${trace}}`
  );
}

export const SIGNALS = ["traces", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

const WRAPPERS = {
  traces: { list: "resourceSpans", scopes: "scopeSpans", items: "spans" },
  logs: { list: "resourceLogs", scopes: "scopeLogs", items: "logRecords" },
} as const;

export interface Source {
  /** The attributes of the program that sends. */
  readonly resource: Attributes;
  readonly version: string;
}

/** Returns the body of an export request: the items, as they were written, and who sends them. */
export function writeExport(signal: Signal, items: readonly string[], { resource, version }: Source): string {
  const { list, scopes, items: field } = WRAPPERS[signal];
  const scope = `{"name":"poundkey","version":${JSON.stringify(version)}}`;
  return `{"${list}":[{"resource":{"attributes":${resource.write()}},"${scopes}":[{"scope":${scope},"${field}":[${items.join(",")}]}]}]}`;
}
