// Where a provider's interface has no form for a feature: every known exception, with its reason on the wire.
import { expect } from "bun:test";
import { answered, type Turn } from "./feature.ts";

export interface Exception {
  readonly features: RegExp;
  readonly models: RegExp;
  /** What of the provider's interface makes it so. */
  readonly why: string;
  /** What is expected of the last answer instead. */
  readonly expects: Turn["expects"];
}

/** Leaving it out would change the meaning: refused before anybody is called. */
const refused: Turn["expects"] = ({ status, error }) => {
  expect([status, error?.code, error?.param]).toEqual([400, "unsupported_capability", expect.stringMatching(/^messages\[0\]/)]);
};

/** Answered without it, and the field is named. */
function drops(field: string): Turn["expects"] {
  return (answer) => {
    answered(answer);
    expect(answer.dropped).toContain(field);
  };
}

/** Answered, and told to the model in words. */
function told(field: string, words: RegExp): Turn["expects"] {
  return (answer) => {
    drops(field)(answer);
    expect(answer.sent).toMatch(words);
  };
}

const NO_STOP = /^(OpenAI#(o3|gpt-[5-9])|Responses|Perplexity)/;
const NO_FORCE = /^Anthropic#claude-(sonnet-5-5|fable-5-1)/;
const FORCED = /^(tool_choice (required|named)|allowed tools, required|functions, as they were called once)$/;

export const EXCEPTIONS: readonly Exception[] = [
  {
    features: /stop/,
    models: NO_STOP,
    why: "OpenAI's reasoning models refuse `stop`; Responses and Perplexity's Agent have no such field",
    expects: drops("stop"),
  },
  {
    features: /^a huge limit$/,
    models: /^Anthropic#claude-sonnet-4-2025/,
    why: "not in the catalogue, so its limit is not known; Anthropic refuses a higher one",
    expects: ({ status, error }) => {
      expect([status, error?.message]).toEqual([400, expect.stringContaining("maximum allowed number of output tokens")]);
    },
  },
  {
    features: /^(a|several) .*(system|developer) prompts?( in (parts|mid-conversation))?$/,
    models: /^Google#gemma/,
    why: "Gemma has no systemInstruction: its text stands before the first user turn",
    expects: (answer) => {
      answered(answer);
      expect(answer.sent).toMatch(/"role":"user","parts":\[\{"text":"Be /);
    },
  },
  {
    features: /image/,
    models: /^(Mistral#magistral|Perplexity#sonar$|Cohere#command-(r|a-03|a-reasoning))/,
    why: "models without sight, by the catalogue",
    expects: refused,
  },
  {
    features: /^a PDF$/,
    models: /^(Google#gemma|Mistral#m|Perplexity|Cohere)/,
    why: "Perplexity's and Cohere's parts are text and images alone; the others read no files, by the catalogue",
    expects: refused,
  },
  {
    features: /^sound$/,
    models: /^(?!Google#gemini|Local|OpenAI#gpt-4o-audio|Mistral#voxtral)/,
    why: "no form for audio in the interface, or a model that doesn't hear, by the catalogue",
    expects: refused,
  },
  {
    features: /^no parallel calls$/,
    models: /^(OpenAI#o3|Google|Cohere)/,
    why: "no field for it at Google and Cohere; OpenAI's o-series refuses the one there is",
    expects: drops("parallel_tool_calls"),
  },
  {
    features: FORCED,
    models: NO_FORCE,
    why: "Anthropic's newest models refuse forced tool use; they are asked in words",
    expects: told("tool_choice", /must call/),
  },
  {
    features: FORCED,
    models: /^Cohere#command-r-08/,
    why: "Cohere models before Command R7B refuse `tool_choice`",
    expects: drops("tool_choice"),
  },
  {
    features: /^json_object$/,
    models: /^(Anthropic|Google#gemma)/,
    why: "no form for JSON without a schema; it is asked for in words",
    expects: told("response_format", /JSON/),
  },
  {
    features: /^json_object$/,
    models: /^Perplexity/,
    why: "the Agent's only format is json_schema",
    expects: drops("response_format"),
  },
  {
    features: /^a (strict|loose) schema$/,
    models: /^Google#gemma/,
    why: "Gemma refuses a JSON mime type; the schema is told in words",
    expects: told("response_format", /must conform to this JSON Schema/),
  },
];

export function exceptionFor(feature: string, model: string): Exception | undefined {
  return EXCEPTIONS.find(({ features, models }) => features.test(feature) && models.test(model));
}
