// The queries that the admin routes refuse, whichever store there is.
import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { readQuery } from "../../src/admin/input.ts";
import { invalidValue } from "../../src/core/json/schema-fault.ts";

test("a query with U+0000, which PostgreSQL can't look for, is refused by name", () => {
  const schema = Type.Object({ q: Type.Optional(Type.String()) });
  expect(readQuery(schema, { q: "plain" })).toEqual({ q: "plain" });
  expect(() => readQuery(schema, { q: "a\0b" })).toThrow(/'q': expected a text without/);
});

test("a refusal that ends in a question has no stop behind it", () => {
  const { message } = invalidValue("target", "there is no such model; did you mean 'Acme#cheap'?");
  expect(message).toBe("Invalid 'target': there is no such model; did you mean 'Acme#cheap'?");
});
