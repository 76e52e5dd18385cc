// Anthropic's betas, tools and content blocks: the names that the gateway knows, and where each block holds others.

import { type Form, type Grammar, makeForm, type Nodes } from "../../operations/text-grammar.ts";
import { KnownNames, type OwnForms } from "../known.ts";
import { explainShared, REMOTE } from "../lane.ts";

const IMAGE = '{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": …}}';
const DOCUMENT =
  '{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": …}}';
const TEXT = '{"type": "text", "text": …}';

/** The blocks for the parts of OpenAI's APIs. */
export const OWN_FORMS: OwnForms = {
  image_url: IMAGE,
  input_image: IMAGE,
  file: DOCUMENT,
  input_file: DOCUMENT,
  input_text: TEXT,
  output_text: TEXT,
};

/** Every value of the header `anthropic-beta` that the vendor's SDKs and Claude Code send. */
export const BETAS = new KnownNames([
  {
    treatment: "pass",
    reason: "It changes the form of the answer or of the thinking, all of which is billed in tokens.",
    names: [
      "claude-code-20250219",
      "fine-grained-tool-streaming-2025-05-14",
      "structured-outputs-2025-11-13",
      "structured-outputs-2025-12-15",
      "token-efficient-tools-2025-02-19",
      "token-efficient-tools-2026-03-28",
      "interleaved-thinking-2025-05-14",
      "dev-full-thinking-2025-05-14",
      "redact-thinking-2026-02-12",
      "thinking-token-count-2026-05-13",
      "thinking-display-updates-2026-08-18",
      "thinking-binding-controls-2026-08-01",
      "model-context-window-exceeded-2025-08-26",
      "effort-2025-11-24",
      "task-budgets-2026-03-13",
      "per-turn-control-2026-07-01",
    ],
  },
  {
    treatment: "pass",
    reason:
      "It adds kinds of input and turns, all of which are billed in tokens. Tools in messages are held.",
    names: [
      "pdfs-2024-09-25",
      "context-management-2025-06-27",
      "compact-2026-01-12",
      "compact-2026-09-04",
      "mid-conversation-system-2026-04-07",
      "mid-conversation-system-clear-at-2026-08-21",
      "mid-conversation-output-config-2026-07-01",
      "mid-conversation-tool-changes-2026-07-01",
      "inline-tools-2026-09-15",
    ],
  },
  {
    treatment: "pass",
    reason: "Cards have prices for what is written to a cache, for both durations.",
    names: ["prompt-caching-2024-07-31", "extended-cache-ttl-2025-04-11", "prompt-caching-scope-2026-01-05"],
  },
  {
    treatment: "pass",
    reason: "The card's own limits bound the answer and the prompt.",
    names: ["output-128k-2025-02-19", "output-300k-2026-03-24", "context-1m-2025-08-07"],
  },
  {
    treatment: "pass",
    reason: "The client runs these tools, or the provider at a price that is held.",
    names: [
      "computer-use-2024-10-22",
      "computer-use-2025-01-24",
      "computer-use-2025-11-24",
      "tool-search-tool-2025-10-19",
      "tool-examples-2025-10-29",
      "advanced-tool-use-2025-11-20",
      "web-search-2025-03-05",
      "web-fetch-2025-09-10",
      "code-execution-web-tools-2026-02-09",
    ],
  },
  {
    treatment: "remote",
    reason: REMOTE,
    names: [
      "mcp-client-2025-04-04",
      "mcp-client-2025-11-20",
      "mcp-client-2026-09-15",
      "mcp-tunnels-2026-06-22",
    ],
  },
  {
    treatment: "drop",
    reason: "The card has no price for it, or another model answers at its own.",
    names: [
      "fast-mode-2026-02-01",
      "advisor-tool-2026-03-01",
      "dangerous-tool-use-2026-09-03",
      "code-execution-2025-05-22",
      "code-execution-2025-08-25",
      "server-side-fallback-2026-06-01",
      "server-side-fallback-2026-07-01",
      "fallback-credit-2026-06-01",
      "fallback-credit-2026-07-01",
    ],
  },
  {
    treatment: "drop",
    reason: explainShared("An object that it names"),
    names: [
      "files-api-2025-04-14",
      "skills-2025-10-02",
      "message-threads-2026-08-12",
      "user-profiles-2026-03-24",
      "user-profiles-2026-08-18",
      "user-profiles-2026-09-04",
      "user-profiles-billing-2026-10-01",
      "managed-agents-2026-04-01",
      "agent-memory-2026-07-22",
      "dreaming-2026-04-21",
      "cache-diagnosis-2026-04-07",
    ],
  },
  {
    treatment: "drop",
    reason: "Claude Code 2.1.332 or LiteLLM 1.110.2 names it, and no reference says what it does or costs.",
    names: [
      "structured-output-2024-03-01",
      "mcp-servers-2025-12-04",
      "afk-mode-2026-01-31",
      "auto-mode-classifier-2026-07-16",
      "cache-keepalive-2026-09-03",
      "claude-code-side-query-2026-09-29",
      "context-hint-2026-04-09",
      "program-use-case-ids-2026-09-17",
      "prompt-caching-evict-2026-05-12",
      "request-tags-2026-08-21",
      "resumption-2026-10-08",
      "subagent-review-2026-11-17",
      "thinking-resumption-2026-07-17",
      "timing-2026-09-09",
      "tool-provenance-2026-10-26",
      "web-search-results-only-2026-11-15",
    ],
  },
  {
    treatment: "drop",
    reason: "It belongs to another API than Messages, or to another kind of secret.",
    names: [
      "ccr-byoc-2025-07-29",
      "ccr-triggers-2026-01-30",
      "environments-2025-11-01",
      "oidc-federation-2026-04-01",
      "message-batches-2024-09-24",
      "token-counting-2024-11-01",
      "oauth-2025-04-20",
      "ce-plugins-2026-09-01",
      "ce-user-management-2026-07-13",
      "ce-claude-code-managed-settings-2026-10-06",
      "spend-limit-reads-2026-09-26",
      "telemetry-destinations-2026-08-11",
      "webhooks-2026-10-07",
      "admin-user-sign-out-2026-10-08",
      "analytics-usage-cost-2026-08-24",
      "experimental-claude-tag-2026-10-21",
      "efs-2026-10-01",
      "google-managed-data-controls-2026-09-01",
    ],
  },
]);

