// Conversations with every type of item of the Responses API, and the places where a connection may cut them.

const say = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = `data:application/pdf;base64,${Buffer.from("%PDF-1.4\n%%EOF").toString("base64")}`;

export interface Conversation {
  readonly name: string;
  readonly items: readonly object[];
  readonly tools?: readonly object[];
}

const FUNCTION = {
  type: "function",
  name: "read",
  description: "Reads",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  strict: false,
};
const call = (id: string, type = "function_call", more: object = { arguments: '{"path":"a"}' }) => ({
  type,
  call_id: id,
  name: "read",
  ...more,
});

export const CONVERSATIONS: readonly Conversation[] = [
  {
    name: "messages with phases",
    items: [
      { type: "message", role: "developer", content: "Be brief." },
      say("hi"),
      {
        type: "message",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "Looking." }],
      },
      {
        type: "message",
        role: "assistant",
        phase: "final_answer",
        content: [{ type: "output_text", text: "Seen.", annotations: [] }],
      },
    ],
  },
  {
    name: "short forms of messages",
    items: [
      { role: "system", content: "Rules." },
      { role: "user", content: "hi" },
      { role: "assistant", content: "ho" },
    ],
  },
  {
    name: "pictures",
    items: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "see" },
          { type: "input_image", image_url: PICTURE, detail: "low" },
        ],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "a dot" }] },
    ],
  },
  {
    name: "files",
    items: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_file", filename: "a.pdf", file_data: PDF },
          { type: "input_text", text: "read" },
        ],
      },
    ],
  },
  {
    name: "reasoning with and without content",
    items: [
      say("think"),
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAsealed" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "thought" }] },
      say("again"),
      { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "Hm." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "thought" }] },
    ],
  },
  {
    name: "function calls",
    items: [
      say("go"),
      call("c1"),
      call("c2"),
      output("c1"),
      output("c2", [{ type: "input_text", text: "b" }]),
    ],
    tools: [FUNCTION],
  },
  {
    name: "custom calls",
    items: [
      say("go"),
      call("c1", "custom_tool_call", { input: "*** Begin" }),
      { type: "custom_tool_call_output", call_id: "c1", output: "ok" },
    ],
    tools: [{ type: "custom", name: "read", description: "Reads" }],
  },
  {
    name: "calls in a namespace",
    items: [say("go"), { ...call("c1"), namespace: "files" }, output("c1")],
    tools: [{ type: "namespace", name: "files", description: "Files", tools: [FUNCTION] }],
  },
  {
    name: "patches",
    items: [
      say("go"),
      {
        type: "apply_patch_call",
        call_id: "c1",
        status: "completed",
        operation: { type: "create_file", path: "a", diff: "+a" },
      },
      { type: "apply_patch_call_output", call_id: "c1", status: "completed", output: "done" },
    ],
    tools: [{ type: "apply_patch" }],
  },
  {
    name: "shells",
    items: [
      say("go"),
      {
        type: "local_shell_call",
        id: "lsh_1",
        call_id: "c1",
        status: "completed",
        action: { type: "exec", command: ["ls"], env: {} },
      },
      { type: "local_shell_call_output", id: "c1", output: "a" },
    ],
    tools: [{ type: "local_shell" }],
  },
  {
    name: "searches",
    items: [
      say("find"),
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "a", sources: [] },
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "found" }] },
    ],
  },
];

function output(id: string, value: unknown = "a") {
  return { type: "function_call_output", call_id: id, output: value };
}
