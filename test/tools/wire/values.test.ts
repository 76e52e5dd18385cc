// Values in headers of the newer era: encoded, read back, and compared with a call's arguments.
import { describe, expect, test } from "bun:test";
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/tools/wire/encoded-value.ts";
import {
  compareParameters,
  readHeaderParameters,
  writeParameters,
} from "../../../src/tools/wire/header-parameters.ts";

describe("a value", () => {
  // The first five are the specification's own examples (2026-07-28, "Value Encoding").
  test.each([
    ["us-west1", "us-west1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["a\tb", "a\tb"],
    ["", ""],
    ["x", "x"],
    ["\u0000", "=?base64?AA==?="],
  ])("%j is sent as %j", (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  test.each(["größe", " x", "x ", "\u007f", "=?base64?A?=", "=?base64?A===?=", "=?base64?gICA?="])(
    "%j is no value",
    (header) => {
      expect(decodeHeaderValue(header)).toBeNull();
    },
  );
});

describe("arguments in headers", () => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "count" },
      isDry: { type: "boolean", "x-mcp-header": "Dry" },
      place: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
      "x-mcp-header": { type: "string", default: { "x-mcp-header": "no annotation" } },
    },
  };
  const parameters = readHeaderParameters(schema);
  if (typeof parameters === "string") throw new Error(parameters);
  const given = { region: "größe", count: 42, isDry: false, place: { city: "Ulm" } };

  test("are written by their paths, and left out where there is none", () => {
    expect(writeParameters(parameters, given)).toEqual({
      "mcp-param-region": "=?base64?Z3LDtsOfZQ==?=",
      "mcp-param-count": "42",
      "mcp-param-dry": "false",
      "mcp-param-city": "Ulm",
    });
    expect(writeParameters(parameters, { region: null, count: 1.5, place: "Ulm" })).toEqual({});
  });

  test.each([
    [{}, null],
    [{ "mcp-param-count": "42.0" }, null],
    [{ "mcp-param-count": "43" }, "mcp-param-count does not match the argument"],
    [{ "mcp-param-count": undefined }, "mcp-param-count is missing"],
    [{ "mcp-param-dry": "False" }, "mcp-param-dry does not match the argument"],
    [{ "mcp-param-city": "größe" }, "mcp-param-city has invalid characters"],
  ])("sent as %j: %p", (changed, mistake) => {
    const headers: Readonly<Record<string, string | undefined>> = {
      ...writeParameters(parameters, given),
      ...changed,
    };
    expect(compareParameters(parameters, given, (name) => headers[name] ?? null)).toBe(mistake);
  });

  test("that aren't given must not be sent", () => {
    const sent = (name: string) => (name === "mcp-param-city" ? "Ulm" : null);
    expect(compareParameters(parameters, {}, sent)).toBe("mcp-param-city does not match the argument");
  });

  test.each([
    [{ properties: { a: { type: "string", "x-mcp-header": "" } } }, "is no header's name"],
    [{ properties: { a: { type: "string", "x-mcp-header": "a b" } } }, "is no header's name"],
    [{ properties: { a: { type: "object", "x-mcp-header": "A" } } }, "no string, integer or boolean"],
    [
      { properties: { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } } },
      "alone don't lead",
    ],
    [{ anyOf: [{ properties: { a: { type: "string", "x-mcp-header": "A" } } }] }, "alone don't lead"],
    [{ $defs: { a: { type: "string", "x-mcp-header": "A" } } }, "alone don't lead"],
    [
      {
        properties: {
          a: { type: "string", "x-mcp-header": "A" },
          b: { type: "string", "x-mcp-header": "a" },
        },
      },
      "names a header twice",
    ],
  ])("%j: the tool is left out", (wrong, reason) => {
    expect(readHeaderParameters({ type: "object", ...wrong })).toContain(reason);
  });
});