/** Tools that the provider runs, with the field that limits their use. */
export const SEARCH_TOOLS = ["web_search_20250305", "web_search_20260209", "web_search_20260318"] as const;
export const FETCH_TOOLS = [
  ...(["web_fetch_20250910", "web_fetch_20260209", "web_fetch_20260309", "web_fetch_20260318"] as const),
];

/** The types of tools, wherever one is defined. */
export const TOOLS = new KnownNames([
  {
    treatment: "pass",
    reason: "The client runs it.",
    names: [
      "custom",
      "bash_20241022",
      "bash_20250124",
      "memory_20250818",
      "text_editor_20241022",
      "text_editor_20250124",
      "text_editor_20250429",
      "text_editor_20250728",
      "computer_20241022",
      "computer_20250124",
      "computer_20251124",
      "computer_toolset_20260801",
      "browser_toolset_20260801",
    ],
  },
  {
    treatment: "pass",
    reason: "Searching the request's own tools costs nothing but tokens.",
    names: [
      "tool_search_tool_regex",
      "tool_search_tool_regex_20251119",
      "tool_search_tool_bm25",
      "tool_search_tool_bm25_20251119",
    ],
  },
  { treatment: "hold", reason: "Each search is billed, up to max_uses.", names: SEARCH_TOOLS },
  { treatment: "hold", reason: "What is fetched is billed in tokens, up to max_uses.", names: FETCH_TOOLS },
  { treatment: "remote", reason: REMOTE, names: ["mcp_toolset"] },
  {
    treatment: "drop",
    reason: "The provider would run it, and the card has no price for it.",
    names: [
      "code_execution_20250522",
      "code_execution_20250825",
      "code_execution_20260120",
      "code_execution_20260521",
      "advisor_20260301",
    ],
  },
]);

export type Kind =
  | ("body" | "message" | "turn" | "block" | "source" | "citation" | "entry")
  | ("toolChange" | "changedTool" | "tool" | "listedTool")
  | ("fields" | "output" | "format");

const blocks: Nodes<Kind> = { kind: "block", takes: ["text", "list"] };
const oneOrMore: Nodes<Kind> = { kind: "block", takes: ["object", "list"] };
const one: Nodes<Kind> = { kind: "block", takes: ["object"] };
const source: Nodes<Kind> = { kind: "source", takes: ["object"] };
const entries: Nodes<Kind> = { kind: "entry", takes: ["list"] };
const citations: Nodes<Kind> = { kind: "citation", takes: ["list", "object"] };

/** Ids, flags and sealed data are settings in every block. */
const call = { name: "text", input: "own", caller: { own: "fields" }, server_name: "text" } as const;
const result = { content: oneOrMore, caller: { own: "fields" } } as const;
const ran = { stdout: "text", stderr: "text", content: oneOrMore } as const;
const failed = { error_message: "text" } as const;

function makeForms(
  rows: Readonly<Record<string, Parameters<typeof makeForm<Kind>>[0]>>,
): ReadonlyMap<string, Form<Kind>> {
  const shared = { cache_control: "setting" } as const;
  return new Map(
    Object.entries(rows).map(([type, fields]) => [type, makeForm<Kind>({ ...shared, ...fields })]),
  );
}

