// A gateway before named vendors, each as strict as its rules say, and the requests that meet these rules.
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { findVendorRefusal } from "../../simulator/rules/vendor-rules.ts";
import { type Bodies, SURFACE_KEYS, type SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { askSurface, type SurfaceAnswer } from "../world/surface-asking.ts";

/** The vendors, with the address at which an operator's own row may ask them. */
const ADDRESSES = {
  xAI: "https://api.x.ai",
  Moonshot: "https://api.moonshot.ai",
  ZAI: "https://api.z.ai",
  Cerebras: "https://api.cerebras.ai",
  MiniMax: "https://api.minimax.io",
} as const;
export type Vendor = keyof typeof ADDRESSES;

/** A server of one's own has no address by which it is known. */
export const LM_STUDIO = "LMStudio";

export const NAMED_WAYS = SURFACE_KEYS.flatMap((surface) => [
  { surface, stream: false },
  { surface, stream: true },
]);

export interface NamedVendors {
  /** Returns the answer, with the body of the only call for it. */
  ask(surface: SurfaceKey, model: string, body: JsonObject, stream: boolean): Promise<SurfaceAnswer>;
  stop(): Promise<void>;
}

/** `xAI#…` is the known provider, `MinexAI#…` the operator's own row at its address, `Direct#…` one that speaks Responses. */
export async function startNamedVendors(): Promise<NamedVendors> {
  const sent: JsonObject[] = [];
  let simulated = "";
  const answer: Fetch = async (asked, init) => {
    const own = Object.values(ADDRESSES).find((address) => asked.startsWith(address));
    const request = new Request(own === undefined ? asked : asked.replace(own, simulated), init);
    const body = asObject(parseJson(await request.clone().text()));
    sent.push(body);
    const refusal = findVendorRefusal(body, String(body.model));
    if (refusal === null) return await fetch(request);
    return Response.json({ error: { message: refusal, type: "invalid_request_error" } }, { status: 400 });
  };
  const more = (url: string) => {
    simulated = url;
    return writeRows(url);
  };
  const gateway = await startUnderTest({ fetch: answer, more });
  return {
    ask: async (surface, model, body, stream) => await askOnce(gateway, sent, surface, model, body, stream),
    stop: () => gateway.stop(),
  };
}

function writeRows(url: string): string {
  const more = "keys: [sim-key], unlisted_models: true";
  const rows = Object.entries(ADDRESSES).flatMap(([name, address]) => [
    `  ${name}: { base_url: "${url}/openai/v1", ${more} }`,
    `  Mine${name}: { dialect: openai, base_url: "${address}/openai/v1", ${more} }`,
  ]);
  const local = `  ${LM_STUDIO}: { base_url: "${url}/openai/v1", ${more} }`;
  return [...rows, local, `  Direct: { dialect: responses, base_url: "${url}/openai/v1", ${more} }`].join(
    "\n",
  );
}

async function askOnce(
  gateway: UnderTest,
  sent: readonly JsonObject[],
  surface: SurfaceKey,
  model: string,
  body: JsonObject,
  stream: boolean,
): Promise<SurfaceAnswer> {
  const before = sent.length;
  const answer = await askSurface(gateway, { surface, model, body, stream });
  const [only, ...others] = sent.slice(before);
  if (only === undefined || others.length > 0)
    throw new Error(`${others.length + Number(only !== undefined)} calls for one request: ${answer.text}`);
  return { ...answer, sent: only };
}

export interface NamedTool {
  readonly name: string;
  readonly schema: JsonObject;
}

interface Asked {
  readonly text: string;
  readonly effort?: "high";
  /** JSON without a schema. */
  readonly isJson?: true;
  readonly tools?: readonly NamedTool[];
  /** The name of the tool that must be called. */
  readonly choice?: string;
  /** A call that was made before, with thinking. */
  readonly called?: string;
}

/** Says the same in the form of each surface. */
export function writeBodies(asked: Asked): Required<Bodies> {
  return {
    chat: writeChat(asked),
    messages: writeMessages(asked),
    responses: writeResponses(asked),
    gemini: writeGemini(asked),
  };
}

const THOUGHT = "Hm, let me look.";
const ID = "call_1";

function writeChat({ text, effort, tools, choice, called, isJson }: Asked): JsonObject {
  const call = { id: ID, type: "function", function: { name: called, arguments: "{}" } };
  const history = [
    { role: "user", content: "Look." },
    { role: "assistant", content: null, reasoning_content: THOUGHT, tool_calls: [call] },
    { role: "tool", tool_call_id: ID, content: "seen" },
  ];
  return {
    messages: [...(called === undefined ? [] : history), { role: "user", content: text }],
    ...(effort && { reasoning_effort: effort }),
    ...(isJson && { response_format: { type: "json_object" } }),
    ...(tools && {
      tools: tools.map(({ name, schema }) => ({ type: "function", function: { name, parameters: schema } })),
    }),
    ...(choice && { tool_choice: { type: "function", function: { name: choice } } }),
  };
}

function writeMessages({ text, effort, tools, choice, called }: Asked): JsonObject {
  const thought = { type: "thinking", thinking: THOUGHT, signature: "c2lnbmVk" };
  const call = { type: "tool_use", id: ID, name: called, input: {} };
  const history = [
    { role: "user", content: "Look." },
    { role: "assistant", content: [thought, call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: ID, content: "seen" }] },
    { role: "assistant", content: "Seen." },
  ];
  return {
    messages: [...(called === undefined ? [] : history), { role: "user", content: text }],
    ...(effort && { thinking: { type: "adaptive" }, output_config: { effort } }),
    ...(tools && { tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })) }),
    ...(choice && { tool_choice: { type: "tool", name: choice } }),
  };
}

function writeResponses({ text, effort, tools, choice, called, isJson }: Asked): JsonObject {
  const history = [
    { role: "user", content: "Look." },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: THOUGHT }] },
    { type: "function_call", call_id: ID, name: called, arguments: "{}" },
    { type: "function_call_output", call_id: ID, output: "seen" },
  ];
  return {
    input: [...(called === undefined ? [] : history), { role: "user", content: text }],
    ...(effort && { reasoning: { effort } }),
    ...(isJson && { text: { format: { type: "json_object" } } }),
    ...(tools && {
      tools: tools.map(({ name, schema }) => ({ type: "function", name, parameters: schema })),
    }),
    ...(choice && { tool_choice: { type: "function", name: choice } }),
  };
}

function writeGemini({ text, effort, tools, choice, called, isJson }: Asked): JsonObject {
  const history = [
    { role: "user", parts: [{ text: "Look." }] },
    {
      role: "model",
      parts: [{ text: THOUGHT, thought: true }, { functionCall: { name: called, args: {} } }],
    },
    { role: "user", parts: [{ functionResponse: { name: called, response: { output: "seen" } } }] },
    { role: "model", parts: [{ text: "Seen." }] },
  ];
  const declared = tools?.map(({ name, schema }) => ({ name, parametersJsonSchema: schema }));
  return {
    contents: [...(called === undefined ? [] : history), { role: "user", parts: [{ text }] }],
    ...(effort && { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } }),
    ...(isJson && { generationConfig: { responseMimeType: "application/json" } }),
    ...(declared && { tools: [{ functionDeclarations: declared }] }),
    ...(choice && {
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [choice] } },
    }),
  };
}
