// Inline files without a name or its ending, which OpenAI's APIs refuse: from every surface and out of tools' results, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { AskedSurface } from "../world/surface-asking.ts";
import { CHAT, startVendors, type Vendors } from "../world/vendor-rules.ts";

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());

describe("files without a name", () => {
  const PDF = Buffer.from("%PDF-1.4 a report").toString("base64");
  const ASK = "say: good day";
  const document = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: PDF },
  };
  const read = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
  const url = `data:application/pdf;base64,${PDF}`;
  const BODIES: Readonly<Record<string, readonly [AskedSurface, JsonObject]>> = {
    "a chat's part": [
      "chat",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: ASK },
              { type: "file", file: { file_data: url } },
            ],
          },
        ],
      },
    ],
    "a chat's result": [
      "chat",
      {
        messages: [
          { role: "user", content: "Read it." },
          { role: "assistant", content: null, tool_calls: [read] },
          { role: "tool", tool_call_id: "call_1", content: [{ type: "file", file: { file_data: url } }] },
          { role: "user", content: ASK },
        ],
      },
    ],
    "a document of Messages": [
      "messages",
      { messages: [{ role: "user", content: [document, { type: "text", text: ASK }] }] },
    ],
    "a document in a result of Messages": [
      "messages",
      {
        messages: [
          { role: "user", content: "Read it." },
          { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "read", input: {} }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "call_1", content: [document] },
              { type: "text", text: ASK },
            ],
          },
        ],
      },
    ],
    "a part of Gemini's": [
      "gemini",
      {
        contents: [
          {
            role: "user",
            parts: [{ text: ASK }, { inlineData: { mimeType: "application/pdf", data: PDF } }],
          },
        ],
      },
    ],
    "a part of Responses": [
      "responses",
      {
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: ASK },
              { type: "input_file", file_data: url },
            ],
          },
        ],
      },
    ],
    "a document of Interactions": [
      "interactions",
      {
        input: [
          { type: "text", text: ASK },
          { type: "document", mime_type: "application/pdf", data: PDF },
        ],
      },
    ],
  };
  /** OpenAI and Azure answer Responses themselves. */
  const CELLS = Object.entries(BODIES).flatMap(([from, [surface, body]]) =>
    ["OpenAI#gpt-4.1", "Azure#gpt-4.1", "Local#gpt-4.1"]
      .filter((model) => surface !== "responses" || model.startsWith("Local#"))
      .map((model) => ({ from, surface, body, model })),
  );

  test.each(CELLS)("$from is named for $model", async ({ surface, body, model }) => {
    for (const stream of [false, true]) {
      const answer = await vendors.ask(surface, model, body, stream);
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("good"), paths: [CHAT] });
      const parts = asArray(answer.sent.messages).flatMap((message) => asArray(asObject(message).content));
      const files = parts.map((part) => asObject(part).file).filter((file) => file !== undefined);
      expect(files).toEqual([{ file_data: url, filename: "file.pdf" }]);
    }
  });

  test("a name gets an ending after the file's type, and a client's own name stays", async () => {
    const text = `data:text/csv;base64,${Buffer.from("a,b").toString("base64")}`;
    const parts = [
      { type: "text", text: ASK },
      { type: "file", file: { file_data: text } },
      { type: "file", file: { file_data: url, filename: "" } },
      { type: "file", file: { file_data: url, filename: "mine.pdf" } },
      { type: "file", file: { file_data: url, filename: "Report v1.2 of May" } },
      { type: "file", file: { file_data: text, filename: "numbers" } },
      { type: "file", file: { file_data: "data:application/zip;base64,UEsDBA==", filename: "archive" } },
    ];
    const { sent } = await vendors.ask(
      "chat",
      "OpenAI#gpt-4.1",
      { messages: [{ role: "user", content: parts }] },
      false,
    );
    const [message] = asArray(sent.messages);
    const names = asArray(asObject(message).content).map((part) => asObject(asObject(part).file).filename);
    expect(names).toEqual([
      ...[undefined, "file.csv", "file.pdf", "mine.pdf"],
      ...["Report v1.2 of May.pdf", "numbers.csv", "archive"],
    ]);
  });
});
