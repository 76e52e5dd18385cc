// Writes attributes, spans and log records as OTLP/JSON (opentelemetry-proto 1.x, protobuf's JSON mapping with ids in hex).
import { encodeText, JsonBytes } from "./json-bytes.ts";

/** The beginnings of attributes of one type, by their keys: the program's own words, which aren't escaped. */
function createHeads(opening: string): (key: string) => Uint8Array {
  const heads = new Map<string, Uint8Array>();
  return (key) => {
    const known = heads.get(key);
    if (known !== undefined) return known;
    const head = encodeText(`{"key":"${key}","value":{${opening}`);
    heads.set(key, head);
    return head;
  };
}

const textHead = createHeads('"stringValue":"');
const intHead = createHeads('"intValue":"');
const doubleHead = createHeads('"doubleValue":');
const truthHead = createHeads('"boolValue":');
const textsHead = createHeads('"arrayValue":{"values":[');
const QUOTED_END = encodeText('"}},');
const END = encodeText("}},");
const TEXTS_END = encodeText("]}}},");
const TEXT_HEAD = encodeText('{"stringValue":"');
const TEXT_END = encodeText('"},');

const NANOS_PER_MS = 1_000_000;
const MS_PER_S = 1000;
const NANO_DIGITS = 9;

/** The kinds of spans, by their numbers in OTLP. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
/** The trace flags of a sampled span. */
const SAMPLED = 1;
const STATUS_ERROR = 2;
/** The numbers of severities in OTLP's data model of logs. */
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17 } as const;

const SPAN = {
  traceId: encodeText('{"traceId":"'),
  spanId: encodeText('","spanId":"'),
  parent: encodeText('","parentSpanId":"'),
  name: encodeText(`","flags":${SAMPLED},"name":"`),
  kind: encodeText('","kind":'),
  start: encodeText(',"startTimeUnixNano":"'),
  end: encodeText('","endTimeUnixNano":"'),
  attributes: encodeText('","attributes":['),
  fine: encodeText('],"status":{}'),
  failed: encodeText(`],"status":{"code":${STATUS_ERROR}}`),
  link: encodeText(',"links":[{"traceId":"'),
  linkEnd: encodeText('"}]'),
  last: encodeText("},"),
};
const LOG = {
  time: encodeText('{"timeUnixNano":"'),
  observed: encodeText('","observedTimeUnixNano":"'),
  severity: encodeText('","severityNumber":'),
  severityText: encodeText(',"severityText":"'),
  event: encodeText('","eventName":"'),
  body: encodeText('","body":{"stringValue":"'),
  attributes: encodeText('"},"attributes":['),
  traceId: encodeText('],"traceId":"'),
  last: encodeText('"},'),
  lastOfNone: encodeText("]},"),
};

export interface SpanHead {
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first of its trace. */
  readonly parentSpanId: string | null;
  readonly kind: keyof typeof KINDS;
  readonly name: string;
  /** Unix milliseconds, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface SpanEnd {
  /** True if it failed by the server's fault, or by a provider's. */
  readonly isError: boolean;
  /** A span of another trace that led to this one. */
  readonly link: { readonly traceId: string; readonly spanId: string } | null;
}

type Severity = keyof typeof SEVERITIES;

/**
 * Writes attributes, and spans and log records around theirs. A comma follows each of them, which the end of their list takes
 * back. `2` as a number that may have a fraction is an attribute of another type than `2`, so each call names the type.
 */
export class OtlpWriter {
  readonly #out = new JsonBytes();
  /** The seconds that were last written. */
  #lately = { seconds: 0, digits: encodeText("0") };
  /** The last number with a fraction: a request's cost stands in several places, and such numbers take long to write. */
  #number = { value: 0, text: "0" };

  /** Null and undefined are left out, as in all of these. */
  text(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    this.#out.piece(textHead(key));
    this.#out.string(value);
    this.#out.piece(QUOTED_END);
    return this;
  }

  /** As `text`, for words and ids whose shape holds nothing that JSON escapes. */
  word(key: string, value: string | null | undefined): this {
    if (value == null) return this;
    this.#out.piece(textHead(key));
    this.#out.word(value);
    this.#out.piece(QUOTED_END);
    return this;
  }

  /** As `text`, with a key that an operator chose. */
  named(key: string, value: string): this {
    return this.text(JSON.stringify(key).slice(1, -1), value);
  }

  int(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    // 64-bit integers are strings in protobuf's JSON.
    this.#out.piece(intHead(key));
    this.#out.int(Math.round(value));
    this.#out.piece(QUOTED_END);
    return this;
  }

