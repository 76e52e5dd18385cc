// Gemini's parts and tools: the names that the gateway knows, and where each of them holds others.

import { type Grammar, makeForm, type Nodes } from "../../operations/text-grammar.ts";
import { KnownNames } from "../known.ts";
import { explainShared, REMOTE } from "../lane.ts";
import { toDocumented } from "./spelling.ts";

export const SEARCH_TOOLS = ["googleSearch", "googleSearchRetrieval"] as const;

/** Tools, by the field that holds them. */
export const TOOLS = new KnownNames([
  { treatment: "pass", reason: "The client runs it.", names: ["functionDeclarations"] },
  {
    treatment: "hold",
    reason: "The model decides how often it searches, up to a bound.",
    names: SEARCH_TOOLS,
  },
  { treatment: "refuse", reason: explainShared("A file store"), names: ["fileSearch"] },
  { treatment: "refuse", reason: explainShared("A data store"), names: ["retrieval"] },
  { treatment: "refuse", reason: REMOTE, names: ["mcpServers"] },
  {
    treatment: "refuse",
    reason: 'Send functions as {"functionDeclarations": [{"name": …, "parameters": …}]}.',
    names: ["function", "parameters", "inputSchema"],
  },
  {
    treatment: "drop",
    reason: "The provider would run it, and the card has no price for it.",
    names: [
      "codeExecution",
      "urlContext",
      "googleMaps",
      "enterpriseWebSearch",
      "exaAiSearch",
      "parallelAiSearch",
    ],
  },
  { treatment: "drop", reason: "It declares functions that no other model has.", names: ["computerUse"] },
]);

export type Kind =
  | ("body" | "config" | "content" | "part" | "media" | "call" | "response")
  | ("tool" | "declaration" | "fields");

const parts: Nodes<Kind> = { kind: "part", takes: ["object", "list"] };
const media: Nodes<Kind> = { kind: "media", takes: ["object"] };
const call: Nodes<Kind> = { kind: "call", takes: ["object"] };
const response: Nodes<Kind> = { kind: "response", takes: ["object"] };

/** JSON of the client's with some fields of the API. */
const fields = { own: "fields" } as const;

/** The fields of a part. Each is a kind of content, or says something about it. */
export const PART = makeForm<Kind>({
  text: "text",
  thought: "setting",
  thoughtSignature: "setting",
  inlineData: media,
  fileData: media,
  mediaResolution: "setting",
  mediaProcessing: "setting",
  videoMetadata: "setting",
  partMetadata: "own",
  speechMetadata: "own",
  functionCall: call,
  toolCall: call,
  functionResponse: response,
  toolResponse: response,
  executableCode: fields,
  codeExecutionResult: fields,
  audioTranscription: fields,
});

const schemas = {
  responseSchema: "schema",
  responseJsonSchema: "schema",
  _responseJsonSchema: "schema",
} as const;

export const GRAMMAR: Grammar<Kind> = {
  stray: "part",
  spell: toDocumented,
  kinds: {
    body: {
      form: makeForm({
        contents: { kind: "content", takes: ["list"] },
        systemInstruction: { kind: "content", takes: ["text", "object"] },
        tools: { kind: "tool", takes: ["list"] },
        generationConfig: { kind: "config", takes: ["object"] },
      }),
      others: "settings",
    },
    config: { form: makeForm(schemas), others: "settings" },
    content: { form: makeForm({ parts }), others: "settings" },
    part: { form: PART, others: "settings" },
    media: { form: makeForm({ displayName: "text", data: "file" }), others: "settings" },
    call: { form: makeForm({ name: "text", args: "own", partialArgs: fields }), others: "settings" },
    response: { form: makeForm({ name: "text", response: "own", parts }), others: "settings" },
    tool: {
      form: makeForm({ functionDeclarations: { kind: "declaration", takes: ["list"] } }),
      others: "settings",
    },
    declaration: {
      form: makeForm({
        name: "text",
        description: "text",
        parameters: "schema",
        parametersJsonSchema: "schema",
        response: "schema",
        responseJsonSchema: "schema",
      }),
      others: "settings",
    },
    fields: { form: makeForm({}) },
  },
};
