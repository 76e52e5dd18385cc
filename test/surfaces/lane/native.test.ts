// The native lane over recorded traffic: a provider gets its family's request, and the client the provider's answer.

import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { RESPONSES_LANE } from "../../../src/dialects/responses/lane.ts";
import type { Part } from "../../../src/operations/chat/answer/run.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import type { ChatReply } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { findDialect } from "../../../src/providers/index.ts";
import * as messagesLane from "../../../src/surfaces/anthropic-messages/lane.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import * as geminiLane from "../../../src/surfaces/gemini/lane.ts";
import { respellRequest } from "../../../src/surfaces/gemini/spelling.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import * as responsesLane from "../../../src/surfaces/openai-responses/lane.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import type { Surface } from "../../../src/surfaces/surface.ts";
import { makeCard } from "../../dialects/cases/drive.ts";
import { splitEvents } from "../../recorded/events.ts";
import { atLeast, readTraffic } from "../../recorded/load.ts";
import { makeSubject, type Subject } from "../../recorded/pipeline.ts";
import { decodePieces, incoming, STAMP, writeStream } from "../recorded.ts";

interface Family {
  readonly name: "anthropic" | "responses" | "gemini";
  readonly surface: Surface<ChatForm>;
  readonly apis: readonly string[];
  /** Fields that the gateway drops or refuses, by its table. */
  readonly rows: readonly { readonly field: string; readonly treatment: string }[];
  /** Fields that the gateway sets in each call. */
  readonly set: readonly string[];
  /** The provider's event or body with the gateway's own fields added. */
  readonly stamped: (body: JsonObject, isLast: boolean) => JsonObject;
  /** The provider's whole answer with the same fields. */
  readonly stampedWhole: (body: JsonObject) => JsonObject;
}

const COST = { cost: 0.5, charged: 0.25 };

function stampBody(body: JsonObject): JsonObject {
  const { id, model } = STAMP;
  return { ...body, id, model, usage: { ...asObject(body.usage), ...COST } };
}

const FAMILIES: readonly Family[] = [
  {
    name: "anthropic",
    surface: ANTHROPIC_MESSAGES,
    apis: ["anthropic-messages", "bedrock-invoke", "bedrock-invoke-stream"],
    rows: messagesLane.BODY.rows,
    set: ["model"],
    stamped: (event) => {
      if (isObject(event.message))
        return { ...event, message: { ...event.message, id: STAMP.id, model: STAMP.model } };
      const isEnd = event.type === "message_delta" && asObject(event.delta).stop_reason;
      return isEnd ? { ...event, usage: { ...asObject(event.usage), ...COST } } : event;
    },
    stampedWhole: stampBody,
  },
  {
    name: "responses",
    surface: OPENAI_RESPONSES,
    apis: ["openai-responses"],
    rows: responsesLane.BODY.rows,
    // Nothing is stored upstream, so thinking must come sealed. Searches are bounded.
    // Routing is the gateway's.
    set: ["model", "store", "include", "max_tool_calls", "provider"],
    stamped: (event) => {
      if (!isObject(event.response)) return event;
      const { usage } = event.response;
      const isEnd = /completed|incomplete/.test(String(event.type)) && isObject(usage);
      const response = { ...event.response, id: STAMP.id, model: STAMP.model };
      return { ...event, response: isEnd ? { ...response, usage: { ...usage, ...COST } } : response };
    },
    stampedWhole: stampBody,
  },
  {
    name: "gemini",
    surface: GEMINI,
    apis: ["gemini-generateContent", "gemini-streamGenerateContent"],
    rows: geminiLane.BODY.rows,
    // The URL names the model.
    set: ["model"],
    stamped: (event, isLast) => ({
      ...event,
      modelVersion: STAMP.model,
      responseId: STAMP.id,
      ...(isLast ? { usageMetadata: { ...asObject(event.usageMetadata), ...COST } } : {}),
    }),
    stampedWhole: (body) => ({
      ...body,
      modelVersion: STAMP.model,
      responseId: STAMP.id,
      usageMetadata: { ...asObject(body.usageMetadata), ...COST },
    }),
  },
];

