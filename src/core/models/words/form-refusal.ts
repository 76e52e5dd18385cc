// The sentences in which servers refuse a form of a request rather than a field, as data.
import type { BodyWord, FieldWord } from "./body-refusals.ts";

export type FormWord = BodyWord | FieldWord | "system_late" | "tools_late" | "thinking_binding";

interface FormSentence {
  /** It begins the server's words. */
  readonly says: RegExp;
  /** One as it was reported. */
  readonly example: string;
  readonly refuses: FormWord;
  /** A public report that quotes it, and its month. */
  readonly source: string;
  readonly seen: string;
  /** The status that it has, if the server takes the client's mistake for its own. */
  readonly status?: number;
}

export const FORM_SENTENCES: readonly FormSentence[] = [
  {
    // LM Studio.
    says: /^Invalid tool_choice type: 'object'\. Supported string values: /,
    example: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
    refuses: "tool_choice_object",
    source: "lmstudio-bug-tracker, issue 670; oh-my-pi, issue 6925",
    seen: "2026-07",
  },
  {
    // The same server. Its older versions don't name the text.
    says: /^'response_format\.type' must be 'json_schema'(?: or 'text')?/,
    example: "'response_format.type' must be 'json_schema' or 'text'",
    refuses: "json_object",
    source: "lmstudio-bug-tracker, issue 189; OpenBiliClaw, issue 12; webai-at-home, issue 219",
    seen: "2026-08",
  },
  {
    // llama.cpp, before templates that take arguments as objects.
    says: /^Failed to parse tool call arguments as\sJSON: /,
    example:
      "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal",
    refuses: "call_arguments",
    source: "pentagi, issue 313; club-3090, issue 1195; llama.cpp, issue 22948",
    seen: "2026-09",
    status: 500,
  },
  {
    // Groq.
    says: /^'messages\.\d+' : for 'role: ?\w+' the following must be satisfied\[\('messages\.\d+\.content' : value must be a string\)/,
    example:
      "'messages.0' : for 'role:system' the following must be satisfied[('messages.0.content' : value must be a string)]",
    refuses: "text_parts",
    source: "OpenHands, issue 4643; PyRIT, issue 704",
    seen: "2025-02",
  },
  {
    // Servers in Rust, such as DeepSeek's.
    says: /^Failed to deserialize the JSON body into the target type: messages\[\d+\](?:\.content)?: invalid type: sequence, expected a string/,
    example:
      "Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 639",
    refuses: "text_parts",
    source: "mcp-agent, issue 25",
    seen: "2025-02",
  },
  {
    // Claude before Opus 4.8, Sonnet 5.5 and Haiku 5.5.
    says: /^(?:[\w.]{1,200}: )?role 'system' is not supported on this model/,
    example: "messages.2: role 'system' is not supported on this model",
    refuses: "system_late",
    source: "LiteLLM, pull request 33807",
    seen: "2026-07",
  },
  {
    // Anthropic's words for a block that it doesn't know, as reported for another one.
    says: /^[\w.]{1,200}: Input tag 'tool_(?:removal|addition)' found using 'type' does not match any of the expected tags/,
    example:
      "messages.1.content.0: Input tag 'tool_removal' found using 'type' does not match any of the expected tags: 'text'",
    refuses: "tools_late",
    source: "claude-code, issue 28870",
    seen: "2026-02",
  },
  {
    // Its words, and Vertex AI's, for a beta that isn't known, as reported for another one.
    says: /^Unexpected value\(s\) (?:`[\w-]{1,100}`, ){0,20}`(?:mid-conversation-tool-changes|inline-tools)-[\d-]{10}`/,
    example:
      "Unexpected value(s) `mid-conversation-tool-changes-2026-07-01` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.",
    refuses: "tools_late",
    source: "new-api, issue 2975; cherry-studio, issue 16135",
    seen: "2026-06",
  },
  {
    // The same about another beta.
    says: /^Unexpected value\(s\) (?:`[\w-]{1,100}`, ){0,20}`thinking-binding-controls-[\d-]{10}`/,
    example:
      "Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.",
    refuses: "thinking_binding",
    source: "new-api, issue 2975; cherry-studio, issue 16135",
    seen: "2026-06",
  },
  {
    // Bedrock, which doesn't say which beta it means. The gateway itself asks for this one alone there.
    says: /^(?:The model returned the following errors: )?invalid beta flag/,
    example: "The model returned the following errors: invalid beta flag",
    refuses: "thinking_binding",
    source: "continue, pull request 11969; langchain-aws, issue 1226",
    seen: "2026-08",
  },
  {
    // A server that has passed on the field without its beta, or knows neither.
    says: /^(?:The model returned the following errors: )?thinking\.(?:\w{1,20}\.)?block_binding: Extra inputs are not permitted/,
    example: "thinking.adaptive.block_binding: Extra inputs are not permitted",
    refuses: "thinking_binding",
    source: 'Amazon Bedrock, "Preserved thinking"',
    seen: "2026-08",
  },
  {
    // The same about roles, at a server in front of others.
    says: /^(?:body\.)?messages\.\d+\.role: Input should be 'user' or 'assistant'/,
    example: "body.messages.1.role: Input should be 'user' or 'assistant'",
    refuses: "system_late",
    source: "ogx, issue 5982",
    seen: "2026-05",
  },
  {
    // Moonshot.
    says: /^tool_choice specified is incompatible with thinking enabled/,
    example: "tool_choice specified is incompatible with thinking enabled",
    refuses: "forced_thinking",
    source: "oh-my-pi, issue 1077",
    seen: "2026-05",
  },
  {
    // Anthropic.
    says: /^Thinking may not be enabled when tool_choice forces tool use/,
    example: "Thinking may not be enabled when tool_choice forces tool use.",
    refuses: "forced_thinking",
    source: "oh-my-pi, issue 341",
    seen: "2026-03",
  },
  {
    // DeepSeek, which names its thinking mode `deepseek-reasoner` whatever the model.
    says: /^(?:deepseek-reasoner|Thinking mode) does not support this tool_choice/,
    example: "deepseek-reasoner does not support this tool_choice",
    refuses: "forced_thinking",
    source: "awesome-deepseek-integration, issue 598; Kode-CLI, pull request 182",
    seen: "2026-06",
  },
  {
    // Qwen at Alibaba's.
    says: /^(?:<400> )?(?:InternalError\.Algo\.InvalidParameter: )?The tool_choice parameter does not support being set to required or object in thinking mode/,
    example:
      "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
    refuses: "forced_enable_thinking",
    source: "eino, issue 994; oh-my-pi, issue 886; qwen-code, issue 7659",
    seen: "2026-07",
  },
  {
    // Qwen's open models at Alibaba's.
    says: /^(?:<400> )?(?:InternalError\.Algo\.InvalidParameter: )?parameter\.enable_thinking (?:must be set to false for non-streaming calls|必须设置为false才能进行非流式调用)/,
    example: "parameter.enable_thinking must be set to false for non-streaming calls",
    refuses: "unstreamed_thinking",
    source: "langchain4j, issue 3974; UltraRAG, issue 287; spring-ai-alibaba, issue 867",
    seen: "2026-04",
  },
  {
    // The same at ModelScope.
    says: /^enable thinking can not be support when `stream=False`/,
    example: "enable thinking can not be support when `stream=False`.",
    refuses: "unstreamed_thinking",
    source: "claude-code-router, issue 948",
    seen: "2025-10",
  },
  {
    // DeepSeek, and servers in front of it.
    says: /^The `?reasoning_content`? in the thinking mode must be passed back to the API/,
    example: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    refuses: "thoughts_required",
    source:
      "pi, issue 3636; cc-switch-cli, issue 170; continue, issue 12691; oai-compatible-copilot, issue 215",
    seen: "2026-06",
  },
  {
    // Moonshot, about each rule of its flavour of JSON Schema.
    says: /^(?:Invalid request: )?tools\.function\.parameters is not a valid moonshot flavored json schema/,
    example:
      "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.assetRef': conflicting keywords found after $ref expansion: description>",
    refuses: "tool_schema",
    source: "kimi-cli, issue 2061; pi, issue 5822",
    seen: "2026-06",
  },
  {
    // Moonshot.
    says: /^(?:Invalid request: )?function name is invalid, must start with a letter/,
    example:
      "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
    refuses: "tool_names",
    source: "kimi-cli, issue 1773",
    seen: "2026-04",
  },
  {
    // OpenAI, and servers that copy it.
    says: /^Invalid '(?:tools\[\d+\](?:\.function)?|messages\[\d+\]\.tool_calls\[\d+\]\.function)\.name': string (?:does not match pattern|too long)/,
    example:
      "Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    refuses: "tool_names",
    source: "xiaozhi-esp32-server-golang, issue 268; mcp-use, issue 90",
    seen: "2026-05",
  },
  {
    // Anthropic.
    says: /^tools\.\d+\.(?:custom\.)?name: String should (?:match pattern|have at most)/,
    example: "tools.7.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    refuses: "tool_names",
    source: "tester-mcp-client, issue 11; typescript-sdk, issue 413",
    seen: "2025-04",
  },
  {
    // Gemini.
    says: /^(?:The GenerateContentRequest proto is invalid:\s+)?\* (?:GenerateContentRequest\.)?tools\[\d+\]\.function_declarations\[\d+\]\.name: (?:\[FIELD_INVALID\] )?Invalid function name/,
    example:
      "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[12].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.",
    refuses: "tool_names",
    source: "gemini-cli, issue 7878",
    seen: "2025-09",
  },
  {
    // Anthropic, about models without efforts.
    says: /^This model does not support the effort parameter/,
    example: "This model does not support the effort parameter.",
    refuses: "field:output_config.effort",
    source: "claude-code, issue 30010",
    seen: "2026-03",
  },
];
