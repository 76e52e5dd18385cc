// Messages that make no sense, from either side: each is read as something, and none is thrown at.
import { expect, test } from "bun:test";
import "../../../src/core/json/exact.ts";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { buildMirror } from "../../../src/tools/mirror.ts";
import { findAskedBack, findNeeded } from "../../../src/tools/wire/asking-back.ts";
import { fitResult, nameResources } from "../../../src/tools/wire/client-answers.ts";
import { readVersion } from "../../../src/tools/wire/client-request.ts";
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/tools/wire/encoded-value.ts";
import { readHeaderParameters, writeParameters } from "../../../src/tools/wire/header-parameters.ts";
import { readMessage } from "../../../src/tools/wire/rpc.ts";
import { readDiscover, readInitialize } from "../../../src/tools/wire/server-facts.ts";

const MESSAGES = 5000;
const WORDS = [
  "jsonrpc",
  "2.0",
  "id",
  "method",
  "params",
  "result",
  "error",
  "code",
  "_meta",
  "name",
  "inputSchema",
  "type",
  "object",
  "string",
  "properties",
  "x-mcp-header",
  "items",
  "execution",
  "taskSupport",
  "required",
  "resultType",
  "input_required",
  "inputRequests",
  "task",
  "content",
  "contents",
  "messages",
  "resource",
  "resource_link",
  "uri",
  "supportedVersions",
  "capabilities",
  "protocolVersion",
  "2026-07-28",
  "serverInfo",
  "__proto__",
  "constructor",
  "\u202e",
  "\ud800",
  "",
] as const;

/** The same numbers for the same seed. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function makeValue(draw: (below: number) => number, depth: number): unknown {
  const kind = draw(depth > 4 ? 6 : 9);
  const word = () => WORDS[draw(WORDS.length)] ?? "";
  if (kind <= 2) return word();
  if (kind === 3) return draw(2) === 0 ? -32_021 - draw(3) : draw(1000) / 7;
  if (kind === 4) return draw(2) === 0;
  if (kind === 5) return draw(2) === 0 ? null : BigInt("12345678901234567890");
  if (kind === 6) return Array.from({ length: draw(4) }, () => makeValue(draw, depth + 1));
  const entries = Array.from({ length: draw(8) }, () => [word(), makeValue(draw, depth + 1)] as const);
  return Object.fromEntries(entries);
}

function makeObject(draw: (below: number) => number): JsonObject {
  const value = makeValue(draw, 0);
  if (isObject(value))
    return draw(2) === 0 ? value : { ...value, jsonrpc: "2.0", method: makeValue(draw, 4) };
  return { jsonrpc: "2.0", params: value, result: value, inputSchema: value };
}

test(`${MESSAGES} of them`, () => {
  const draw = createNumbers(7);
  const kinds = new Map<string, number>();
  for (let at = 0; at < MESSAGES; at++) {
    const value = makeObject(draw);
    const { kind } = readMessage(value);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const { tools, leftOut } = buildMirror({
      tools: [value, makeValue(draw, 0)],
      prompts: [value],
      resources: [value],
      templates: [value],
    });
    expect(tools.size + leftOut.length).toBe(2);
    for (const { members } of tools.values()) JSON.parse(`{${members}}`);
    const parameters = readHeaderParameters(value);
    if (typeof parameters !== "string") writeParameters(parameters, value);
    JSON.stringify(fitResult(value, "tools/call", at % 2 === 0 ? "older" : "newer"));
    JSON.stringify(nameResources(value, "server"));
    findAskedBack(value);
    findNeeded({ code: -32_021, message: "", data: value });
    readDiscover(value);
    readInitialize(value, false);
    readVersion({ method: String(value.method), params: value }, (name) => WORDS[name.length] ?? null);
  }
  expect(kinds.size).toBeGreaterThan(1);
});

test("texts in headers are read back as they were, but for lone surrogates", () => {
  const draw = createNumbers(11);
  for (let at = 0; at < MESSAGES; at++) {
    const codes = Array.from({ length: draw(12) }, () => draw(draw(3) === 0 ? 0x300 : 0x80));
    const text = `${String.fromCharCode(...codes)}${draw(9) === 0 ? WORDS[draw(WORDS.length)] : ""}`;
    const header = encodeHeaderValue(text);
    expect(header).toMatch(/^[\x20-\x7e\t]*$/);
    expect(decodeHeaderValue(header)).toBe(text.toWellFormed());
  }
});
