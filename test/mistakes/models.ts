// Mistakes about models: names of elsewhere, mistyped, of another kind, off, not allowed, and what they can't take.
import { ask, type Mistake } from "./mistake.ts";

type Name = readonly [model: string, what: RegExp, right: RegExp];

const ABSENT = /does not exist/;
/** The provider is known here. */
const LACKED = /isn't in this gateway's catalogue \(prices of \d{4}-\d{2}-\d{2}\)/;

const NAMES: readonly Name[] = [
  ["gpt-5.4", ABSENT, /'OpenAI#gpt-5\.4'/],
  ["GPT-5.4", ABSENT, /'OpenAI#gpt-5\.4'/],
  ["gtp-5.4", ABSENT, /'OpenAI#gpt-5\.4'/],
  ["openai/gpt-5.4-2026-03-05", LACKED, /'OpenAI#gpt-5\.4'/],
  ["gpt-5.5-2026-08-07", ABSENT, /'OpenAI#gpt-5\.5'/],
  ["openai:gpt-5.5", ABSENT, /'OpenAI#gpt-5\.5'/],
  ["openai.gpt-5.5", ABSENT, /'OpenAI#gpt-5\.5'/],
  ["gpt_5_4_mini", ABSENT, /'OpenAI#gpt-5\.4-mini'/],
  ["anthropic/claude-sonnet-4.6", LACKED, /'Anthropic#claude-sonnet-4-6'/],
  ["claude-sonnet-4-6-20260930", ABSENT, /'Anthropic#claude-sonnet-4-6'/],
  ["claude-opus-5-latest", ABSENT, /'Anthropic#claude-opus-5'/],
  ["eu.anthropic.claude-opus-4-7-20260401-v1:0", ABSENT, /'Anthropic#claude-opus-4-7'/],
  ["claude-3-5-sonnet-20241022", ABSENT, /mean 'Anthropic#claude-sonnet-5'/],
  ["claude-3-opus-latest", ABSENT, /mean 'Anthropic#claude-opus-5'/],
  ["claude-sonnet-4-20250514", ABSENT, /mean 'Anthropic#claude-sonnet-5'/],
  ["gemini-1.5-pro", ABSENT, /mean 'Google#gemini-\d\S*-pro/],
  ["claude-sonet-5", ABSENT, /'Anthropic#claude-sonnet-5'/],
  ["models/gemini-3.5-flash", ABSENT, /'Google#gemini-3\.5-flash'/],
  ["google/gemini-3.5-flash:free", LACKED, /'Google#gemini-3\.5-flash'/],
  ["Open AI#gpt-5.4", ABSENT, /'OpenAI#gpt-5\.4'/],
  ["OpenAI#gpt5.4", LACKED, /'OpenAI#gpt-5\.4'/],
  ["OpenAI#gpt-99", LACKED, /poundkey catalogue update, a watched list, or unlisted_models/],
  ["Router", ABSENT, /'Router#best'/],
  ["best", ABSENT, /'Router#best'/],
  ["auto", ABSENT, /'Router#best'/],
  ["openrouter/auto", ABSENT, /'Router#best'/],
  ["Router#fastest", ABSENT, /'Router#light'/],
  ["xAI#grok-4.5", /No key is configured here for xAI/, /mean|Router#/],
  ["OpenAI#gpt-3.5-turbo", LACKED, /mean 'OpenAI#gpt-(?!\S*pro)\S*(mini|nano|luna)/],
  ["gpt-4", ABSENT, /mean 'OpenAI#gpt-/],
  [
    "xAI#grok-4",
    /No key is configured here for xAI/,
    /mean '(?!Google#gemini-\S+' or 'Google#gemini-\S+' or 'Google#)/,
  ],
  ["my-own-model", ABSENT, /'Router#best'.*\/v1\/models|\/v1\/models.*'Router#best'/],
];

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const seeing = (model: string) => ask({ model, messages: [{ role: "user", content: [IMAGE] }] });
const tool = { type: "function", function: { name: "f", parameters: {} } };

export const MODEL_MISTAKES: readonly Mistake[] = [
  ...NAMES.map(([model, what, right]) => ({
    name: `the model '${model}'`,
    body: ask({ model }),
    status: 404,
    what,
    right,
    where: /model '/,
  })),
  {
    name: "an old model for images",
    path: "/v1/images/generations",
    body: { model: "dall-e-3", prompt: "a cat" },
    status: 404,
    what: ABSENT,
    where: /'dall-e-3'/,
    right: /'OpenAI#gpt-image/,
  },
  {
    name: "a model for images in chat",
    body: ask({ model: "OpenAI#gpt-image-1" }),
    status: 400,
    what: /images/,
    where: /OpenAI#gpt-image-1/,
    right: /only images.*'(OpenAI|Anthropic|Google)#/,
  },
  {
    name: "a chat model for embeddings",
    path: "/v1/embeddings",
    body: { model: "OpenAI#gpt-5.4", input: "hi" },
    status: 400,
    what: /embeddings/,
    where: /OpenAI#gpt-5\.4/,
    right: /'OpenAI#text-embedding|\/v1\/chat\/completions/,
  },
  {
    name: "a selector for embeddings",
    path: "/v1/embeddings",
    body: { model: "Router#best", input: "hi" },
    status: 400,
    what: /only chooses chat models/,
    where: /Router#best/,
    right: /'OpenAI#text-embedding|<Provider>#<model>/,
  },
  {
    name: "an image to a model of texts",
    body: seeing("Acme#plain"),
    status: 400,
    what: /does not accept images/,
    where: /Acme#plain/,
    right: /'(OpenAI|Anthropic|Google)#/,
  },
  {
    name: "an image to a model of texts, with a key that has no other",
    who: "restricted",
    body: seeing("Acme#plain"),
    status: 400,
    what: /does not accept images/,
    where: /Acme#plain/,
    right: /No model .*this key/,
  },
  {
    name: "an image to a selector, with a key that has no model for it",
    who: "restricted",
    body: seeing("Router#best"),
    status: 400,
    what: /Removed by: .*vision/,
    where: /Router#best/,
    right: /\/v1\/route/,
  },
  {
    name: "tools to a model without them",
    body: ask({ model: "Acme#plain", tools: [tool] }),
    status: 400,
    what: /does not accept tools/,
    where: /Acme#plain/,
    right: /'(OpenAI|Anthropic|Google)#/,
  },
  {
    name: "a model that the key may not use",
    who: "restricted",
    body: ask(),
    status: 403,
    what: /may not use/,
    where: /OpenAI#gpt-5\.4/,
    right: /'Acme#\*'/,
  },
  {
    name: "a mistyped id in the list of models",
    path: "/v1/models/OpenAI%23gpt-5.44",
    status: 404,
    what: LACKED,
    where: /gpt-5\.44/,
    right: /'OpenAI#gpt-5\.4'/,
  },
];