function subjectsOf({ apis }: Family): readonly Subject[] {
  return readTraffic()
    .recordings.filter(({ api }) => apis.includes(api))
    .map(makeSubject);
}

/** Recorded answers of the Responses API are OpenAI's, which lack nothing. */
function laneOf({ name }: Family) {
  if (name === "responses") return RESPONSES_LANE;
  const lane = findDialect(name).chat?.lanes?.[name];
  if (!lane) throw new Error(`The dialect ${name} has no lane of its own family.`);
  return lane;
}

function read({ surface, name }: Family, { recording }: Subject, request: JsonObject) {
  const verb = recording.streamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = name === "gemini" ? `/v1beta/models/m:${verb}` : "/";
  return surface.read(incoming(request, path));
}

/** The expected outgoing request: without the fields that the table drops, and with the two deeper changes. */
function expected({ rows, set }: Family, request: JsonObject): JsonObject {
  const gone = new Set([...set, ...rows.map(({ field }) => field)]);
  const left = Object.fromEntries(
    Object.entries(request).filter(([field, value]) => !gone.has(field) && value !== null),
  );
  // Unbounded searches are limited to five.
  if (Array.isArray(left.tools)) left.tools = left.tools.map(boundSearch);
  // Nothing is stored upstream, so thinking that is neither sealed nor written out would refer to nothing.
  if (Array.isArray(left.input)) left.input = left.input.filter((item) => !isUnsealed(asObject(item)));
  return left;
}

function boundSearch(tool: unknown): unknown {
  const { type, max_uses: most } = asObject(tool);
  const isSearch = typeof type === "string" && /^web_search_\d+$/.test(type);
  return isSearch && (most === undefined || most === null) ? { ...asObject(tool), max_uses: 5 } : tool;
}

function isUnsealed({ type, encrypted_content: sealed, content }: JsonObject): boolean {
  return type === "reasoning" && !sealed && asArray(content).length === 0;
}

/** Tools pass unchanged unless the provider would run them. */
const PROVIDERS_TOOL =
  /code_execution|web_fetch|code_interpreter|image_generation|file_search|mcp|urlContext|codeExecution|url_context|advisor|skill/;

const SMALL_REQUESTS: Readonly<Record<Family["name"], JsonObject>> = {
  anthropic: { model: "m", max_tokens: 10, messages: [{ role: "user", content: "a" }] },
  responses: { model: "m", input: "a" },
  gemini: { contents: [{ parts: [{ text: "a" }] }] },
};
/** Google's other service takes more of the same models' fields. */
const VERTEX = "https://aiplatform.googleapis.com/v1";
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

