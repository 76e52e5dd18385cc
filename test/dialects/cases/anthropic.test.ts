// The Anthropic dialect's request fields: a table with a line for each quirk, then address, headers and model names.
import { expect, test } from "bun:test";
import { isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import { anthropic } from "../../../src/dialects/anthropic/dialect.ts";
import { makeHeaders } from "../../../src/dialects/anthropic/encode.ts";
import { findTraits, type Traits } from "../../../src/dialects/anthropic/models.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import {
  CLASSIC,
  calls,
  hi,
  makeCard,
  makeRequest,
  NEWEST,
  result,
  sent,
  target,
  weather,
} from "./anthropic-cases.ts";

/** model (without `claude-`) | fields of the request | fields of the body as sent (null if absent) | dropped */
const ROWS = `
sonnet-4-5 | {}                                                    | {"max_tokens":64000,"stream":null,"model":"claude-sonnet-4-5"} |
sonnet-4-5 | {"max_completion_tokens":99000}                       | {"max_tokens":64000}               | max_completion_tokens
sonnet-4-5 | {"max_tokens":9,"max_completion_tokens":7}            | {"max_tokens":7}                   |
sonnet-4-5 | {"stream":true,"stream_options":{}}                   | {"stream":true}                    |
sonnet-4-5 | {"temperature":1.5}                                   | {"temperature":1}                  | temperature
sonnet-4-5 | {"temperature":0.5}                                   | {"temperature":0.5}                |
opus-5-5   | {"temperature":1,"top_p":0.9}                         | {"temperature":null,"top_p":null}  | temperature top_p
sonnet-4-5 | {"temperature":0,"top_p":0.9}                         | {"temperature":0,"top_p":null}     | top_p
sonnet-4-0 | {"temperature":0,"top_p":0.9}                         | {"temperature":0,"top_p":0.9}      |
sonnet-4-5 | {"temperature":0,"top_p":0.96,"reasoning_effort":"low"} | {"temperature":null,"top_p":0.96} | temperature
sonnet-4-5 | {"top_p":0.5,"reasoning_effort":"low"}                | {"top_p":null}                     | top_p
sonnet-4-5 | {"stop":["END","\\n"]}                                | {"stop_sequences":["END"]}         | stop
sonnet-4-5 | {"stop":[" "]}                                        | {"stop_sequences":null}            | stop
sonnet-4-5 | {"user":"u1"}                                         | {"metadata":{"user_id":"u1"}}      |
sonnet-4-5 | {"user":"u1","safety_identifier":"s1"}                | {"metadata":{"user_id":"s1"}}      | user
sonnet-4-5 | {"service_tier":"default"}                            | {"service_tier":"standard_only"}   |
sonnet-4-5 | {"service_tier":"auto"}                               | {"service_tier":"auto"}            |
sonnet-4-5 | {"service_tier":"flex"}                               | {"service_tier":null}              | service_tier
sonnet-4-5 | {"seed":1,"logit_bias":{},"n":1,"store":true}         | {"seed":null,"store":null}         | logit_bias seed store
sonnet-4-5 | {"thinking":{"type":"adaptive"},"top_k":5}            | {"thinking":null,"top_k":null}     | thinking top_k
sonnet-4-5 | {"thinking":{"type":"enabled"}} | {"thinking":{"type":"enabled","budget_tokens":17777}} |

opus-5-5   | {"reasoning_effort":"high"}      | {"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}} |
opus-4-6   | {"reasoning_effort":"xhigh"}     | {"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}} | reasoning_effort
opus-5-5   | {"reasoning_effort":"minimal"}   | {"output_config":{"effort":"low"}}                | reasoning_effort
sonnet-4-5 | {"reasoning_effort":"medium","max_tokens":10000} | {"thinking":{"type":"enabled","budget_tokens":5000},"output_config":null} |
sonnet-4-5 | {"reasoning_effort":"max"}       | {"thinking":{"type":"enabled","budget_tokens":32000}} |
sonnet-4-5 | {"reasoning_effort":"max","max_tokens":2500}  | {"thinking":{"type":"enabled","budget_tokens":1476}} |
sonnet-4-5 | {"reasoning_effort":"high","max_tokens":2000} | {"thinking":null}                    | reasoning_effort
3-haiku    | {"reasoning_effort":"high"}      | {"thinking":null}                                 | reasoning_effort
3-haiku    | {"reasoning_effort":"none"}      | {"thinking":null}                                 |
sonnet-4-5 | {"reasoning_effort":"none"}      | {"thinking":null}                                 |
opus-5     | {"reasoning_effort":"none"}      | {"thinking":{"type":"disabled"}}                  |
sonnet-5-5 | {"reasoning_effort":"none"}      | {"thinking":{"type":"between_tools"}}             |
opus-5-5   | {"reasoning_effort":"none"}      | {"thinking":null,"output_config":{"effort":"low"}} | reasoning_effort
`;

