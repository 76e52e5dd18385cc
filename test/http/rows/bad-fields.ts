// Rows of bad input: fields of a chat request with a wrong type or out of bounds, and the error's code and field.
import type { Row } from "./row.ts";

/** Marks a client's own text, which an error must not repeat. */
export const CANARY = "canary-7QxZ".repeat(30);
const MANY = 10_001;

/** Changes to a valid request. `json` strings are spliced in as JSON text, for numbers JavaScript can't write. */
type Change = Readonly<Record<string, unknown>>;
type FieldRow = readonly [change: Change, code: string | null, param: string];

const text = { type: "text", text: "x" };
const message = (fields: Change) => ({ messages: [{ role: "user", content: "x", ...fields }] });
const part = (value: unknown) => message({ content: [value] });
const second = (fields: Change) => ({ messages: [{ role: "user", content: "x" }, fields] });
const tool = (definition: Change) => ({
  tools: [{ type: "function", function: { name: "f", ...definition } }],
});
/** JSON text instead of a value. */
const json = (value: string) => ({ toJSON: () => `\u0001${value}\u0001` });

const NUMBER_ROWS: readonly FieldRow[] = [
  [{ temperature: 2.0000001 }, "decimal_above_max_value", "temperature"],
  [{ temperature: -0.1 }, "decimal_below_min_value", "temperature"],
  [{ temperature: json("1e400") }, "decimal_above_max_value", "temperature"],
  [{ temperature: json("-1e400") }, "decimal_below_min_value", "temperature"],
  [{ temperature: CANARY }, "invalid_type", "temperature"],
  [{ temperature: "1" }, "invalid_type", "temperature"],
  [{ temperature: true }, "invalid_type", "temperature"],
  [{ temperature: [CANARY] }, "invalid_type", "temperature"],
  [{ top_p: 1.0001 }, "decimal_above_max_value", "top_p"],
  [{ top_p: -0.0001 }, "decimal_below_min_value", "top_p"],
  [{ top_p: {} }, "invalid_type", "top_p"],
  [{ presence_penalty: 2.01 }, "decimal_above_max_value", "presence_penalty"],
  [{ presence_penalty: -2.01 }, "decimal_below_min_value", "presence_penalty"],
  [{ frequency_penalty: 3 }, "decimal_above_max_value", "frequency_penalty"],
  [{ frequency_penalty: -3 }, "decimal_below_min_value", "frequency_penalty"],
  [{ frequency_penalty: "0" }, "invalid_type", "frequency_penalty"],
  [{ n: 0 }, "integer_below_min_value", "n"],
  [{ n: -1 }, "integer_below_min_value", "n"],
  [{ n: 17 }, "integer_above_max_value", "n"],
  [{ n: json("1e30") }, "integer_above_max_value", "n"],
  [{ n: 1.5 }, "invalid_type", "n"],
  [{ n: "2" }, "invalid_type", "n"],
  [{ max_tokens: 0 }, "integer_below_min_value", "max_tokens"],
  [{ max_tokens: -7 }, "integer_below_min_value", "max_tokens"],
  [{ max_tokens: 1.5 }, "invalid_type", "max_tokens"],
  [{ max_tokens: "10" }, "invalid_type", "max_tokens"],
  [{ max_tokens: json("1e30") }, "integer_above_max_value", "max_tokens"],
  [{ max_tokens: json("9007199254740993") }, "integer_above_max_value", "max_tokens"],
  [{ max_completion_tokens: 0 }, "integer_below_min_value", "max_completion_tokens"],
  [{ max_completion_tokens: [] }, "invalid_type", "max_completion_tokens"],
  [{ max_tokens: 5, max_completion_tokens: "5" }, "invalid_type", "max_completion_tokens"],
  [{ seed: 1.5 }, "invalid_type", "seed"],
  [{ logprobs: true, top_logprobs: 21 }, "integer_above_max_value", "top_logprobs"],
  [{ top_logprobs: -1 }, "integer_below_min_value", "top_logprobs"],
  [{ logit_bias: [1] }, "invalid_type", "logit_bias"],
];

