// OpenAI's items, content parts and tools: the names that the gateway knows, and where each of them holds others.

import { type Form, type Grammar, makeForm, type Nodes } from "../../operations/text-grammar.ts";
import { KnownNames, type OwnForms } from "../known.ts";
import { explainShared, REMOTE } from "../lane.ts";

const IMAGE = '{"type": "input_image", "image_url": "data:image/png;base64,…"}';
const FILE = '{"type": "input_file", "filename": …, "file_data": "data:application/pdf;base64,…"}';

/** The parts and items for the blocks of chat and of Anthropic's API. */
export const OWN_FORMS: OwnForms = {
  image_url: IMAGE,
  image: IMAGE,
  file: FILE,
  document: FILE,
  tool_use: 'an item {"type": "function_call", "call_id": …, "name": …, "arguments": …}',
  tool_result: 'an item {"type": "function_call_output", "call_id": …, "output": …}',
};

/** Searches that the provider runs. `max_tool_calls` limits them. */
export const SEARCH_TOOLS = [
  ...(["web_search", "web_search_2025_08_26"] as const),
  ...(["web_search_preview", "web_search_preview_2025_03_11"] as const),
];

/** The types of tools, wherever one is defined. */
export const TOOLS = new KnownNames([
  {
    treatment: "pass",
    reason: "The client runs it. A shell in the provider's container is dropped nevertheless.",
    names: ["function", "custom", "local_shell", "shell", "apply_patch", "computer", "computer_use_preview"],
  },
  {
    treatment: "pass",
    reason: "It only groups or finds the request's own tools.",
    names: ["namespace", "tool_search"],
  },
  { treatment: "hold", reason: "Each search is billed, up to max_tool_calls.", names: SEARCH_TOOLS },
  { treatment: "remote", reason: REMOTE, names: ["mcp"] },
  { treatment: "refuse", reason: explainShared("A vector store"), names: ["file_search"] },
  {
    treatment: "drop",
    reason: "The provider would run it, and the card has no price for it.",
    names: ["code_interpreter", "image_generation", "programmatic_tool_calling"],
  },
]);

/** Items that name an object in the provider's account. */
export const ITEMS = new KnownNames([
  {
    treatment: "refuse",
    reason:
      "Items are not stored here: send the item itself, as the AI SDK does with providerOptions.openai { store: false }, or ask the operator to set responses.keep.",
    names: ["item_reference"],
  },
  {
    treatment: "refuse",
    reason: "Its id refers to an image in the provider's account, which all clients share.",
    names: ["image_generation_call"],
  },
]);

export type Kind =
  | ("body" | "item" | "part" | "tool" | "listedTool")
  | ("fields" | "environment" | "text" | "format");

const parts: Nodes<Kind> = { kind: "part", takes: ["text", "list"] };
const partList: Nodes<Kind> = { kind: "part", takes: ["list"] };
const tools: Nodes<Kind> = { kind: "tool", takes: ["list"] };

/** JSON of the client's with some fields of the API. */
const fields = { own: "fields" } as const;

type ItemFields = Parameters<typeof makeForm<Kind>>[0];

function makeForms(
  rows: Readonly<Record<string, ItemFields>>,
  shared: ItemFields,
): ReadonlyMap<string, Form<Kind>> {
  return new Map(
    Object.entries(rows).map(([type, fields]) => [type, makeForm<Kind>({ ...shared, ...fields })]),
  );
}

/** Errors and callers only quote, and so do citations and the results of searches. */
const QUOTES: ItemFields = { error: fields, caller: fields, name: "text", namespace: "text" };
const MESSAGE: ItemFields = { content: parts };

const ITEM_FORMS = makeForms(
  {
    message: MESSAGE,
    function_call: { arguments: "own" },
    function_call_output: { output: parts },
    custom_tool_call: { input: "own" },
    custom_tool_call_output: { output: parts },
    reasoning: { summary: partList, content: partList, encrypted_content: "setting" },
    computer_call: { action: fields, actions: fields, pending_safety_checks: fields },
    computer_call_output: {
      output: { kind: "part", takes: ["object"] },
      acknowledged_safety_checks: fields,
    },
    web_search_call: { action: fields },
    file_search_call: { queries: "text", results: fields },
    tool_search_call: { arguments: "own" },
    tool_search_output: { tools },
    additional_tools: { tools },
    configuration_update: { reasoning: "setting", text: { own: "text" } },
    compaction: { encrypted_content: "setting" },
    compaction_summary: { encrypted_content: "setting" },
    compaction_trigger: {},
    code_interpreter_call: { code: "text", outputs: fields },
    local_shell_call: { action: fields },
    local_shell_call_output: { output: "text" },
    shell_call: { action: fields, environment: { kind: "environment", takes: ["object"] } },
    shell_call_output: { output: fields },
    apply_patch_call: { operation: fields },
    apply_patch_call_output: { output: "text" },
    mcp_list_tools: { tools: { own: "listedTool" } },
    mcp_approval_request: { arguments: "own" },
    mcp_approval_response: { reason: "text" },
    mcp_call: { arguments: "own", output: "text" },
    program: { code: "text" },
    program_output: { result: "text" },
  },
  QUOTES,
);

const PART_FORMS = makeForms(
  {
    input_text: { text: "text" },
    output_text: { text: "text", annotations: fields, logprobs: "again" },
    text: { text: "text", annotations: fields },
    refusal: { refusal: "text" },
    summary_text: { text: "thought" },
    reasoning_text: { text: "thought" },
    input_image: { image_url: "setting" },
    input_file: { file_data: "file", file_url: "setting", filename: "text" },
    input_audio: { input_audio: "setting" },
    computer_screenshot: { image_url: "setting" },
  },
  { prompt_cache_breakpoint: "setting" },
);

export function isKnownPart(type: string): boolean {
  return PART_FORMS.has(type);
}

export const GRAMMAR: Grammar<Kind> = {
  stray: "part",
  kinds: {
    body: {
      form: makeForm({
        input: { kind: "item", takes: ["text", "list"] },
        instructions: { kind: "item", takes: ["text", "list"] },
        tools,
        tool_choice: fields,
        text: { own: "text" },
        metadata: fields,
      }),
      others: "settings",
    },
    // An item without a type is a message.
    item: { types: ITEM_FORMS, form: makeForm({ ...QUOTES, ...MESSAGE }) },
    part: { types: PART_FORMS },
    tool: {
      form: makeForm({
        name: "text",
        description: "text",
        parameters: "schema",
        output_schema: "schema",
        format: fields,
        tools,
      }),
      others: "settings",
    },
    listedTool: { form: makeForm({ name: "text", description: "text", input_schema: "schema" }) },
    fields: { form: makeForm({}) },
    environment: { form: makeForm({ skills: fields }), others: "settings" },
    text: { form: makeForm({ format: { own: "format" } }) },
    format: { form: makeForm({ schema: "schema" }) },
  },
};
