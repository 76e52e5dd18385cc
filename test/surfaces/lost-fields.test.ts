// Fields of a request that no translation carries: they are named, whether or not the gateway has heard of them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { makeRequest, type Way } from "../steps/asked.ts";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest();
});
afterAll(() => world.stop());

async function listDropped(surface: Way["surface"], fields: JsonObject) {
  const [path, body] = makeRequest({ surface, provider: "Local", stream: false, native: null }, "say: hi");
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": world.secret },
    body: JSON.stringify({ ...body, ...fields }),
  });
  await response.text();
  return [response.status, response.headers.get("x-poundkey-dropped")?.split(", ") ?? []];
}

const ROWS: readonly (readonly [Way["surface"], JsonObject, readonly string[]])[] = [
  ["chat", { from_next_year: 1 }, ["from_next_year"]],
  ["messages", { from_next_year: 1, context_management: {} }, ["from_next_year", "context_management"]],
  [
    "messages",
    {
      metadata: { user_id: "u", team: "t" },
      thinking: { type: "adaptive", display: "omitted" },
      output_config: { task_budget: {}, later: null },
    },
    ["metadata.team", "thinking.display", "output_config.task_budget"],
  ],
  ["responses", { from_next_year: true, client_metadata: {} }, ["from_next_year", "client_metadata"]],
  ["responses", { reasoning: { context: "all" }, text: { tone: "dry" } }, ["reasoning.context", "text.tone"]],
  ["responses", { reasoning: { effort: "loud" }, truncation: "some" }, ["truncation", "reasoning.effort"]],
  ["responses", { text: { format: { type: "xml" } } }, ["text.format"]],
  [
    "messages",
    { thinking: { type: "perhaps" }, output_config: { effort: "loud", format: { type: "xml" } } },
    ["thinking", "output_config.effort", "output_config.format"],
  ],
  [
    "gemini",
    {
      generationConfig: { thinkingConfig: { thinkingLevel: "LOUD" } },
      toolConfig: { functionCallingConfig: { mode: "MAYBE" } },
    },
    ["generationConfig.thinkingConfig", "toolConfig"],
  ],
  [
    "gemini",
    { fromNextYear: 1, toolConfig: { retrievalConfig: {} } },
    ["fromNextYear", "toolConfig.retrievalConfig"],
  ],
];

describe("translated for another family", () => {
  test.each(ROWS)("%s %j", async (surface, fields, names) => {
    expect(await listDropped(surface, fields)).toEqual([200, [...names]]);
  });

  test.each<[Way["surface"], JsonObject]>([
    [
      "messages",
      {
        system: "s",
        thinking: { type: "adaptive" },
        top_k: 3,
        metadata: { user_id: "u" },
        stop_sequences: ["x"],
        service_tier: null,
      },
    ],
    [
      "responses",
      {
        instructions: "s",
        metadata: { a: "b" },
        include: ["reasoning.encrypted_content"],
        store: false,
        truncation: "disabled",
        stream_options: { include_obfuscation: false },
        previous_response_id: null,
      },
    ],
    [
      "gemini",
      { systemInstruction: { parts: [{ text: "s" }] }, toolConfig: {}, generationConfig: { topK: 3 } },
    ],
    ["responses", { text: { format: { type: "text" } }, reasoning: { effort: null } }],
    ["gemini", { toolConfig: { functionCallingConfig: { mode: "auto" } } }],
  ])("%s: what is read is not named", async (surface, fields) => {
    expect(await listDropped(surface, fields)).toEqual([200, []]);
  });
});
