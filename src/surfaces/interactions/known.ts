// The steps and contents of Google's Interactions API: one row each, with what its fields hold and how it is read.
import { type Grammar, type Holding, makeForm, type Nodes } from "../../operations/text-grammar.ts";
import { TOOLS } from "../gemini/known.ts";
import { toDocumented } from "../gemini/spelling.ts";

export type Kind = "body" | "step" | "summary" | "fields";
type InteractionFields = Readonly<Record<string, Holding<Kind>>>;

/**
 * The way in which a step is read: as the user's or the model's own content, a thought, a call of one of the client's
 * functions or its result. A step that is `told` was run elsewhere and reaches the model as text, and one that is `left`
 * is left out and named.
 */
type StepReading = "user" | "model" | "thought" | "call" | "result" | "told" | "left";

interface StepRow {
  readonly reading: StepReading;
  readonly fields: InteractionFields;
}

interface ContentRow {
  /** True if it is a file, as `data` or by its `uri`. */
  readonly isFile: boolean;
  readonly fields: InteractionFields;
}

const steps: Nodes<Kind> = { kind: "step", takes: ["text", "object", "list"] };
/** JSON of the client's with some fields of the API. */
const fields = { own: "fields" } as const;

const FILE: InteractionFields = { data: "file", uri: "setting", mime_type: "setting", resolution: "setting" };

/** `function_result` may also stand among the contents of a `user_input`. */
export const CONTENTS: ReadonlyMap<string, ContentRow> = new Map([
  ["text", { isFile: false, fields: { text: "text", annotations: fields } }],
  ["image", { isFile: true, fields: FILE }],
  ["audio", { isFile: true, fields: FILE }],
  ["document", { isFile: true, fields: FILE }],
  ["video", { isFile: true, fields: FILE }],
]);

const CALL: InteractionFields = { id: "setting", arguments: "own", signature: "setting" };
const RESULT: InteractionFields = { call_id: "setting", name: "text", signature: "setting" };

function told(fields: InteractionFields): StepRow {
  return { reading: "told", fields };
}

function left(fields: InteractionFields): StepRow {
  return { reading: "left", fields };
}

const STEPS: ReadonlyMap<string, StepRow> = new Map<string, StepRow>([
  ["user_input", { reading: "user", fields: { content: steps } }],
  ["model_output", { reading: "model", fields: { content: steps, error: fields } }],
  [
    "thought",
    {
      reading: "thought",
      fields: { signature: "setting", summary: { kind: "summary", takes: ["list"] } },
    },
  ],
  ["function_call", { reading: "call", fields: { ...CALL, name: "text" } }],
  ["function_result", { reading: "result", fields: { ...RESULT, result: steps } }],
  ["google_search_call", told({ ...CALL, search_type: "setting" })],
  ["google_search_result", told({ ...RESULT, result: fields })],
  ["code_execution_call", told(CALL)],
  ["code_execution_result", told({ ...RESULT, result: steps })],
  ["url_context_call", told(CALL)],
  ["url_context_result", told({ ...RESULT, result: fields })],
  ...["file_search", "google_maps", "retrieval", "mcp_server_tool", "processing"].flatMap(
    (name): readonly (readonly [string, StepRow])[] => [
      [`${name}_call`, left({ ...CALL, name: "text" })],
      [`${name}_result`, left({ ...RESULT, result: fields })],
    ],
  ),
]);

/** Later ones that a provider may run, which the table doesn't have yet. */
const OTHER_STEP = /^[a-z_]{1,64}_(call|result)$/;

/** Returns how steps of a type are read. Undefined if it is no step's. */
export function findReading(type: string): StepReading | undefined {
  return STEPS.get(type)?.reading ?? (OTHER_STEP.test(type) ? "left" : undefined);
}

/** The tools whose names differ from those of generateContent by more than the spelling. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
  function: "functionDeclarations",
  mcp_server: "mcpServers",
};

/** Returns the row of a tool, which is that of the same tool of generateContent. Undefined for one that nobody knows. */
export function findTool(type: string): ReturnType<typeof TOOLS.find> {
  return TOOLS.find(TOOL_NAMES[type] ?? toDocumented(type));
}

const forms = [...STEPS, ...CONTENTS].map(([type, row]) => [type, makeForm<Kind>(row.fields)] as const);

/** The kept part of a conversation: the steps before an interaction, and its own input as it came. */
export const GRAMMAR: Grammar<Kind> = {
  stray: "step",
  kinds: {
    body: { form: makeForm({ earlier: steps, input: steps }), others: "settings" },
    step: { types: new Map(forms) },
    summary: { form: makeForm({ text: "thought" }) },
    fields: { form: makeForm({}) },
  },
};
