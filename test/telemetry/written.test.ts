// Spans and entries of the log are written in pieces, some of them remembered, and equal what `JSON.stringify` writes.
import { expect, test } from "bun:test";
import type { FinishedRequest } from "../../src/core/log/trace-context.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { writeLogEntry } from "../../src/telemetry/log-entries.ts";
import { createLine } from "../../src/telemetry/log-lines.ts";
import { createEnvelope, OtlpWriter, type SpanHead } from "../../src/telemetry/otlp-json.ts";
import { writeRequestSpans } from "../../src/telemetry/request-spans.ts";
import { makeModelCard } from "../harness/cards.ts";
import { makeRecord } from "../harness/samples.ts";
import { makeDice } from "../selectors/dice.ts";
import { readSpans } from "./otlp.ts";

const ROUNDS = 2000;
const dice = makeDice(7);
const below = (count: number) => Math.floor(dice() * count);
const pick = <One>(all: readonly [One, ...One[]]): One => all[below(all.length)] ?? all[0];
/** Quotes, control characters, halves of pairs, and what takes one to four bytes in UTF-8. */
const PARTS = [
  "a",
  "Z",
  '"',
  "\\",
  "\n",
  "\u0000",
  "\u001f",
  "\u007f",
  "é",
  "\u2028",
  "語",
  "😀",
  "\ud83d",
  "\ude00",
  "#",
];

function makeText(): string {
  const [first = "", ...more] = PARTS;
  const length = pick([0, 1, 3, 12, 40, dice() < 0.02 ? 20_000 : 5]);
  return Array.from({ length }, () => pick([first, ...more])).join("");
}
const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join("");
const orNull = <One>(make: () => One) => (dice() < 0.3 ? null : make());
const makeNumber = () =>
  pick([below(10), below(1e6), 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 1e21, -below(500), dice(), dice() / 1e9]);
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
const nanosOf = (ms: number) => `${Math.trunc(ms)}${String(1e6 + (ms % 1) * 1e6).slice(1, 7)}`;
/** Quarters of a millisecond, which a double holds exactly. */
const makeMs = () => 1_795_000_000_000 + below(1e9) + below(4) / 4;

type Value = Readonly<Record<string, unknown>>;
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** Writes an attribute, and returns it as an object. */
function makeAttribute(to: OtlpWriter): readonly Attribute[] {
  const key = `a.${below(50)}`;
  const text = makeText();
  const number = makeNumber();
  const truth = dice() < 0.5;
  const texts = Array.from({ length: below(4) }, makeText);
  const made: readonly [() => OtlpWriter, Value][] = [
    [() => to.text(key, text), { stringValue: text }],
    [() => to.int(key, number), { intValue: String(Math.round(number)) }],
    [() => to.double(key, number), { doubleValue: number }],
    [() => to.truth(key, truth), { boolValue: truth }],
    [() => to.texts(key, texts), { arrayValue: { values: texts.map((stringValue) => ({ stringValue })) } }],
    [() => to.text(key, null).int(key, null).double(key, Number.NaN).texts(key, null), {}],
  ];
  const [write, value] = made[below(made.length)] ?? [() => to, {}];
  write();
  return Object.keys(value).length === 0 ? [] : [{ key, value }];
}

function makeSpan(to: OtlpWriter): object {
  const startMs = makeMs();
  const name = makeText();
  const isError = dice() < 0.5;
  const endMs = startMs + below(4) - 1;
  const traceId = hex(32);
  const spanId = hex(16);
  const parentSpanId = orNull(() => hex(16));
  const link = orNull(() => ({ traceId: hex(32), spanId: hex(16) }));
  const kind = pick<SpanHead["kind"]>(["internal", "server", "client"]);
  to.openSpan({ traceId, spanId, parentSpanId, kind, name, startMs, endMs });
  const attributes = Array.from({ length: below(6) }, () => makeAttribute(to)).flat();
  to.closeSpan({ isError, link });
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    flags: 1,
    name,
    kind: { internal: 1, server: 2, client: 3 }[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(Math.max(startMs, endMs)),
    attributes,
    status: isError ? { code: 2 } : {},
    ...(link === null ? {} : { links: [link] }),
  };
}

test("spans are written as JSON.stringify writes them", () => {
  const writer = new OtlpWriter();
  for (let round = 0; round < ROUNDS; round++) {
    writer.clear();
    const spans = Array.from({ length: 1 + below(3) }, () => makeSpan(writer));
    expect(decode(writer.view())).toBe(`${JSON.stringify(spans).slice(1, -1)},`);
  }
});

/** Few of them, so that most are remembered. */
const TEXTS = Array.from({ length: 6 }, makeText);
const NUMBERS = [0, 1, 7];
const someText = () => TEXTS[below(TEXTS.length)] ?? "";
const someNumber = () => NUMBERS[below(NUMBERS.length)] ?? 0;

function makeOddRecord() {
  return makeRecord(`request ${below(1000)}`, {
    keyId: someText(),
    accountId: someText(),
    modelAsked: someText(),
    modelUsed: orNull(someText),
    selector: orNull(someText),
    attempts: someNumber(),
    stream: dice() < 0.5,
    address: orNull(makeText),
    status: pick([200, 400, 502]),
    costNanoUsd: below(1e7),
    session: orNull(makeText),
    traceId: hex(32),
    operation: pick(["chat", "embeddings"]),
    surface: pick(["openai-chat", "gemini"]),
    ended: pick(["done", "timeout"]),
    usageSource: pick(["provider", "none"]),
    tags: orNull(makeText),
    firstTokenMs: null,
    faultCode: pick([null, "upstream_error"]),
  });
}