  double(key: string, value: number | null | undefined): this {
    if (value == null || !Number.isFinite(value)) return this;
    if (value !== this.#number.value) this.#number = { value, text: String(value) };
    this.#out.piece(doubleHead(key));
    this.#out.word(this.#number.text);
    this.#out.piece(END);
    return this;
  }

  truth(key: string, value: boolean | null | undefined): this {
    if (value == null) return this;
    this.#out.piece(truthHead(key));
    this.#out.word(value ? "true" : "false");
    this.#out.piece(END);
    return this;
  }

  texts(key: string, values: readonly string[] | null | undefined): this {
    if (values == null) return this;
    this.#out.piece(textsHead(key));
    for (const value of values) {
      this.#out.piece(TEXT_HEAD);
      this.#out.string(value);
      this.#out.piece(TEXT_END);
    }
    this.#out.dropComma();
    this.#out.piece(TEXTS_END);
    return this;
  }

  /** Attributes that were written before, by another writer. */
  written(attributes: Uint8Array): this {
    this.#out.piece(attributes);
    return this;
  }

  /** Its attributes follow, and then `closeSpan`. */
  openSpan({ traceId, spanId, parentSpanId, kind, name, startMs, endMs }: SpanHead): this {
    const out = this.#out;
    out.piece(SPAN.traceId);
    out.word(traceId);
    out.piece(SPAN.spanId);
    out.word(spanId);
    if (parentSpanId !== null) {
      out.piece(SPAN.parent);
      out.word(parentSpanId);
    }
    out.piece(SPAN.name);
    out.string(name);
    out.piece(SPAN.kind);
    out.digits(KINDS[kind], 1);
    out.piece(SPAN.start);
    this.#nanos(startMs);
    out.piece(SPAN.end);
    this.#nanos(Math.max(startMs, endMs));
    out.piece(SPAN.attributes);
    return this;
  }

  closeSpan({ isError, link }: SpanEnd): void {
    const out = this.#out;
    out.dropComma();
    out.piece(isError ? SPAN.failed : SPAN.fine);
    if (link !== null) {
      out.piece(SPAN.link);
      out.word(link.traceId);
      out.piece(SPAN.spanId);
      out.word(link.spanId);
      out.piece(SPAN.linkEnd);
    }
    out.piece(SPAN.last);
  }

  /** `nameLog` and its attributes follow, and then `closeLog`. `atMs` is Unix milliseconds. */
  openLog(atMs: number): this {
    this.#out.piece(LOG.time);
    this.#nanos(atMs);
    this.#out.piece(LOG.observed);
    this.#nanos(atMs);
    return this;
  }

  nameLog(event: string, severity: Severity): this {
    const out = this.#out;
    out.piece(LOG.severity);
    out.int(SEVERITIES[severity]);
    out.piece(LOG.severityText);
    out.word(severity.toUpperCase());
    out.piece(LOG.event);
    out.string(event);
    out.piece(LOG.body);
    out.string(event);
    out.piece(LOG.attributes);
    return this;
  }

  /** `traceId` is null if it belongs to no trace. */
  closeLog(traceId: string | null): void {
    const out = this.#out;
    out.dropComma();
    if (traceId === null) {
      out.piece(LOG.lastOfNone);
      return;
    }
    out.piece(LOG.traceId);
    out.word(traceId);
    out.piece(LOG.last);
  }

  /** The bytes written so far, with a comma behind each item. They are valid until more is written. */
  view(): Uint8Array {
    return this.#out.view();
  }

  clear(): this {
    this.#out.reset();
    return this;
  }

  /** Returns a copy of what was written, and begins again. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#out.copy();
    this.#out.reset();
    return taken;
  }

  /**
   * Unix milliseconds in nanoseconds. A double can't hold that many digits, and collectors refuse a whole batch for one time
   * with an exponent.
   */
  #nanos(ms: number): void {
    const whole = Math.trunc(ms);
    const seconds = Math.trunc(whole / MS_PER_S);
    const rest = Math.trunc((ms - whole) * NANOS_PER_MS);
    if (seconds !== this.#lately.seconds) this.#lately = { seconds, digits: encodeText(String(seconds)) };
    this.#out.piece(this.#lately.digits);
    this.#out.digits((whole - seconds * MS_PER_S) * NANOS_PER_MS + rest, NANO_DIGITS);
  }
}

export const SIGNALS = ["traces", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

const WRAPPERS = {
  traces: { list: "resourceSpans", scopes: "scopeSpans", items: "spans" },
  logs: { list: "resourceLogs", scopes: "scopeLogs", items: "logRecords" },
} as const;

/** The bytes before and behind the items of an export request, which name the sender. */
export interface Envelope {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** `resource` has the attributes of the program that sends. */
export function createEnvelope(signal: Signal, resource: Uint8Array, version: string): Envelope {
  const { list, scopes, items } = WRAPPERS[signal];
  const scope = `{"name":"poundkey","version":${JSON.stringify(version)}}`;
  const head = new JsonBytes();
  head.word(`{"${list}":[{"resource":{"attributes":[`);
  head.piece(resource);
  head.dropComma();
  head.word(`]},"${scopes}":[{"scope":${scope},"${items}":[`);
  return { head: head.copy(), tail: encodeText("]}]}]}") };
}