const BLOCKS = makeForms({
  text: { text: "text", citations },
  image: { source, transformations: "setting" },
  document: { source, title: "text", context: "text", citations },
  search_result: { content: blocks, source: "text", title: "text", citations },
  thinking: { thinking: "thought", signature: "setting" },
  redacted_thinking: { data: "setting" },
  tool_use: call,
  server_tool_use: call,
  mcp_tool_use: call,
  tool_result: { content: blocks },
  mcp_tool_result: { content: blocks },
  tool_reference: { tool_name: "text", name: "text" },
  browser_state: { tabs: entries, state_changes: entries },
  web_search_tool_result: result,
  web_search_result: { title: "text", url: "text", page_age: "text", encrypted_content: "setting" },
  web_search_tool_result_error: failed,
  web_fetch_tool_result: result,
  web_fetch_result: { content: one, url: "text" },
  web_fetch_tool_result_error: failed,
  advisor_tool_result: result,
  advisor_result: { text: "text" },
  advisor_redacted_result: { encrypted_content: "setting" },
  advisor_tool_result_error: failed,
  code_execution_tool_result: result,
  code_execution_result: ran,
  code_execution_output: {},
  encrypted_code_execution_result: ran,
  code_execution_tool_result_error: failed,
  bash_code_execution_tool_result: result,
  bash_code_execution_result: ran,
  bash_code_execution_output: {},
  bash_code_execution_tool_result_error: failed,
  text_editor_code_execution_tool_result: result,
  text_editor_code_execution_view_result: { content: "text" },
  text_editor_code_execution_create_result: {},
  text_editor_code_execution_str_replace_result: { lines: "text" },
  text_editor_code_execution_tool_result_error: failed,
  tool_search_tool_result: result,
  tool_search_tool_search_result: { tool_references: { kind: "block", takes: ["list"] } },
  tool_search_tool_result_error: failed,
  container_upload: { file_id: "setting" },
  fallback: { from: "setting", to: "setting", trigger: "setting" },
});

/** Only messages themselves hold changes of tools, so that each definition is found and held. */
const CHANGES = makeForms({
  tool_addition: { tool: { kind: "changedTool", takes: ["object"], isNeeded: true } },
  tool_removal: { tool: { kind: "changedTool", takes: ["object"], isNeeded: true } },
});
const TURN_BLOCKS = makeForms({
  compaction: {
    content: "text",
    encrypted_content: "setting",
    signature: "setting",
    tool_changes: { kind: "toolChange", takes: ["list"] },
  },
  mcp_tool_listing: { mcp_server_name: "text", tools: { kind: "listedTool", takes: ["list"] } },
});

const SOURCES = makeForms({
  base64: { data: "file", media_type: "setting" },
  url: { url: "setting" },
  text: { data: "text", media_type: "setting" },
  content: { content: blocks },
  file: { file_id: "setting" },
});

const CHANGED_TOOLS = makeForms({
  tool_reference: { name: "text" },
  mcp_tool_reference: { name: "text", server_name: "text" },
  mcp_toolset_reference: { server_name: "text" },
  tool_definition: { definition: { kind: "tool", takes: ["object"], isNeeded: true } },
});

const described = {
  name: "text",
  description: "text",
  input_schema: "schema",
  input_examples: "own",
} as const;

export const GRAMMAR: Grammar<Kind> = {
  stray: "block",
  kinds: {
    body: {
      form: makeForm({
        messages: { kind: "message", takes: ["list"] },
        system: blocks,
        tools: { kind: "tool", takes: ["list"] },
        tool_choice: { own: "fields" },
        metadata: { own: "fields" },
        output_config: { own: "output" },
        output_format: { own: "format" },
      }),
      others: "settings",
    },
    message: { form: makeForm({ content: { kind: "turn", takes: ["text", "list"], isNeeded: true } }) },
    turn: { types: new Map([...BLOCKS, ...CHANGES, ...TURN_BLOCKS]) },
    block: { types: BLOCKS },
    source: { types: SOURCES },
    citation: {
      form: makeForm({
        cited_text: "text",
        document_title: "text",
        title: "text",
        source: "text",
        url: "text",
      }),
      others: "settings",
    },
    entry: { form: makeForm({ title: "text", url: "text", path: "text", error: "text" }) },
    toolChange: { types: CHANGES },
    changedTool: { types: CHANGED_TOOLS },
    tool: { form: makeForm(described), others: "settings" },
    listedTool: { form: makeForm(described), others: "settings" },
    fields: { form: makeForm({}) },
    output: { form: makeForm({ format: { own: "format" } }) },
    format: { form: makeForm({ schema: "schema" }) },
  },
};

/** Blocks and references that depend on a server of the client's choice. */
export const REMOTE_BLOCKS = new KnownNames([
  {
    treatment: "remote",
    reason: REMOTE,
    names: ["mcp_tool_listing", "mcp_tool_reference", "mcp_toolset_reference"],
  },
]);
