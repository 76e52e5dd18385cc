// Requests that ended at servers which refuse a form or a field of them (reports of 2025 and 2026), as rows of one table: each is
// asked on every surface that can say it, of a server of every dialect that can refuse it, whole and streamed.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Bodies } from "../../surfaces/crossing/crossing.ts";
import type { SurfaceAnswer } from "../world/surface-asking.ts";

export interface RefusedFinding {
  readonly name: string;
  readonly holds: string;
  /** The surfaces that can say it. */
  readonly bodies: Bodies;
  readonly headers?: Readonly<Record<string, string>>;
  /** Providers. Each cell asks a model of its own, of which nothing was learned. */
  readonly providers: readonly string[];
  /** The server's refusal. Null for a body that it takes. */
  readonly refuse: (body: JsonObject, headers: Headers) => string | null;
  readonly status?: number;
  /** Streamed or not. Both if missing. */
  readonly modes?: readonly boolean[];
  /** The words that are learned of it. Empty for a form that is written beforehand. */
  readonly words: readonly string[];
  /** The number of refusals of the first request before its answer. Later ones are right at first. */
  readonly refusals: number;
  /** Returns what is wrong with what went up or came back, or null. */
  readonly findWrong: (answer: SurfaceAnswer) => unknown;
}

const SAY = "say: good day";
const user = (content: string) => ({ role: "user", content });
const turn = (text: string) => ({ role: "user", parts: [{ text }] });
const EMPTY = { type: "object", properties: {} };
const NAMES = ["one", "two"];
const CALLED = "call two({})";

const NAMED: Bodies = {
  chat: {
    messages: [user(CALLED)],
    tools: NAMES.map((name) => ({ type: "function", function: { name, parameters: EMPTY } })),
    tool_choice: { type: "function", function: { name: "two" } },
  },
  messages: {
    messages: [user(CALLED)],
    tools: NAMES.map((name) => ({ name, input_schema: EMPTY })),
    tool_choice: { type: "tool", name: "two" },
  },
  responses: {
    input: CALLED,
    tools: NAMES.map((name) => ({ type: "function", name, parameters: EMPTY })),
    tool_choice: { type: "function", name: "two" },
  },
  gemini: {
    contents: [turn(CALLED)],
    tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: EMPTY })) }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["two"] } },
  },
};

const listNames = ({ tools }: JsonObject) =>
  asArray(tools).map((tool) => asObject(asObject(tool).function).name ?? asObject(tool).name);

const CACHED = { cache_control: { type: "ephemeral", scope: "global" } };
/** As Claude Code sends them. */
const NEWER_FIELDS: Bodies = {
  messages: {
    system: [{ type: "text", text: "Be brief.", ...CACHED }],
    messages: [user(SAY)],
    tools: [{ name: "one", input_schema: EMPTY, eager_input_streaming: true }],
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
  },
};
const REFUSED_FIELDS: readonly (readonly [found: RegExp, path: string])[] = [
  [/"context_management"/, "context_management"],
  [/"scope"/, "system.0.cache_control.scope"],
  [/"eager_input_streaming"/, "tools.0.custom.eager_input_streaming"],
];

const REFUSED_BETAS = ["effort-2025-11-24", "context-management-2025-06-27"];
const BETAS = ["interleaved-thinking-2025-05-14", ...REFUSED_BETAS];

const CUT = '{"path": "/tmp';
const makeTurns = (content: string | null, text: string) => [
  user("Look."),
  {
    role: "assistant",
    content,
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: text } }],
  },
  { role: "tool", tool_call_id: "c1", content: "done" },
  user(SAY),
];

/** The arguments of the calls in a body. */
const listArguments = ({ messages }: JsonObject) =>
  asArray(messages)
    .flatMap((one) => asArray(asObject(one).tool_calls))
    .map((call) => asObject(asObject(call).function).arguments);

function findUnanswered({ status, text }: SurfaceAnswer, said = "good"): unknown {
  return status === 200 && text.includes(said) ? null : [status, text];
}

