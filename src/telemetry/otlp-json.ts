// Writes attributes, spans and log records as OTLP/JSON (opentelemetry-proto 1.x, protobuf's JSON mapping with ids in hex).

/**
 * `2` as a number that may have a fraction is an attribute of another type than `2`, so each call names the type. A span has
 * some thirty of them: keys are the program's own words and aren't escaped, unless they are an operator's.
 */
export class Attributes {
  /** Joined once: a text that grows by each attribute would be copied from a thousand pieces, at twice the cost. */
  readonly #parts: string[] = [];

  /** Null and undefined are left out, as in all of these. */
  text(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    return this.#add(key, writeText(value));
  }

  /** As `text`, for words and ids whose shape holds nothing that JSON escapes. */
  word(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    return this.#add(key, `{"stringValue":"${value}"}`);
  }

  /** As `text`, with a key that an operator chose. */
  named(key: string, value: string): this {
    return this.#add(JSON.stringify(key).slice(1, -1), writeText(value));
  }

  int(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    // 64-bit integers are strings in protobuf's JSON.
    return this.#add(key, `{"intValue":"${Math.round(value)}"}`);
  }

  double(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    return this.#add(key, `{"doubleValue":${value}}`);
  }

  truth(key: string, value: boolean | null | undefined): this {
    if (value == null) return this;
    return this.#add(key, `{"boolValue":${value}}`);
  }

  texts(key: string, values: readonly string[] | null | undefined): this {
    if (values == null) return this;
    return this.#add(key, `{"arrayValue":{"values":[${values.map(writeText).join(",")}]}}`);
  }

  #add(key: string, value: string): this {
    this.#parts.push(`{"key":"${key}","value":${value}}`);
    return this;
  }

  /** Returns the JSON list. */
  write(): string {
    return `[${this.#parts.join(",")}]`;
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

const NANO_DIGITS = 6;

/**
 * Returns Unix milliseconds in nanoseconds, as a string. A double can't hold that many digits, and collectors refuse a
 * whole batch for one time with an exponent.
 */
function writeNanos(ms: number): string {
  const whole = Math.trunc(ms);
  const rest = Math.trunc((ms - whole) * 10 ** NANO_DIGITS);
  return `"${whole}${String(rest).padStart(NANO_DIGITS, "0")}"`;
}

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
  readonly link?: { readonly traceId: string; readonly spanId: string } | null;
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
