// Shared by the tests of the OpenAI dialect: a request sent to one of the table's providers, and rows of such requests.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Capability } from "../../../src/core/models/card.ts";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { findDialect, PROVIDERS } from "../../../src/providers/index.ts";
import { encoded, functionTool, makeCard } from "./drive.ts";

export const ALL: readonly Capability[] = ["tools", "vision", "files", "audio", "structured", "reasoning"];
export const tools = [functionTool("look")];
export const named = { type: "function", function: { name: "look" } } as const;
const schema = { type: "object", properties: { a: { type: "string" } } };
export const jsonSchema = { type: "json_schema", json_schema: { name: "answer", schema } } as const;

/** Returns the dialect of a known provider, and for any other name that of a configured server. */
export function findProviderDialect(provider: string): Dialect {
  return PROVIDERS.find(({ name }) => name === provider)?.dialects[0] ?? findDialect("openai");
}

/** Returns the request for a card `<Provider>#<name>` that can do everything. */
export function sent(id: string, request: Partial<ChatRequest>, output?: number): Outgoing {
  const [provider = "", name = ""] = id.split("#");
  return encoded(findProviderDialect(provider), request, makeCard(name, ALL, output));
}

/** Card, request, fields of the body (undefined if absent), and the dropped ones in order, separated by spaces. */
export type Row = readonly [string, Partial<ChatRequest>, JsonObject?, string?];

export function testRows(rows: readonly Row[], check: (body: JsonObject, name: string) => void = () => {}) {
  for (const [id, request, body = {}, dropped = ""] of rows) {
    test(`${id} ${JSON.stringify(request).slice(0, 90)}`, () => {
      const outgoing = sent(id, request);
      const fields = Object.fromEntries(Object.keys(body).map((field) => [field, outgoing.body[field]]));
      expect(fields).toEqual(body);
      expect(outgoing.dropped.join(" ")).toBe(dropped);
      for (const field of outgoing.dropped) {
        if (!(field in body)) expect(outgoing.body[field]).toBeUndefined();
      }
      check(outgoing.body, id.split("#")[1] ?? "");
    });
  }
}