const MESSAGE_ROWS: readonly FieldRow[] = [
  [{ messages: undefined }, "missing_required_parameter", "messages"],
  [{ messages: null }, "invalid_type", "messages"],
  [{ messages: [] }, "empty_array", "messages"],
  [{ messages: CANARY }, "invalid_type", "messages"],
  [{ messages: { role: "user", content: "x" } }, "invalid_type", "messages"],
  [{ messages: [CANARY] }, "invalid_type", "messages[0]"],
  [{ messages: [null] }, "invalid_type", "messages[0]"],
  [{ messages: [{ role: "user", content: "x" }, 7] }, "invalid_type", "messages[1]"],
  [
    { messages: Array.from({ length: MANY }, () => ({ role: "user", content: "" })) },
    "array_above_max_length",
    "messages",
  ],
  [message({ role: undefined }), "missing_required_parameter", "messages[0].role"],
  [message({ role: CANARY }), "invalid_value", "messages[0].role"],
  [message({ role: 1 }), "invalid_type", "messages[0].role"],
  [message({ content: undefined }), "missing_required_parameter", "messages[0].content"],
  [message({ content: null }), "invalid_type", "messages[0].content"],
  [message({ content: 7 }), "invalid_type", "messages[0].content"],
  [message({ content: { text: CANARY } }), "invalid_type", "messages[0].content"],
  [message({ content: [] }), "empty_array", "messages[0].content"],
  [message({ name: 7 }), "invalid_type", "messages[0].name"],
  [part(CANARY), "invalid_type", "messages[0].content[0]"],
  [part({ text: "x" }), "missing_required_parameter", "messages[0].content[0].type"],
  [part({ type: CANARY }), "invalid_value", "messages[0].content[0].type"],
  [part({ type: "text" }), "missing_required_parameter", "messages[0].content[0].text"],
  [part({ type: "text", text: 7 }), "invalid_type", "messages[0].content[0].text"],
  [part({ type: "image_url", image_url: [CANARY] }), "invalid_type", "messages[0].content[0].image_url"],
  [
    part({ type: "image_url", image_url: {} }),
    "missing_required_parameter",
    "messages[0].content[0].image_url.url",
  ],
  [
    part({ type: "input_audio", input_audio: { data: "" } }),
    "missing_required_parameter",
    "messages[0].content[0].input_audio.format",
  ],
  [
    message({ content: [text, text, { type: "text", text: null }] }),
    "invalid_type",
    "messages[0].content[2].text",
  ],
  [
    second({ role: "system", content: [{ type: "image_url", image_url: { url: "x" } }] }),
    "invalid_value",
    "messages[1].content[0].type",
  ],
  [second({ role: "tool", content: "x" }), "missing_required_parameter", "messages[1].tool_call_id"],
  [second({ role: "tool", tool_call_id: 7, content: "x" }), "invalid_type", "messages[1].tool_call_id"],
  [second({ role: "assistant", tool_calls: CANARY }), "invalid_type", "messages[1].tool_calls"],
  [
    second({ role: "assistant", tool_calls: [{ id: "a", type: "function" }] }),
    "missing_required_parameter",
    "messages[1].tool_calls[0].function",
  ],
  [
    second({
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: 7 } }],
    }),
    "invalid_type",
    "messages[1].tool_calls[0].function.arguments",
  ],
];

const OTHER_ROWS: readonly FieldRow[] = [
  [{ model: undefined }, "missing_required_parameter", "model"],
  [{ model: null }, "invalid_type", "model"],
  [{ model: 7 }, "invalid_type", "model"],
  [{ model: [CANARY] }, "invalid_type", "model"],
  [{ model: "" }, "empty_string", "model"],
  [{ model: "Local#a\u0000b" }, "invalid_value", "model"],
  [{ stream: "true" }, "invalid_type", "stream"],
  [{ stream: 1 }, "invalid_type", "stream"],
  [{ stream_options: { include_usage: true } }, null, "stream_options"],
  [{ stream: false, stream_options: {} }, null, "stream_options"],
  [{ stream: true, stream_options: { bogus: 1 } }, "unknown_parameter", "stream_options.bogus"],
  [
    { stream: true, stream_options: { include_usage: CANARY } },
    "invalid_type",
    "stream_options.include_usage",
  ],
  [{ stop: ["a", "b", "c", "d", "e"] }, "array_above_max_length", "stop"],
  [{ stop: ["a", 1] }, "invalid_type", "stop[1]"],
  [{ stop: 5 }, "invalid_type", "stop"],
  [{ user: { id: CANARY } }, "invalid_type", "user"],
  [{ logprobs: "yes" }, "invalid_type", "logprobs"],
  [{ tools: CANARY }, "invalid_type", "tools"],
  [{ tools: [CANARY] }, "invalid_type", "tools[0]"],
  [{ tools: [{ function: { name: "f" } }] }, "missing_required_parameter", "tools[0].type"],
  [{ tools: [{ type: "retrieval" }] }, "invalid_value", "tools[0].type"],
  [{ tools: [{ type: "function" }] }, "missing_required_parameter", "tools[0].function"],
  [tool({ name: undefined }), "missing_required_parameter", "tools[0].function.name"],
  [tool({ name: "" }), "empty_string", "tools[0].function.name"],
  [tool({ name: CANARY }), "string_above_max_length", "tools[0].function.name"],
  [tool({ parameters: "{}" }), "invalid_type", "tools[0].function.parameters"],
  [tool({ description: 7 }), "invalid_type", "tools[0].function.description"],
  [{ ...tool({}), tool_choice: CANARY }, "invalid_value", "tool_choice"],
  [{ ...tool({}), tool_choice: { type: "function" } }, "missing_required_parameter", "tool_choice.function"],
  [{ tool_choice: "required" }, "invalid_value", "tool_choice"],
  [{ ...tool({}), parallel_tool_calls: "no" }, "invalid_type", "parallel_tool_calls"],
  [{ response_format: "json_object" }, "invalid_type", "response_format"],
  [{ response_format: { type: CANARY } }, "invalid_value", "response_format.type"],
  [{ response_format: { type: "json_schema" } }, "missing_required_parameter", "response_format.json_schema"],
  [
    { response_format: { type: "json_schema", json_schema: {} } },
    "missing_required_parameter",
    "response_format.json_schema.name",
  ],
  [{ reasoning_effort: CANARY }, "invalid_value", "reasoning_effort"],
  [{ metadata: { a: 1 } }, "invalid_type", "metadata.a"],
  [{ metadata: { [CANARY]: 1 } }, "invalid_type", "metadata.?"],
];

