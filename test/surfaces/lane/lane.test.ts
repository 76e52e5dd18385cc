// The families' tables row by row: references to the provider's account are refused, and fields that change the price
// are dropped, at any depth.

import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { createSealer, createVault } from "../../../src/keys/vault.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import * as messages from "../../../src/surfaces/anthropic-messages/lane.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import * as gemini from "../../../src/surfaces/gemini/lane.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import * as responses from "../../../src/surfaces/openai-responses/lane.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import { isOurSignature, openSignature, signThinking } from "../../../src/surfaces/signature.ts";
import type { Surface } from "../../../src/surfaces/surface.ts";
import { incoming } from "../recorded.ts";

interface Family {
  readonly name: string;
  readonly surface: Surface<ChatForm>;
  readonly path: string;
  readonly body: JsonObject;
  readonly rows: readonly { readonly field: string; readonly treatment: string }[];
  /** Bodies with such references at a deeper level, by the field that the error names. */
  readonly nested: Readonly<Record<string, JsonObject>>;
  /** Tools that the provider would run at a price that no card has. */
  readonly priced: JsonObject;
}

const file = { type: "document", source: { type: "file", file_id: "file_1" } };
const uri = {
  fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/1", mimeType: "text/plain" },
};

const FAMILIES: readonly Family[] = [
  {
    name: "messages",
    surface: ANTHROPIC_MESSAGES,
    path: "/v1/messages",
    body: { model: "m", max_tokens: 10, messages: [{ role: "user", content: "a" }] },
    rows: messages.BODY.rows,
    nested: {
      "messages[0].content[0].source.file_id": { messages: [{ role: "user", content: [file] }] },
      "messages[0].content[0].content[0].source.file_id": {
        messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [file] }] }],
      },
      "messages[0].content[0].content[0].screenshot.source.file_id": {
        messages: [
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [{ type: "browser_state", screenshot: { type: "image", source: file.source } }],
              },
            ],
          },
        ],
      },
      "messages[0].content[0].file_id": {
        messages: [{ role: "user", content: [{ type: "container_upload", file_id: "file_1" }] }],
      },
      "tools[0]": { tools: [{ type: "mcp_toolset", mcp_server_name: "a" }] },
    },
    priced: { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
  },
  {
    name: "responses",
    surface: OPENAI_RESPONSES,
    path: "/v1/responses",
    body: { model: "m", input: "a" },
    rows: responses.BODY.rows,
    nested: {
      "input[0]": { input: [{ type: "item_reference", id: "msg_1" }] },
      "input[0].content[0].file_id": {
        input: [{ role: "user", content: [{ type: "input_image", file_id: "file_1" }] }],
      },
      "input[0].output[0].file_id": {
        input: [
          { type: "function_call_output", call_id: "c", output: [{ type: "input_file", file_id: "f" }] },
        ],
      },
      "tools[0]": { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
      "input[0].tools[0]": {
        input: [{ type: "additional_tools", role: "developer", tools: [{ type: "mcp", server_label: "a" }] }],
      },
      background: { background: true },
    },
    priced: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
  },
  {
    name: "gemini",
    surface: GEMINI,
    path: "/v1beta/models/m:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "a" }] }] },
    rows: gemini.BODY.rows,
    nested: {
      "contents[0].parts[0].fileData": { contents: [{ role: "user", parts: [uri] }] },
      "contents[0].parts.fileData": {
        contents: [{ role: "user", parts: { fileData: { file_uri: "files/1" } } }],
      },
      "contents[0].parts[0].functionResponse.parts[0].file_data": {
        contents: [
          {
            role: "user",
            parts: [
              {
                functionResponse: {
                  name: "f",
                  response: { fileUri: "files/1" },
                  parts: [{ file_data: { fileUri: " gs://bucket/1" } }],
                },
              },
            ],
          },
        ],
      },
      "systemInstruction.parts[0].fileData": {
        system_instruction: {
          parts: [{ fileData: { fileUri: "http://generativelanguage.googleapis.com:80/v1/f" } }],
        },
      },
      "tools[0].fileSearch": { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }] },
    },
    priced: { tools: [{ codeExecution: {} }] },
  },
];

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

