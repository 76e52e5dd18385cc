// Requests of real clients and answers of real servers that crossings used to get wrong (reports of 2025 and 2026), as rows of
// one table: each is asked on every surface that can say it, of a model of every dialect, whole and streamed.
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import type { Bodies, SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import type { SurfaceAnswer } from "../world/surface-asking.ts";

export interface Cell {
  readonly surface: SurfaceKey;
  readonly model: string;
  readonly stream: boolean;
}

/** An answer with the counts of its row, and those of the request that a finding compares it with. */
export type Played = SurfaceAnswer & { readonly counts: unknown; readonly twin: unknown };

export interface Finding {
  readonly name: string;
  readonly holds: string;
  /** The surfaces that can say it. */
  readonly bodies: Bodies;
  /** Of every dialect, if it is missing. */
  readonly models?: readonly string[];
  /** Added to the models' names: controls of the simulated provider, and those of a request that is counted alike. */
  readonly control?: string;
  readonly twin?: string;
  /** Cells that can't be wrong: a provider's own rule in its own API, or a server that takes it as it is. */
  readonly isExempt?: (surface: SurfaceKey, model: string) => boolean;
  /** Returns what is wrong with the answer, or null. */
  readonly findWrong: (played: Played, cell: Cell) => unknown;
}

/** A model of each dialect. */
export const DIALECT_MODELS: readonly string[] = [
  "OpenAI#gpt-5.4-mini",
  "Responses#gpt-5.4-mini",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
  "Mistral#mistral-medium-latest",
  "Cohere#command-a-03-2025",
  "Perplexity#anthropic/claude-sonnet-5",
  "Bedrock#us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "Bedrock#us.amazon.nova-2-lite-v1:0",
];

const SAY = "say: good day";
const user = (content: string) => ({ role: "user", content });
const turn = (text: string) => ({ role: "user", parts: [{ text }] });
const late = (role: string) => ({ role, content: "It is noon." });

const LATE_SYSTEM: Bodies = {
  chat: { messages: [{ role: "system", content: "Be brief." }, user("Hello."), late("system"), user(SAY)] },
  messages: { system: "Be brief.", messages: [user("Hello."), late("system"), user(SAY)] },
  responses: { instructions: "Be brief.", input: [user("Hello."), late("developer"), user(SAY)] },
  gemini: { systemInstruction: { parts: [{ text: "Be brief." }] }, contents: [turn("Hello."), turn(SAY)] },
};

const HI: Bodies = {
  chat: { messages: [user(SAY)] },
  messages: { messages: [user(SAY)] },
  responses: { input: SAY },
  gemini: { contents: [turn(SAY)] },
};

const variant = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "string" }, both: { type: "string" } },
  required: [name, "both"],
});
/** As Notion's tool server writes it. */
const UNION = { type: "object", anyOf: [variant("page"), variant("database")] };
const UNIONS: Bodies = {
  chat: { ...HI.chat, tools: [{ type: "function", function: { name: "find", parameters: UNION } }] },
  messages: { ...HI.messages, tools: [{ name: "find", input_schema: UNION }] },
  responses: { ...HI.responses, tools: [{ type: "function", name: "find", parameters: UNION }] },
  gemini: {
    ...HI.gemini,
    tools: [{ functionDeclarations: [{ name: "find", parametersJsonSchema: UNION }] }],
  },
};

const CLOSED = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const GUARANTEED: Bodies = {
  messages: { ...HI.messages, output_config: { format: { type: "json_schema", schema: CLOSED } } },
  gemini: {
    ...HI.gemini,
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: CLOSED },
  },
};

const SUMMARY = "They chose a blue roof.";
const COMPACTED: Bodies = {
  messages: {
    messages: [{ role: "assistant", content: [{ type: "compaction", content: SUMMARY }] }, user(SAY)],
  },
};

/** A request of Messages to a model of Claude's by name is passed on as it is, and the model's own to refuse. */
function isNative(surface: SurfaceKey, model: string): boolean {
  return surface === "messages" && model.includes("claude-sonnet-4");
}

