// A tool server with everything that the scenarios of the protocol's conformance tests name.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type ReferenceServer, startSessions } from "../harness/reference-servers.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const IMAGE = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const AUDIO = { type: "audio" as const, data: SILENCE, mimeType: "audio/wav" };

function text(words: string) {
  return { type: "text" as const, text: words };
}

function embed(uri: string) {
  return {
    type: "resource" as const,
    resource: { uri, mimeType: "text/plain", text: "an embedded resource" },
  };
}

const RESULTS = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [IMAGE] },
  test_audio_content: { content: [AUDIO] },
  test_embedded_resource: { content: [embed("test://embedded-resource")] },
  test_multiple_content_types: { content: [text("several parts"), IMAGE, embed("test://mixed-content")] },
  test_error_handling: { content: [text("This tool intentionally returns an error")], isError: true },
  json_schema_2020_12_tool: { content: [text("done")] },
};
const RUN_HERE = [
  "test_tool_with_progress",
  "test_tool_with_logging",
  "test_sampling",
  "test_elicitation",
  "test_elicitation_sep1034_defaults",
  "test_elicitation_sep1330_enums",
];
const PLAIN_SCHEMA = { type: "object" as const };
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};
const PROMPTS = [
  { name: "test_simple_prompt", description: "without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "with arguments",
    arguments: ["arg1", "arg2"].map((name) => ({ name, required: true })),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "with a resource",
    arguments: [{ name: "resourceUri", required: true }],
  },
  { name: "test_prompt_with_image", description: "with a picture" },
];

function writePrompt(name: string, given: Readonly<Record<string, string>>) {
  const message = (content: ReturnType<typeof text> | typeof IMAGE | ReturnType<typeof embed>) => ({
    role: "user" as const,
    content,
  });
  const words = message(text(`A prompt with ${Object.values(given).join(" and ")}.`));
  if (name === "test_prompt_with_image") return { messages: [message(IMAGE), words] };
  if (name === "test_prompt_with_embedded_resource")
    return { messages: [message(embed(given.resourceUri ?? "")), words] };
  return { messages: [words] };
}

function readResource(uri: string) {
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PIXEL }] };
  const id = /^test:\/\/template\/(.*)\/data$/.exec(uri)?.[1];
  return { contents: [{ uri, mimeType: "text/plain", text: id ?? "static text" }] };
}

function serveResources(server: Server): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: ["test://static-text", "test://static-binary"].map((uri) => ({ uri, name: uri })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: PROMPTS }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    writePrompt(params.name, params.arguments ?? {}),
  );
}

function serveTools(server: Server): void {
  const names = [...Object.keys(RESULTS), ...RUN_HERE];
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({
      name,
      description: name,
      inputSchema: name.startsWith("json_schema") ? SCHEMA_2020_12 : PLAIN_SCHEMA,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const known = Object.entries(RESULTS).find(([name]) => name === params.name)?.[1];
    if (known) return known;
    const progressToken = params._meta?.progressToken;
    if (params.name === "test_tool_with_progress" && progressToken !== undefined)
      for (const progress of [0, 50, 100])
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
    if (params.name === "test_tool_with_logging")
      for (const data of ["one", "two", "three"])
        await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
    if (params.name === "test_sampling") {
      const messages = [{ role: "user" as const, content: text("a question") }];
      const asked = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
      await extra.sendRequest(asked, CreateMessageResultSchema);
    }
    if (params.name.startsWith("test_elicitation")) {
      const requestedSchema = { type: "object" as const, properties: {} };
      const asked = { message: "a question", requestedSchema };
      await extra.sendRequest({ method: "elicitation/create", params: asked }, ElicitResultSchema);
    }
    return { content: [text("done")] };
  });
}

/** Starts it with sessions, and events as answers. */
export function startConformanceServer(): ReferenceServer {
  return startSessions(() => {
    const server = new Server(
      { name: "conformance", version: "1" },
      { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } },
    );
    serveTools(server);
    serveResources(server);
    return server;
  });
}
