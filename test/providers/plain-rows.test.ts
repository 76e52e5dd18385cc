// A listed provider is its vendor's rules, and its row says where and in which month they were read: one that is asked just as a
// server without any fails here, unless its row says where that was read, and when.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { EFFORTS } from "../../src/core/models/words/efforts.ts";
import { CHAT_FIELDS } from "../../src/dialects/_chat/outgoing.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { makeOpenaiDialect } from "../../src/dialects/openai/dialect.ts";
import { PLAIN } from "../../src/dialects/openai/quirks.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import type { ProviderRow } from "../../src/providers/provider.ts";
import { encoded, functionTool, makeCard } from "../dialects/cases/drive.ts";
import { ALL, jsonSchema, named, tools } from "../dialects/cases/openai-cases.ts";

const PLAIN_DIALECT = makeOpenaiDialect(PLAIN);

const VALUES: JsonObject = { stop: ["a", "b", "c", "d"], temperature: 2, top_p: 0, user: "u", metadata: {} };
const ASKED: ReadonlySet<string> = new Set(["model", "messages"]);
const SCHEMA = { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" } } };
const called = {
  role: "assistant" as const,
  content: null,
  reasoning_content: "Hm",
  reasoning_details: [{ type: "reasoning.text", text: "Hm" }],
  tool_calls: [{ id: "c1", type: "function" as const, function: { name: "look", arguments: "{}" } }],
};
const user = { role: "user" as const, content: "Hi", name: "ann" };

/** Requests of which a server with rules of its own gets at least one in another form. */
const PROBES: readonly Partial<ChatRequest>[] = [
  ...[...CHAT_FIELDS].filter((field) => !ASKED.has(field)).map((field) => ({ [field]: VALUES[field] ?? 1 })),
  ...EFFORTS.map((reasoning_effort) => ({ reasoning_effort })),
  ...(["none", "required", named] as const).map((tool_choice) => ({ tools, tool_choice })),
  { tools: [functionTool("look", true)], stream: true },
  { tools: [{ type: "function", function: { name: "21st", parameters: SCHEMA } }] },
  { tools: [{ type: "function", function: { name: "bare" } }] },
  { tools, response_format: jsonSchema },
  { response_format: jsonSchema },
  { messages: [user, called, { role: "tool", tool_call_id: "c1", content: "seen" }] },
  { messages: [{ role: "system", content: "a" }, { role: "system", content: "b" }, user] },
  {
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x.example/a" } }] }],
  },
];

function probe(dialect: Dialect, name: string): readonly unknown[] {
  return PROBES.map((request) => {
    try {
      const { body, dropped } = encoded(dialect, request, makeCard(name, ALL));
      return { body, dropped };
    } catch (thrown) {
      return String(thrown);
    }
  });
}

/** True if every probe leaves as to a server without rules, whatever the model. */
function isPlain({ dialects }: Pick<ProviderRow, "dialects">): boolean {
  return dialects.every(
    (dialect) =>
      dialect.name === "openai" && Bun.deepEquals(probe(dialect, "any"), probe(PLAIN_DIALECT, "any")),
  );
}

function findFault(row: Pick<ProviderRow, "dialects" | "plain" | "source">): string | null {
  const { plain, source } = row;
  if (plain !== undefined) {
    if (!isPlain(row)) return "says that it is plain, and isn't";
    const isSourced = URL.canParse(plain.reference) && /^\d{4}-\d\d-\d\d$/.test(plain.read);
    return isSourced ? null : "says that it is plain, but not where and when that was read";
  }
  if (isPlain(row)) return "has no rule of its own: add the vendor's, or say where you read that it has none";
  const isSourced =
    source !== undefined && URL.canParse(source.reference) && /^20\d\d-(0[1-9]|1[0-2])$/.test(source.seen);
  return isSourced ? null : "says not where and in which month its rules were read";
}

describe("a provider's row", () => {
  test.each(PROVIDERS)("$name is its vendor's rules", (row) => {
    expect(findFault(row)).toBeNull();
  });

  const NAMELESS = makeOpenaiDialect({ ...PLAIN, names: false });
  const source = { reference: "https://vendor.example/docs", seen: "2026-11" };
  const read = { reference: "https://vendor.example/docs", read: "2026-11-29" };
  test.each([
    ["without a rule", { dialects: [PLAIN_DIALECT] }, /no rule of its own/],
    ["without a rule, as it says", { dialects: [PLAIN_DIALECT], plain: read }, null],
    ["without a rule, read on no day", { dialects: [PLAIN_DIALECT], plain: { ...read, read: "" } }, /when/],
    ["with one", { dialects: [NAMELESS], source }, null],
    ["with one, read nowhere", { dialects: [NAMELESS] }, /where and in which month/],
    ["with one, read in no month", { dialects: [NAMELESS], source: { ...source, seen: "2026" } }, /month/],
    ["with one, though it says otherwise", { ...PROVIDERS[0], plain: read }, /and isn't/],
  ] as const)("%s", (_name, row, fault) => {
    const found = findFault({ dialects: [], ...row });
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatch(fault);
  });
});