for (const family of FAMILIES) {
  const subjects = subjectsOf(family);
  describe(family.name, () => {
    test("the provider gets the request as the client sent it", () => {
      let compared = 0;
      const refused = new Map<string, number>();
      for (const subject of subjects) {
        const { request } = subject.recording;
        if (request === null || PROVIDERS_TOOL.test(JSON.stringify(request.tools ?? ""))) continue;
        try {
          const exchange = read(
            family,
            subject,
            family.name === "gemini" ? request : { ...request, model: "m" },
          );
          if (exchange.raw === null) throw new Error("no raw request");
          // A request that a provider has answered had nothing that it refuses.
          const mends = subject.recording.status === 200 ? ({ mends: "surely_refused" } as const) : {};
          const baseUrl = subject.recording.id.startsWith("vertexai") ? VERTEX : "https://provider.test";
          const target = { baseUrl, secret: "s", headers: {}, ...mends };
          const { body, dropped } = laneOf(family).encode(exchange.raw, exchange.ask, subject.card, target);
          expect(dropped.filter((field) => !family.set.includes(field))).toEqual([]);
          const sent = Object.fromEntries(
            Object.entries(body).filter(([field]) => !family.set.includes(field)),
          );
          // Settings and tools are sent in the documented spelling, so that no check, hold or limit misses one.
          const want = expected(family, family.name === "gemini" ? respellRequest(request) : request);
          expect([subject.recording.id, sent]).toEqual([subject.recording.id, want]);
          compared++;
        } catch (thrown) {
          if (!(thrown instanceof Fault)) throw new Error(`${subject.recording.id}: ${String(thrown)}`);
          const place = `${thrown.code} ${String(thrown.details.param)}`;
          refused.set(place, (refused.get(place) ?? 0) + 1);
        }
      }
      console.log(
        `${family.name}: ${compared} requests compared; refused: ${[...refused].join("; ") || "none"}`,
      );
      expect(compared).toBeGreaterThanOrEqual(atLeast(30));
    });

    test("the client gets the provider's whole answer unchanged", () => {
      let compared = 0;
      for (const subject of subjects) {
        const { recording, card, request: ask } = subject;
        const body = parseJson(recording.body);
        if (recording.status !== 200 || recording.streamed || !isObject(body)) continue;
        const exchange = read(family, subject, SMALL_REQUESTS[family.name]);
        const options = { ask, card, offset: 0, dropped: [], isNative: true };
        let reply: ChatReply;
        try {
          reply = CHAT.readWhole(laneOf(family), { body: recording.body, headers: new Headers() }, options);
        } catch (thrown) {
          if (!(thrown instanceof Fault)) throw thrown;
          continue;
        }
        const usage = { ...(reply.usage ?? NO_USAGE), ...COST };
        const shown = exchange.whole(CHAT.withUsage(reply, usage), STAMP);
        expect([recording.id, shown]).toEqual([recording.id, family.stampedWhole(body)]);
        compared++;
      }
      console.log(`${family.name}: ${compared} whole answers compared`);
      expect(compared).toBeGreaterThanOrEqual(atLeast(10));
    });

    test("the client gets the provider's events unchanged", () => {
      let compared = 0;
      const request = SMALL_REQUESTS[family.name];
      for (const subject of subjects) {
        const { recording } = subject;
        if (recording.status !== 200 || !recording.streamed) continue;
        const exchange = read(family, subject, request);
        let pieces: readonly Part[];
        try {
          pieces = decodePieces(subject, laneOf(family));
        } catch {
          // A stream that breaks has no end to compare. Its error is in the surface's own form.
          continue;
        }
        const shown = splitEvents(writeStream(exchange, pieces, false)).map(({ data }) => parseJson(data));
        const sent = splitEvents(recording.body).flatMap(({ data }) => {
          const event = parseJson(data);
          return isObject(event) ? [event] : [];
        });
        const want = sent.map((event, at) => family.stamped(event, at === sent.length - 1));
        try {
          expect(shown).toEqual(want);
        } catch (thrown) {
          throw new Error(`${recording.id}: ${String(thrown).slice(0, 1500)}`);
        }
        compared++;
      }
      console.log(`${family.name}: ${compared} streams compared`);
      expect(compared).toBeGreaterThanOrEqual(atLeast(10));
    });
  });
}

test.each(FAMILIES.filter(({ name }) => name !== "gemini").map((family) => [family.name, family] as const))(
  "%s: a request can't choose another route, nor a context longer than the card's",
  (name, family) => {
    const target = { baseUrl: "https://provider.test", secret: "s", headers: {} };
    const body = { ...SMALL_REQUESTS[name], api_base: "https://other.test", models: ["x"], plugins: [] };
    const headers = { "anthropic-beta": "context-1m-2025-08-07,other-1" };
    const raw = { family: name, body, headers, texts: MESSAGES_TEXTS };
    const betas = (contextTokensMax: number) => {
      const ask = { model: "m", messages: [] };
      const card = { ...makeCard("m", null), contextTokensMax };
      const sent = laneOf(family).encode(raw, ask, card, target);
      expect(Object.keys(sent.body)).not.toContainAnyValues(["api_base", "models", "plugins"]);
      expect(sent.dropped).toEqual(expect.arrayContaining(["api_base", "models", "plugins"]));
      return sent.headers["anthropic-beta"];
    };
    const isClaude = name === "anthropic";
    expect(betas(200_000)).toBe(isClaude ? "other-1" : undefined);
    expect(betas(1_000_000)).toBe(isClaude ? "context-1m-2025-08-07,other-1" : undefined);
  },
);