function findUnanswered({ status, text }: Played): unknown {
  return status === 200 && text.includes("good") ? null : [status, text];
}

/** The words on which each surface's agents summarise a conversation. */
function findUnsaidOverflow({ status, text }: Played, { surface }: Cell): unknown {
  const error = asObject(asObject(parseJson(text)).error);
  const said = {
    chat: error.code === "context_length_exceeded",
    responses: error.code === "context_length_exceeded",
    messages: /prompt is too long/.test(String(error.message)) && error.type === "invalid_request_error",
    gemini: error.status === "INVALID_ARGUMENT",
  }[surface];
  return status === 400 && said ? null : [status, text];
}

/** Providers that enforce schemas by a word of their own. Others do so for every schema, or not at all. */
const STRICT = /^(OpenAI|Responses|Mistral)#/;

export const FINDINGS: readonly Finding[] = [
  {
    name: "W1",
    holds: "a system message after the first turn is taken",
    bodies: LATE_SYSTEM,
    models: [...DIALECT_MODELS, "Local#qwen3.6-27b", "Local#gemma-3-27b-it"],
    isExempt: isNative,
    findWrong: findUnanswered,
  },
  {
    name: "W4",
    holds: "a prompt that is too long is told in the words on which agents summarise",
    bodies: HI,
    control: "~trouble=context",
    findWrong: findUnsaidOverflow,
  },
  {
    name: "W5",
    holds: "a tool whose schema is a union at its top is offered",
    bodies: UNIONS,
    // Servers that render a template take unions, but the simulated one is as strict as OpenAI.
    isExempt: (_surface, model) => model.startsWith("Local#"),
    findWrong: (played) => {
      const sent = JSON.stringify(played.sent);
      const isWhole = ["page", "database", "both"].every((name) => sent.includes(name));
      return isWhole ? findUnanswered(played) : sent;
    },
  },
  {
    name: "W7",
    holds: "a schema that the client's API guarantees is enforced",
    bodies: GUARANTEED,
    findWrong: ({ status, text, sent, dropped }, { model }) => {
      const body = JSON.stringify(sent);
      const isStrict = !STRICT.test(model) || body.includes('"strict":true');
      return status === 200 && body.includes("city") && isStrict ? null : [status, dropped, text, body];
    },
  },
  {
    name: "W8",
    holds: "a summary that can be read stands before what follows it",
    bodies: COMPACTED,
    isExempt: isNative,
    findWrong: (played) => {
      const sent = JSON.stringify(played.sent);
      const isBefore = sent.includes(SUMMARY) && sent.indexOf(SUMMARY) < sent.indexOf(SAY);
      return isBefore ? findUnanswered(played) : sent;
    },
  },
  {
    name: "W15",
    holds: "usage that is reported several times is counted once, with its details",
    bodies: HI,
    control: "~tokens=40:10:20~trouble=odd-usage",
    twin: "~tokens=40:10:20",
    findWrong: ({ status, text, counts, twin }) =>
      status === 200 && Bun.deepEquals(counts, twin) ? null : [status, text, counts, twin],
  },
];

/** The findings that have tables of their own, since they concern one family, a choice among models, or one surface. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  W2: ["whole/models/chosen-models.test.ts"],
  W3: ["whole/answers/other-forms.test.ts"],
  W6: ["whole/answers/crossed-requests.test.ts"],
  W9: ["whole/answers/crossed-requests.test.ts", "whole/answers/crossed-answers.test.ts"],
  W10: ["whole/models/target-rows.test.ts"],
  W11: ["whole/failures/oversize-words.test.ts"],
  W12: ["whole/failures/bedrock.test.ts"],
  W13: ["whole/answers/crossed-requests.test.ts"],
  W14: ["whole/answers/crossed-requests.test.ts"],
  W16: ["whole/answers/crossed-answers.test.ts"],
  W17: ["whole/answers/completions.test.ts", "dialects/servers/completion-streams.test.ts"],
  W18: ["http/crossed-forms.test.ts", "whole/failures/broken-calls.test.ts"],
};