for (const { name, surface, path, body, rows, nested, priced } of FAMILIES) {
  describe(name, () => {
    const read = (more: JsonObject) => surface.read(incoming({ ...body, ...more }, path));

    test.each(rows.filter(({ treatment }) => treatment === "refuse").map(({ field }) => [field]))(
      "%s names what lies in the provider's account",
      (field) => {
        const fault = faultOf(() => read({ [field]: "obj_1" }));
        expect([fault.code, fault.details.param]).toEqual(["unsupported_parameter", field]);
      },
    );

    test.each(Object.keys(nested))("%s names it at a deeper level", (param) => {
      const fault = faultOf(() => read(nested[param] ?? {}));
      expect([fault.code, fault.details.param]).toEqual(["unsupported_parameter", param]);
    });

    test.each(rows.filter(({ treatment }) => treatment === "drop").map(({ field }) => [field]))(
      "%s is left out in both lanes, and named",
      (field) => {
        const { dropped, raw, ask } = read({ [field]: "fast" });
        expect(dropped).toEqual([field]);
        expect([raw?.body[field], ask[field]]).toEqual([undefined, undefined]);
      },
    );

    test("a tool that the provider would run at its own price is dropped and named", () => {
      const { dropped, raw } = read(priced);
      expect(dropped).toHaveLength(1);
      expect(raw?.body.tools).toBeUndefined();
    });
  });
}

test.each([0, -1, 1.5, "5"])("a limit of searches must be a count: %p", (max_uses) => {
  const tools = [{ type: "web_search_20250305", name: "web_search", max_uses }];
  const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "a" }], tools };
  expect(faultOf(() => ANTHROPIC_MESSAGES.read(incoming(body))).details.param).toBe("tools[0].max_uses");
});

test.each(["tool_use", "server_tool_use", "mcp_tool_use"])(
  "a file named in the input of a %s passes",
  (type) => {
    const call = {
      type,
      id: "toolu_1",
      name: "open",
      input: { file_id: "file_1", files: [{ file_id: "file_2" }] },
    };
    const message = { role: "assistant", content: [call] };
    expect(messages.applyLane({ messages: [message] }, {}).body.messages).toEqual([message]);
  },
);

test("tool servers can be named if the operator allows it", () => {
  const allowing = (body: JsonObject) => ({
    ...incoming(body),
    limits: { choicesMax: 1, messagesMax: 10, remoteTools: true },
  });
  const mcp = { type: "mcp", server_label: "a", server_url: "https://a.test" };
  expect(OPENAI_RESPONSES.read(allowing({ model: "m", input: "a", tools: [mcp] })).raw?.body.tools).toEqual([
    mcp,
  ]);
  const servers = [{ type: "url", url: "https://a.test", name: "a" }];
  const message = {
    model: "m",
    max_tokens: 1,
    messages: [{ role: "user", content: "a" }],
    mcp_servers: servers,
  };
  expect(ANTHROPIC_MESSAGES.read(allowing(message)).raw?.body.mcp_servers).toEqual(servers);
});

test("what was signed for one account is invalid for another", () => {
  const vault = createVault(new Uint8Array(32).fill(1), { bytes: (count) => new Uint8Array(count).fill(2) });
  const own = createSealer(vault, "acct_a");
  const other = createSealer(vault, "acct_b");
  const details = [{ type: "reasoning.encrypted", data: "secret", format: "x" }] as const;
  const signature = signThinking(own, "thought", details);
  expect(isOurSignature(signature)).toBe(true);
  expect(signature).not.toContain("secret");
  expect(openSignature(own, "thought", signature)).toEqual([...details]);
  expect(openSignature(other, "thought", signature)).toBeNull();
  expect(openSignature(own, "thought", `${signature.slice(0, -4)}AAAA`)).toBeNull();
});
