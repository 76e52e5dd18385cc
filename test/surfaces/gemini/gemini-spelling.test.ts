// The spellings of Gemini's fields: a request means the same in each, and the client's own names are kept.
import { expect, test } from "bun:test";
import { respellRequest } from "../../../src/surfaces/gemini/spelling.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { incoming } from "../recorded.ts";

test("settings and tools get the documented spelling, at every depth", () => {
  const given = {
    contents: [{ parts: [{ text: "a_b" }] }],
    generation_config: { candidate_count: 3, thinking_config: { include_thoughts: true } },
    tools: [{ function_declarations: [{ name: "get_it", parameters_json_schema: { my_field: {} } }] }],
  };
  expect(respellRequest(given)).toEqual({
    contents: [{ parts: [{ text: "a_b" }] }],
    generationConfig: { candidateCount: 3, thinkingConfig: { includeThoughts: true } },
    tools: [{ functionDeclarations: [{ name: "get_it", parametersJsonSchema: { my_field: {} } }] }],
  });
});

test("of a duplicate field the documented spelling wins, whatever the order", () => {
  const both = { generationConfig: { candidate_count: 9, candidateCount: 2 } };
  expect(respellRequest(both)).toEqual({ generationConfig: { candidateCount: 2 } });
  const turned = { generationConfig: { candidateCount: 2, candidate_count: 9 } };
  expect(respellRequest(turned)).toEqual({ generationConfig: { candidateCount: 2 } });
});

test("a list of one object may be written as the object", () => {
  const parameters = { type: "object", properties: { tools: { type: "string" } } };
  const body = {
    contents: { role: "user", parts: { text: "a" } },
    tools: { function_declarations: { name: "f", parameters } },
  };
  const { ask, raw } = GEMINI.read(incoming(body, "/v1beta/models/m:generateContent"));
  expect(ask.messages).toEqual([{ role: "user", content: [{ type: "text", text: "a" }] }]);
  expect(ask.tools).toEqual([{ type: "function", function: { name: "f", parameters } }]);
  expect(raw?.body).toEqual({
    contents: [{ role: "user", parts: [{ text: "a" }] }],
    tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
  });
});

test("the mode of calling may be in lower case", () => {
  const read = (mode: string) => {
    const toolConfig = { functionCallingConfig: { mode } };
    const body = {
      contents: [{ parts: [{ text: "a" }] }],
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig,
    };
    return GEMINI.read(incoming(body, "/v1beta/models/m:generateContent")).ask.tool_choice;
  };
  expect(["any", "ANY", "none", "auto"].map(read)).toEqual(["required", "required", "none", "auto"]);
});