const WINDOW = { background_options: { completion_window: "2h" } };

export const REFUSED_FINDINGS: readonly RefusedFinding[] = [
  {
    name: "X5",
    holds: "a server that takes a choice of tools only as a word is offered the named one alone",
    bodies: NAMED,
    providers: ["Plain", "Answers"],
    refuse: ({ tool_choice: choice }) =>
      typeof choice === "object"
        ? "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
        : null,
    words: ["tool_choice_object"],
    refusals: 1,
    findWrong: (answer) =>
      answer.sent.tool_choice === "required" && listNames(answer.sent).join() === "two"
        ? findUnanswered(answer, '"two"')
        : answer.sent,
  },
  {
    name: "X6",
    holds: "fields of the newest clients are left out for a server of Anthropic's form that lacks them",
    bodies: NEWER_FIELDS,
    providers: ["Claude"],
    refuse(body) {
      const text = JSON.stringify(body);
      const path = REFUSED_FIELDS.find(([found]) => found.test(text))?.[1];
      return path === undefined ? null : `${path}: Extra inputs are not permitted`;
    },
    words: [
      "field:context_management",
      "field:system[].cache_control.scope",
      "field:tools[].eager_input_streaming",
    ],
    refusals: 3,
    findWrong: (answer) => {
      const { system, tools } = answer.sent;
      const isWhole = JSON.stringify(system).includes("Be brief.") && asArray(tools).length === 1;
      return isWhole ? findUnanswered(answer) : answer.sent;
    },
  },
  {
    name: "betas",
    holds: "betas that a server of Anthropic's form doesn't know are left out and named",
    bodies: { messages: { messages: [user(SAY)] } },
    headers: { "anthropic-beta": BETAS.join(",") },
    providers: ["Claude"],
    refuse(_body, headers) {
      const asked = headers.get("anthropic-beta") ?? "";
      const [refused] = REFUSED_BETAS.filter((beta) => asked.includes(beta));
      return refused === undefined
        ? null
        : `Unexpected value(s) \`${refused}\` for the \`anthropic-beta\` header. Please try again without the header.`;
    },
    words: REFUSED_BETAS.map((beta) => `beta:${beta}`),
    refusals: REFUSED_BETAS.length,
    findWrong: (answer) =>
      answer.dropped === "anthropic-beta" ? findUnanswered(answer) : [answer.dropped, answer.text],
  },
  {
    name: "X14",
    holds: "an empty text beside calls goes up as null",
    bodies: { chat: { messages: makeTurns("", "{}") } },
    providers: ["Plain"],
    refuse: ({ messages }) =>
      asArray(messages).some((one) => asObject(one).content === "") ? "content must not be empty" : null,
    words: [],
    refusals: 0,
    findWrong: findUnanswered,
  },
  {
    name: "arguments",
    holds:
      "arguments that aren't JSON are put into an object for a server that takes them for its own failure",
    bodies: {
      chat: { messages: makeTurns(null, CUT) },
      responses: {
        input: [
          user("Look."),
          { type: "function_call", call_id: "c1", name: "look", arguments: CUT },
          { type: "function_call_output", call_id: "c1", output: "done" },
          user(SAY),
        ],
      },
    },
    providers: ["Plain"],
    status: 500,
    refuse: (body) =>
      listArguments(body).includes(CUT)
        ? "Failed to parse tool call arguments as JSON: parse error at line 1, column 15"
        : null,
    words: ["call_arguments"],
    refusals: 1,
    findWrong: (answer) =>
      Bun.deepEquals(listArguments(answer.sent), [JSON.stringify({ arguments: CUT })])
        ? findUnanswered(answer)
        : answer.sent,
  },
  {
    name: "thinking",
    holds: "a turn with calls gets blank thinking for a server that asks for all of it back",
    bodies: {
      chat: { messages: makeTurns(null, "{}") },
      messages: {
        messages: [
          user("Look."),
          { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "done" }] },
          user(SAY),
        ],
      },
    },
    providers: ["Plain"],
    refuse: ({ messages }) =>
      asArray(messages)
        .map(asObject)
        .some((one) => one.tool_calls !== undefined && !one.reasoning_content)
        ? "The `reasoning_content` in the thinking mode must be passed back to the API."
        : null,
    words: ["thoughts_required"],
    refusals: 1,
    findWrong: (answer) => (answer.dropped === null ? findUnanswered(answer) : answer.dropped),
  },
  {
    name: "JSON",
    holds: "JSON without a schema is asked for by the schema of any object",
    bodies: {
      chat: { messages: [user(`${SAY} as JSON`)], response_format: { type: "json_object" } },
      responses: { input: `${SAY} as JSON`, text: { format: { type: "json_object" } } },
      gemini: {
        contents: [turn(`${SAY} as JSON`)],
        generationConfig: { responseMimeType: "application/json" },
      },
    },
    providers: ["Plain"],
    refuse: ({ response_format: format }) =>
      asObject(format).type === "json_object"
        ? "'response_format.type' must be 'json_schema' or 'text'"
        : null,
    words: ["json_object"],
    refusals: 1,
    findWrong: ({ status, text, sent }) => {
      const { schema } = asObject(asObject(sent.response_format).json_schema);
      return status === 200 && asObject(schema).type === "object" ? null : [status, text, sent];
    },
  },
  {
    name: "unstreamed",
    holds: "a server that thinks by default, and only in streams, doesn't think in a whole answer",
    bodies: {
      chat: { messages: [user(SAY)] },
      messages: { messages: [user(SAY)] },
      responses: { input: SAY },
      gemini: { contents: [turn(SAY)] },
    },
    providers: ["Plain"],
    modes: [false],
    refuse: ({ enable_thinking: thinks, stream }) =>
      stream === true || thinks === false
        ? null
        : "parameter.enable_thinking must be set to false for non-streaming calls",
    words: ["unstreamed_thinking"],
    refusals: 1,
    findWrong: (answer) => (answer.sent.enable_thinking === false ? findUnanswered(answer) : answer.sent),
  },
  {
    name: "N3",
    holds: "a window of background work, which changes the price, is left out and named",
    bodies: {
      chat: { messages: [user(SAY)], ...WINDOW },
      responses: { input: SAY, ...WINDOW },
    },
    providers: ["OpenAI", "Responses", "Anthropic", "Google"],
    refuse: (body) => ("background_options" in body ? "Unknown parameter: 'background_options'." : null),
    words: [],
    refusals: 0,
    findWrong: (answer) =>
      answer.dropped?.includes("background_options") ? findUnanswered(answer) : answer.dropped,
  },
];

/** The findings whose tables or tests stand elsewhere, since they concern named vendors, answers, or what isn't a request. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  X1: ["whole/targets/tools-with-effort.test.ts"],
  X2: ["whole/targets/file-names.test.ts"],
  X3: ["whole/targets/minimax.test.ts"],
  X4: ["dialects/planned-marks.test.ts"],
  X7: ["whole/targets/named-vendors.test.ts"],
  X8: ["whole/targets/named-vendors.test.ts", "whole/targets/mended-forms.test.ts"],
  X9: ["whole/targets/named-vendors.test.ts", "whole/targets/mended-forms.test.ts"],
  X10: ["whole/failures/paused-payers.test.ts"],
  X11: ["whole/targets/minimax.test.ts"],
  X12: ["whole/targets/named-vendors.test.ts"],
  X13: ["whole/targets/named-vendors.test.ts"],
  X15: ["whole/targets/thin-answers.test.ts", "whole/targets/histories.test.ts"],
  N1: ["catalogue/november.test.ts"],
  N2: ["surfaces/finishes.test.ts"],
  N4: ["drift/drift.test.ts", "surfaces/drift.test.ts"],
};