const rows = ROWS.split("\n").flatMap((line) => {
  const [model, part, fields, dropped] = line.split(" | ").map((cell) => cell.replace(/\|$/, "").trim());
  return model && part && fields ? [[model, part, fields, dropped ?? ""] as const] : [];
});

function objectIn(cell: string): JsonObject {
  const value = parseJson(cell);
  if (!isObject(value)) throw new Error(`no JSON object: ${cell}`);
  return value;
}

test("the whole table is used", () => expect(rows).toHaveLength(34));

test.each(rows)("%s %s", (model, part, fields, dropped) => {
  const given: Partial<ChatRequest> = objectIn(part);
  const outgoing = sent(given, `claude-${model}`);
  for (const [field, value] of Object.entries(objectIn(fields))) {
    expect<unknown>(outgoing.body[field] ?? null).toEqual(value);
  }
  expect([...outgoing.dropped].sort().join(" ")).toBe(dropped);
});

test("a thinking budget is dropped in a tool loop that began without thinking, but effort is kept", () => {
  const loop = {
    reasoning_effort: "high" as const,
    tools: [weather],
    messages: [hi, calls("a"), result("a")],
  };
  expect(sent(loop)).toMatchObject({ body: {}, dropped: ["reasoning_effort"] });
  expect(sent(loop).body.thinking).toBeUndefined();
  expect(sent(loop, "claude-sonnet-4-6").body.thinking).toEqual({ type: "adaptive" });
});

test("a model that can't reason by its card gets no effort", () => {
  const card = { ...makeCard(NEWEST), capabilities: new Set<Capability>() };
  const outgoing = anthropic.chat.encode(makeRequest({ reasoning_effort: "high" }), card, target);
  expect(outgoing.body.output_config).toBeUndefined();
  expect(outgoing.dropped).toEqual(["reasoning_effort"]);
});

test("an unlisted model without a limit gets the documented default", () => {
  expect(anthropic.chat.encode(makeRequest({}), makeCard(CLASSIC, null), target).body.max_tokens).toBe(
    16_384,
  );
});

test("the operator's headers override ours", () => {
  const plain = sent({});
  expect(plain.url).toBe("https://api.example/v1/messages");
  expect(plain.headers).toEqual({ "x-api-key": "secret", "anthropic-version": "2023-06-01" });
  const headers = { "Anthropic-Beta": "one, two", "anthropic-version": "2030-01-01" };
  const own = makeHeaders({ ...target, secret: null, headers }, ["three"]);
  expect(own).toEqual({ "anthropic-version": "2030-01-01", "anthropic-beta": "one,two,three" });
});

test("old and new spellings of a model's name belong to the same generation", () => {
  const names: [string, Partial<Traits>][] = [
    ["claude-opus-4-20250514", { structured: false, samplingPair: true, thinking: "budget" }],
    ["claude-sonnet-4@20250514", { structured: false }],
    ["claude-3-5-haiku-latest", { thinking: "none", temperature: true }],
    ["claude-opus-4-1-20250805", { structured: true, samplingPair: false }],
    ["anthropic/claude-sonnet-4.6", { thinking: "adaptive", temperature: true, prefill: false }],
    ["claude-opus-5-20260724", { forcedUse: true, bindsThinking: false }],
    ["claude-haiku-5-5-20261001", { off: "disabled", bindsThinking: true }],
    ["claude-fable-5", { off: "never", forcedUse: true, bindsThinking: false }],
    ["claude-fable-5-2", { forcedUse: false, bindsThinking: true }],
    ["claude-someday-12", { temperature: false, forcedUse: false, off: "never" }],
    ["glm-4.6", { thinking: "budget", temperature: true, forcedUse: true, structured: true }],
  ];
  for (const [name, traits] of names)
    expect({ name, ...findTraits({ ...makeCard(NEWEST), name }) }).toMatchObject({ name, ...traits });
});
