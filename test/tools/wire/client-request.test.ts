// The version of a client's request, and the table of the newer era's headers, row by row.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { makeHeaderError, readVersion } from "../../../src/tools/wire/client-request.ts";
import { META, VERSIONS } from "../../../src/tools/wire/eras.ts";
import { findMethod, METHODS } from "../../../src/tools/wire/methods.ts";

const NEWER = "2026-07-28";

interface Given {
  readonly method?: string;
  readonly params?: JsonObject;
  /** The version in the body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function read({ method = "tools/list", params = {}, body, headers = {} }: Given) {
  const meta = body === undefined ? {} : { _meta: { [META.version]: body } };
  const read = readVersion({ method, params: { ...params, ...meta } }, (name) => headers[name] ?? null);
  return read.kind === "version" ? read.version : `${read.error.code} ${read.error.message}`;
}

const SENT = { "mcp-protocol-version": NEWER, "mcp-method": "tools/list" };

describe("the version", () => {
  test.each([
    ["without a word", {}, "2025-03-26"],
    ["2025-03-26", { headers: { "mcp-protocol-version": "2025-03-26" } }, "2025-03-26"],
    ["2025-06-18", { headers: { "mcp-protocol-version": "2025-06-18" } }, "2025-06-18"],
    ["2025-11-25", { headers: { "mcp-protocol-version": "2025-11-25" } }, "2025-11-25"],
    ["the newer", { body: NEWER, headers: SENT }, NEWER],
    ["an older one in the body", { body: "2025-11-25" }, "2025-11-25"],
    ["initialize, whatever it asks for", { method: "initialize", headers: SENT }, "2025-03-26"],
    ["initialize in the newer form", { method: "initialize", body: NEWER, headers: SENT }, "2025-03-26"],
  ] satisfies readonly (readonly [string, Given, string])[])("%s", (_name, given, version) => {
    expect(read(given)).toBe(version);
  });

  test("that nobody speaks is refused with those that are spoken", () => {
    const versions = VERSIONS.join(", ");
    expect(read({ headers: { "mcp-protocol-version": "2024-11-05" } })).toBe(
      `-32000 The version 2024-11-05 of the protocol is not supported. Supported are ${versions}.`,
    );
    const refused = readVersion(
      { method: "tools/list", params: { _meta: { [META.version]: "2030-01-01" } } },
      () => null,
    );
    expect(refused).toEqual({
      kind: "refused",
      error: {
        code: -32022,
        message: "Unsupported protocol version",
        data: { supported: VERSIONS, requested: "2030-01-01" },
      },
    });
  });
});

describe("a header of the newer era", () => {
  const call = { method: "tools/call", params: { name: "größe" }, body: NEWER } as const;
  const named = { "mcp-protocol-version": NEWER, "mcp-method": "tools/call" };
  const encoded = `=?base64?${Buffer.from("größe").toString("base64")}?=`;
  test.each([
    ["the version is missing", { body: NEWER, headers: {} }, "MCP-Protocol-Version is missing"],
    [
      "the version differs",
      { body: NEWER, headers: { "mcp-protocol-version": "2025-11-25" } },
      "MCP-Protocol-Version is 2025-11-25, and the body says 2026-07-28",
    ],
    ["the body's version is missing", { headers: SENT }, `_meta["${META.version}"] is missing in the body`],
    [
      "the method is missing",
      { body: NEWER, headers: { "mcp-protocol-version": NEWER } },
      "Mcp-Method is missing",
    ],
    ["the method differs", { body: NEWER, headers: named }, "Mcp-Method does not match the body"],
    [
      "the method's case differs",
      { ...call, headers: { ...named, "mcp-method": "Tools/call" } },
      "Mcp-Method does not match the body",
    ],
    ["the name is missing", { ...call, headers: named }, "Mcp-Name is missing"],
    [
      "the name differs",
      { ...call, headers: { ...named, "mcp-name": "other" } },
      "Mcp-Name does not match the body",
    ],
    [
      "the name is no ASCII",
      { ...call, headers: { ...named, "mcp-name": "größe" } },
      "Mcp-Name has invalid characters",
    ],
    [
      "the name is no base64",
      { ...call, headers: { ...named, "mcp-name": "=?base64?***?=" } },
      "Mcp-Name has invalid characters",
    ],
    [
      "the name is no UTF-8",
      { ...call, headers: { ...named, "mcp-name": "=?base64?/w==?=" } },
      "Mcp-Name has invalid characters",
    ],
    [
      "the sentinel's case differs",
      { ...call, headers: { ...named, "mcp-name": encoded.replace("base64", "BASE64") } },
      "Mcp-Name does not match the body",
    ],
    [
      "an address differs",
      {
        method: "resources/read",
        params: { uri: "file:///a" },
        body: NEWER,
        headers: { ...named, "mcp-method": "resources/read", "mcp-name": "file:///b" },
      },
      "Mcp-Name does not match the body",
    ],
  ] satisfies readonly (readonly [string, Given, string])[])("is refused if %s", (_name, given, mistake) => {
    expect(read(given)).toBe(`-32020 Header mismatch: ${mistake}`);
  });

  test("is taken encoded, and notifications need none", () => {
    expect(read({ ...call, headers: { ...named, "mcp-name": encoded } })).toBe(NEWER);
    const headers = { "mcp-protocol-version": NEWER };
    expect(read({ method: "notifications/cancelled", body: NEWER, headers })).toBe(NEWER);
  });
});

test("a mistake in a header has a code of its own", () => {
  expect(makeHeaderError("x")).toEqual({ code: -32020, message: "Header mismatch: x" });
});

test("each era has its methods", () => {
  const list = (era: "older" | "newer") =>
    Object.keys(METHODS).filter((method) => findMethod(method, era) !== null);
  const both = [
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
  ];
  expect(list("older").toSorted()).toEqual(["initialize", ...both].toSorted());
  expect(list("newer").toSorted()).toEqual(["server/discover", "subscriptions/listen", ...both].toSorted());
  for (const method of ["logging/setLevel", "completion/complete", "toString", "resources/subscribe"])
    expect(findMethod(method, "older")).toBeNull();
});