function listTyped(fields: Value): readonly Attribute[] {
  return Object.entries(fields).flatMap(([name, value]): Attribute[] => {
    const [key, text] = [`poundkey.${name}`, typeof value === "object" ? JSON.stringify(value) : value];
    if (value === null || value === undefined) return [];
    if (typeof text === "string") return [{ key, value: { stringValue: text } }];
    if (typeof text === "boolean") return [{ key, value: { boolValue: text } }];
    return [{ key, value: Number.isInteger(text) ? { intValue: String(text) } : { doubleValue: text } }];
  });
}

test("entries of the log have the fields of the line, as JSON.stringify writes them", () => {
  const writer = new OtlpWriter();
  for (let round = 0; round < ROUNDS; round++) {
    const more = { late: dice() < 0.5, gateway_ms: dice() * 9, list: [makeText()], note: orNull(makeText) };
    const event = pick<LogEvent>([
      { event: "request", record: makeOddRecord(), ...more },
      { event: makeText(), level: "warn", account_id: someText(), model: makeText(), ...more },
      { event: "odd", trace_id: hex(32), status: makeNumber(), ...more },
    ]);
    const atMs = makeMs();
    writeLogEntry(writer.clear(), event, atMs);
    const { at, level, event: name, trace_id: traceId, ...fields } = createLine("", event);
    const time = nanosOf(atMs);
    const described = {
      timeUnixNano: time,
      observedTimeUnixNano: time,
      severityNumber: level === "warn" ? 13 : 9,
      severityText: String(level).toUpperCase(),
      eventName: name,
      body: { stringValue: name },
      attributes: listTyped(fields),
      ...(typeof traceId === "string" ? { traceId } : {}),
    };
    expect(decode(writer.view())).toBe(`${JSON.stringify(described)},`);
  }
});

/** The attributes of the span of the server, and of its call, that are the record's own. */
function listExpected({ record, chargedNanoUsd, attempts, finishes }: FinishedRequest) {
  const shown = (given: Value) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const { keyId, accountId, operation, surface, modelAsked, modelUsed, selector } = record;
  const [call] = attempts;
  const server = shown({
    "poundkey.id": record.id,
    "poundkey.key_id": keyId,
    "poundkey.account_id": accountId,
    "poundkey.operation": operation,
    "poundkey.surface": surface,
    "client.address": record.address,
    "poundkey.model_asked": modelAsked,
    "poundkey.model": modelUsed,
    "poundkey.selector": selector,
    "poundkey.attempts": record.attempts,
    "poundkey.stream": record.stream,
    "poundkey.ended": record.ended,
    "poundkey.usage_source": record.usageSource,
    "poundkey.cost_usd": record.costNanoUsd / 1e9,
    "poundkey.charged_usd": Number(chargedNanoUsd) / 1e9,
    "http.response.status_code": record.status,
    "error.type": record.faultCode,
    "poundkey.request_id": record.requestId,
  });
  const client = shown({
    "gen_ai.operation.name": operation,
    "gen_ai.request.model": call?.card.name ?? null,
    "gen_ai.conversation.id": record.session,
    "server.port": Number(new URL(call?.baseUrl ?? "").port),
    "poundkey.model": call?.card.id ?? null,
    "poundkey.attempt": 1,
    "poundkey.outcome": "answered",
    "gen_ai.provider.name": call?.card.provider ?? null,
    "gen_ai.response.finish_reasons": finishes,
  });
  return { server, client };
}

function makeFinished(): FinishedRequest {
  const record = makeOddRecord();
  const trace = { traceId: hex(32), spanId: hex(16), parent: null, isSampled: true, isPropagated: false };
  const recording = {
    route: "/v1/chat/completions",
    path: `/${someText()}`,
    atMs: makeMs(),
    startedMs: 1000,
    takesContent: false,
    plannedMs: null,
    admittingMs: null,
  };
  const attempt = {
    spanId: hex(16),
    card: makeModelCard(`Local#${someText()}`),
    platform: null,
    firstMs: 1002,
    baseUrl: `http://127.0.0.1:${80_00 + below(3)}/v1`,
    outcome: "answered" as const,
    isShown: true,
    faultCode: null,
    upstreamStatus: null,
    startMs: 1001,
    endMs: 1003,
  };
  return {
    trace: { ...trace, recording },
    record,
    chargedNanoUsd: below(1e7),
    finishes: [makeText()],
    selection: null,
    admission: null,
    hooks: [],
    attempts: [attempt],
    tool: null,
    content: null,
    endMs: 1004,
    parameters: {},
  };
}

test("a span has its own request's values, whatever was remembered of others", () => {
  const { head, tail } = createEnvelope("traces", new Uint8Array(), "1.0.0");
  const writer = new OtlpWriter();
  for (let round = 0; round < ROUNDS; round++) {
    const request = makeFinished();
    expect(writeRequestSpans(writer.clear(), request)).toBe(2);
    const body = `${decode(head)}${decode(writer.view()).slice(0, -1)}${decode(tail)}`;
    const [client, server] = readSpans(JSON.parse(body)).items;
    const expected = listExpected(request);
    // Halves of pairs arrive as they are, since they are escaped.
    expect(server?.attributes).toMatchObject(expected.server);
    expect(client?.attributes).toMatchObject(expected.client);
  }
});