/** Unsupported by the model, and not to be dropped because that would change the meaning. */
const UNABLE_ROWS: readonly FieldRow[] = [
  [{ model: "Acme#maker/model-1", ...tool({}) }, "unsupported_capability", "tools"],
  [
    { model: "Acme#cheap", ...part({ type: "image_url", image_url: { url: "https://example.test/a.png" } }) },
    "unsupported_capability",
    "messages[0].content[0]",
  ],
  [
    { model: "Acme#cheap", ...part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }) },
    "unsupported_capability",
    "messages[0].content[0]",
  ],
  [
    { model: "Acme#cheap", ...part({ type: "file", file: { file_data: "AA==" } }) },
    "unsupported_capability",
    "messages[0].content[0]",
  ],
  [
    part({ type: "file", file: { file_id: "file-1" } }),
    "unsupported_parameter",
    "messages[0].content[0].file.file_id",
  ],
  // Addresses in the provider's account, which all clients share.
  ...[
    { type: "file", file: { file_data: "gs://bucket/a.pdf" } },
    { type: "file", file: { file_data: "S3://bucket/a.pdf" } },
    { type: "image_url", image_url: { url: " files/abc" } },
    { type: "image_url", image_url: { url: "file:///etc/passwd" } },
    { type: "image_url", image_url: { url: "https://u@generativelanguage.googleapis.com:443/v1/files/a" } },
  ].map((one): FieldRow => [part(one), "unsupported_parameter", "messages[0].content[0]"]),
];

function bodyOf(change: Change): string {
  const body = JSON.stringify({ model: "Local#sim", messages: [{ role: "user", content: "x" }], ...change });
  return body.replace(/"\\u0001(.*?)\\u0001"/g, "$1");
}

function nameOf(change: Change, param: string): string {
  return `${param}: ${bodyOf(change).replaceAll(CANARY, "…").slice(0, 150)}`;
}

export const BAD_FIELD_ROWS: readonly Row[] = [
  ...NUMBER_ROWS,
  ...MESSAGE_ROWS,
  ...OTHER_ROWS,
  ...UNABLE_ROWS,
].map(([change, code, param]) => ({
  name: nameOf(change, param),
  body: bodyOf(change),
  status: 400,
  code,
  param,
  json: { error: { type: "invalid_request_error" } },
  lacks: ["canary-7QxZ"],
  calls: 0,
}));

/** Odd but valid: nulls, whole numbers written as decimals, empty lists, both ends of each bound. */
export const GOOD_FIELD_ROWS: readonly Row[] = [
  {
    temperature: null,
    top_p: null,
    n: null,
    stop: null,
    max_tokens: null,
    tools: null,
    user: null,
    stream: null,
  },
  { temperature: 0, top_p: 0, presence_penalty: -2, frequency_penalty: -2 },
  { temperature: 2, top_p: 1, presence_penalty: 2, frequency_penalty: 2, n: 16 },
  { temperature: json("-0"), n: json("1.0"), max_tokens: json("1e1") },
  { tools: [], tool_choice: "auto" },
  { stop: "" },
  { stop: [] },
  { stop: ["a", "b", "c", "d"] },
  { stream: false, stream_options: null },
  { logit_bias: {}, metadata: {} },
  { logit_bias: { "50256": 101, "50257": "-5", "50258": null } },
  message({ name: "someone" }),
  second({ role: "assistant", content: null }),
].map((change) => ({
  name: `taken: ${bodyOf(change).slice(0, 150)}`,
  body: bodyOf({ model: "Anthropic#sim", ...change }),
  status: 200,
}));
