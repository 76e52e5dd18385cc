// Every known feature that a provider's interface can't express, with the reason.
import { expect } from "bun:test";
import { readMessage } from "./asking.ts";
import { answered, type Turn } from "./feature.ts";
import { DONE } from "./features-thinking.ts";

export interface Exception {
  readonly features: RegExp;
  readonly models: RegExp;
  /** The part of the provider's interface that causes it. */
  readonly why: string;
  /** The expected last answer instead. */
  readonly expects: Turn["expects"];
}

/** Dropping it would change the meaning, so it is refused before any upstream call. */
const refused: Turn["expects"] = ({ status, error }) => {
  expect([status, error?.code, error?.param]).toEqual([
    400,
    "unsupported_capability",
    expect.stringMatching(/^messages\[0\]/),
  ]);
};

/** Answered without the field, which is listed as dropped. */
function drops(field: string): Turn["expects"] {
  return (answer) => {
    answered(answer);
    expect(answer.dropped).toContain(field);
  };
}

/** Answered, with the field put into words for the model. */
function told(field: string, words: RegExp): Turn["expects"] {
  return (answer) => {
    drops(field)(answer);
    expect(answer.sent).toMatch(words);
  };
}

const hidesThinking: Turn["expects"] = (answer) => {
  answered(answer);
  expect(readMessage(answer).reasoning_content).toBeUndefined();
};

const NO_FORCE = /^(Anthropic#claude-(sonnet-5-5|fable-5-2)|Bedrock#(us\.)?(meta|openai))/;
const FORCED =
  /^(tool_choice (required|named)|allowed tools, required|functions, as they were called once|a long tool name, forced|long tool names, one allowed|a custom tool with a long name)$/;

export const EXCEPTIONS: readonly Exception[] = [
  {
    features: /^a huge limit$/,
    models: /^Anthropic#claude-sonnet-4-2025/,
    why: "not in the catalogue, so its limit is not known; Anthropic refuses a higher one",
    expects: ({ status, error }) => {
      expect([status, error?.message]).toEqual([
        400,
        expect.stringContaining("maximum allowed number of output tokens"),
      ]);
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
    features: /^an image by https$/,
    models: /^Bedrock#(us\.)?(amazon|meta)/,
    why: "Converse takes images as bytes alone",
    expects: refused,
  },
  {
    features: /image/,
    models: /^(Bedrock#openai|Mistral#magistral|Perplexity#sonar$|Cohere#command-(r|a-03|a-reasoning))/,
    why: "models without sight, by the catalogue",
    expects: refused,
  },
  {
    features: /^a PDF/,
    models: /^(Google#gemma|Mistral#m|Perplexity|Cohere|Bedrock#(us\.)?(amazon|meta|openai))/,
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
    models: /^(OpenAI#o3|Google|Cohere|Bedrock#(us\.)?(amazon|meta|openai))/,
    why: "no field for it at Google, Cohere and in Converse; OpenAI's o-series refuses the one there is",
    expects: drops("parallel_tool_calls"),
  },
  {
    features: FORCED,
    models: NO_FORCE,
    why: "Anthropic's newest models refuse forced tool use, as do some behind Converse; they are asked in words",
    expects: told("tool_choice", /In this answer, call/),
  },
  {
    features: FORCED,
    models: /^Cohere#command-r-08/,
    why: "Cohere models before Command R7B refuse `tool_choice`",
    expects: drops("tool_choice"),
  },
  {
    features: /^json_object$/,
    models: /^(Anthropic|Google#gemma|Perplexity|Bedrock)/,
    why: "no form for JSON without a schema; it is asked for in words",
    expects: told("response_format", /JSON/),
  },
  {
    features: /^a (strict|loose) schema$/,
    models: /^Bedrock#(us\.)?(amazon|meta)/,
    why: "structured output is not offered for them; the schema is told in words",
    expects: told("response_format", /valid under this JSON Schema/),
  },
  {
    features: /^a (strict|loose) schema$/,
    models: /^Google#gemma/,
    why: "Gemma refuses a JSON mime type; the schema is told in words",
    expects: told("response_format", /valid under this JSON Schema/),
  },
  {
    features: /^log probabilities$/,
    models: /^(Responses#(gpt-4|house)|Google#gemini-2.0)/,
    why: "asked for in the interface's own words; the simulated ones tell none",
    expects: (answer) => {
      answered(answer);
      expect(answer.dropped).toEqual([]);
      expect(answer.sent).toMatch(/"top_logprobs":1|"responseLogprobs":true/);
    },
  },
  {
    features: /^thinking that was tampered with$/,
    models:
      /^(OpenAI#(gpt-4|o3|gpt-5-mini|gpt-5\.[14]$)|Responses#(gpt-4|house)|Google#gemini-2.0|Mistral|Perplexity#(sonar|anthropic)|Cohere|Bedrock#(amazon|us\.meta)|Local)/,
    why: "nothing is sealed: no thinking, or none that the interface gives, or plain text",
    expects: DONE,
  },
  {
    features: /^thinking that was tampered with$/,
    models: /^(Anthropic#|Responses#gpt-6|Bedrock#(us\.anthropic|us\.amazon|openai))/,
    why: "after the provider's refusal the call is made once more without that thinking",
    expects: DONE,
  },
  {
    features: /^thinking is shown$/,
    models: /^(OpenAI#gpt-(5\.6|6|5\.1-codex)|Responses#(gpt-6|house))/,
    why: "OpenAI gives its thinking to verified organisations alone, so it isn't asked for unasked",
    expects: hidesThinking,
  },
  {
    features: /^thinking is shown/,
    models:
      /^(OpenAI#(gpt-4|o3|gpt-5-mini|gpt-5\.[14]$)|Responses#gpt-4|Google#gemini-2.0|Mistral#mistral-large|Perplexity|Bedrock#(amazon|us\.meta))/,
    why: "no thinking, or none that the interface gives",
    expects: hidesThinking,
  },
  {
    features: /^thinking is shown/,
    models: /^Cohere#command-(r|a-03)/,
    why: "no thinking, but Cohere's plan of its calls",
    expects: (answer) => expect(readMessage(answer).reasoning_content).toBe("I will use weather and clock."),
  },
];

export function findException(feature: string, model: string): Exception | undefined {
  return EXCEPTIONS.find(({ features, models }) => features.test(feature) && models.test(model));
}
