// A strict reader of OTLP/JSON: unlike a real collector, it refuses every field and type that the protocol doesn't have.
// Field names and numbers are those of opentelemetry-proto 1.x; ids are hexadecimal, as the specification says.

export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: "internal" | "server" | "client";
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export interface ReadLog {
  readonly event: string;
  readonly severity: string;
  readonly traceId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Read<Item> {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly items: readonly Item[];
}

type Checks = Readonly<Record<string, (value: unknown) => unknown>>;

function refuse(what: string, value: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(value)?.slice(0, 200)}`);
}

/** Reads an object whose every field has a check. Fields that end in `?` may be missing. */
function readObject(what: string, value: unknown, checks: Checks): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuse(`${what} is no object`, value);
  const fields = new Map(Object.entries(value));
  const read: Record<string, unknown> = {};
  for (const [given, check] of Object.entries(checks)) {
    const name = given.replace(/\?$/, "");
    if (fields.has(name)) read[name] = check(fields.get(name));
    else if (given === name) refuse(`${what} lacks ${name}`, value);
    fields.delete(name);
  }
  if (fields.size > 0) refuse(`${what} has unknown fields ${[...fields.keys()]}`, value);
  return read;
}

const text = (value: unknown) => (typeof value === "string" ? value : refuse("no string", value));
const matching = (shape: RegExp) => (value: unknown) =>
  shape.test(text(value)) ? text(value) : refuse(`not ${shape}`, value);
const oneOf = (values: readonly number[]) => (value: unknown) =>
  typeof value === "number" && values.includes(value) ? value : refuse(`none of ${values}`, value);
const truth = (value: unknown) => (typeof value === "boolean" ? value : refuse("no boolean", value));
const real = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : refuse("no double", value);
const listOf =
  <Item>(check: (value: unknown) => Item) =>
  (value: unknown): Item[] =>
    Array.isArray(value) ? value.map(check) : refuse("no list", value);
const traceId = matching(/^(?!0+$)[0-9a-f]{32}$/);
const spanId = matching(/^(?!0+$)[0-9a-f]{16}$/);
/** 64-bit integers are strings. One with an exponent or a point makes a collector refuse the whole batch. */
const int64 = (value: unknown) => matching(/^-?\d{1,19}$/)(value);
/** Between 2001 and 2286: nanoseconds, not milliseconds or a rounded double. */
const nanos = (value: unknown) => BigInt(matching(/^[1-9]\d{18}$/)(value));

const VALUES: Checks = {
  "stringValue?": text,
  "intValue?": (value) => Number(int64(value)),
  "doubleValue?": real,
  "boolValue?": truth,
  "arrayValue?": (value) => readObject("arrayValue", value, { values: listOf(readValue) }).values,
};

function readValue(value: unknown): unknown {
  const found = Object.values(readObject("value", value, VALUES));
  return found.length === 1 ? found[0] : refuse("not one value", value);
}

function readAttributes(value: unknown): Record<string, unknown> {
  const pairs = listOf((one) => readObject("attribute", one, { key: text, value: readValue }))(value);
  const names = pairs.map(({ key }) => String(key));
  if (new Set(names).size < names.length) refuse("an attribute stands twice", names);
  return Object.fromEntries(pairs.map(({ key, value: held }) => [String(key), held]));
}

const KINDS = ["", "internal", "server", "client"] as const;

function readSpan(value: unknown): ReadSpan {
  const link = (one: unknown) => readObject("link", one, { traceId, spanId });
  const span = readObject("span", value, {
    traceId,
    spanId,
    "parentSpanId?": spanId,
    flags: oneOf([1]),
    name: text,
    kind: oneOf([1, 2, 3]),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: readAttributes,
    status: (one) => readObject("status", one, { "code?": oneOf([2]) }),
    "links?": listOf(link),
  });
  const startNanos = BigInt(String(span.startTimeUnixNano));
  const endNanos = BigInt(String(span.endTimeUnixNano));
  if (endNanos < startNanos) refuse("a span ends before it starts", value);
  return {
    traceId: String(span.traceId),
    spanId: String(span.spanId),
    name: String(span.name),
    parentSpanId: span.parentSpanId === undefined ? null : String(span.parentSpanId),
    kind: KINDS[Number(span.kind)] || "internal",
    startNanos,
    endNanos,
    attributes: span.attributes as ReadSpan["attributes"],
    isError: "code" in (span.status as object),
    links: (span.links ?? []) as ReadSpan["links"],
  };
}

function readLog(value: unknown): ReadLog {
  const log = readObject("log record", value, {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: oneOf([5, 9, 13, 17]),
    severityText: matching(/^(DEBUG|INFO|WARN|ERROR)$/),
    eventName: text,
    body: readValue,
    attributes: readAttributes,
    "traceId?": traceId,
  });
  return {
    event: String(log.eventName),
    severity: String(log.severityText),
    traceId: log.traceId === undefined ? null : String(log.traceId),
    attributes: log.attributes as ReadLog["attributes"],
  };
}

function readExport<Item>(
  body: unknown,
  [list, scopes, items]: readonly [string, string, string],
  readItem: (value: unknown) => Item,
): Read<Item> {
  const scope = (one: unknown) =>
    readObject("scope", one, {
      scope: (given) => readObject("scope", given, { name: text, version: text }),
      [items]: listOf(readItem),
    })[items] as Item[];
  const resource = (one: unknown) =>
    readObject("resource", one, {
      resource: (given) => readObject("resource", given, { attributes: readAttributes }).attributes,
      [scopes]: (given) => listOf(scope)(given).flat(),
    });
  const [only, ...others] = readObject("export", body, { [list]: listOf(resource) })[list] as ReturnType<
    typeof resource
  >[];
  if (only === undefined || others.length > 0) refuse("not one resource", body);
  return { resource: only.resource as Read<Item>["resource"], items: only[scopes] as Item[] };
}

export const readSpans = (body: unknown) =>
  readExport(body, ["resourceSpans", "scopeSpans", "spans"], readSpan);
export const readLogs = (body: unknown) =>
  readExport(body, ["resourceLogs", "scopeLogs", "logRecords"], readLog);
