// The sentences in which a server refuses a request that can be sent in another way, and where they don't count.
import { expect, test } from "bun:test";
import { REFUSAL_SENTENCES, readRefusals } from "../../src/core/models/words/refusal.ts";

const SENTENCES = REFUSAL_SENTENCES.map(({ says }) => says);
const [first = "", ollama = "", second = ""] = SENTENCES;
const [late = "", tools = "", since = ""] = SENTENCES.slice(-3);

test.each([
  ["as Ollama writes it", 500, ollama],
  ["without its dot", 400, `Jinja Exception: ${first.slice(0, -1)}`],
  ["alone, as vLLM before 2025", 400, second],
  ["twice, as vLLM since", 400, `${second} ${second}`],
  ["behind llama.cpp's words", 400, `Jinja Exception: ${first}`],
  [
    "on a line of its own",
    500,
    `While executing CallExpression at line 85, column 32:\nError: Jinja Exception: ${first}`,
  ],
  [
    "in LM Studio's quotes",
    400,
    `Error rendering prompt with jinja template: "${second}".\n\nThis is usually an issue with the model's prompt template.`,
  ],
  [
    "behind LiteLLM's words",
    400,
    `litellm.BadRequestError: Hosted_vllmException - ${first}. Received Model Group=qwen\nAvailable Model Group Fallbacks=None`,
  ],
  [
    "in a body that LiteLLM quotes",
    400,
    `litellm.BadRequestError: MistralException - {"object":"error","message":"${first}","type":"x","code":"3230"}`,
  ],
  [
    "in a body as Python writes it",
    400,
    `litellm.BadRequestError: OpenAIException - Error code: 400 - {'object': 'error', 'message': '${second}', 'code': 400}`,
  ],
  ["about a named model", 400, tools.replace("*", "ft:gpt-5.4-mini:house:x")],
  [
    "with a request's number behind it",
    400,
    `${tools.replace("*", "gpt-5.5")} (tid: 2026060603462294496503)`,
  ],
  ["with another's behind it", 400, `${since.replace("*", "gpt-5.6-terra")} (Request ID: req_2e5baf1ac3b8)`],
  [
    "in quotes within quotes",
    400,
    `litellm.BadRequestError: OpenAIException - ${since.replace("*", "gpt-5.6")}`,
  ],
  ["behind MiniMax's opening", 400, `invalid params, ${late}`],
  ["without that", 400, late],
  ["behind that and LiteLLM's words", 400, `MinimaxException - invalid params, ${late}`],
])("counts %s", (_name, status, message) => {
  const isIn = (says: string) => says.split("*").every((part) => message.includes(part.replace(/\.+$/, "")));
  const wanted = REFUSAL_SENTENCES.find(({ says }) => isIn(says))?.refuses;
  expect(wanted).toBeDefined();
  expect(readRefusals(status, message)).toEqual(wanted ?? []);
});

test.each([
  ["with a status that says something else", 429, first],
  ["quoted from the client", 400, `Invalid value '${first}' for messages[0].name`],
  ["quoted behind other words", 400, `Unknown tool "${first}"`],
  ["in a body that the server quotes", 400, `1 validation error: {'tools': [{'message': '${first}'}]}`],
  ["behind a proxy's words in the client's", 400, `Unknown tool x Exception - ${first}`],
  ["about a model whose name is a sentence", 400, tools.replace("*", "a model of mine")],
  ["with words around it", 400, `The text ${first} was flagged`],
])("doesn't count %s", (_name, status, message) => {
  expect(readRefusals(status, message)).toEqual([]);
});
