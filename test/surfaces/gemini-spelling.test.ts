// Gemini's two spellings of a field: a request means the same in either, and the client's own names are kept.
import { expect, test } from "bun:test";
import { respell } from "../../src/surfaces/gemini/spelling.ts";

test("settings and tools get the documented spelling, at every depth", () => {
  const given = {
    contents: [{ parts: [{ text: "a_b" }] }],
    generation_config: { candidate_count: 3, thinking_config: { include_thoughts: true } },
    tools: [{ function_declarations: [{ name: "get_it", parameters_json_schema: { my_field: {} } }] }],
  };
  expect(respell(given)).toEqual({
    contents: [{ parts: [{ text: "a_b" }] }],
    generationConfig: { candidateCount: 3, thinkingConfig: { includeThoughts: true } },
    tools: [{ functionDeclarations: [{ name: "get_it", parametersJsonSchema: { my_field: {} } }] }],
  });
});

test("of a duplicate field the documented spelling wins, whatever the order", () => {
  const both = { generationConfig: { candidate_count: 9, candidateCount: 2 } };
  expect(respell(both)).toEqual({ generationConfig: { candidateCount: 2 } });
  const turned = { generationConfig: { candidateCount: 2, candidate_count: 9 } };
  expect(respell(turned)).toEqual({ generationConfig: { candidateCount: 2 } });
});
