// Mistakes that people reported as badly answered: fields, roles, tools and pictures in the form of another API, limits that no
// model has, and suffixes, addresses and headers of other gateways.
import { ask, type Mistake } from "./mistake.ts";

const TOOL = { type: "function", function: { name: "f", parameters: {} } };

type Body = readonly [name: string, body: unknown, what: RegExp, where: RegExp, right: RegExp, path?: string];

const BODIES: readonly Body[] = [
  ["Anthropic's system", ask({ system: "be brief" }), /belongs to Anthropic/, /'system'/, /role 'system'/],
  ["extra_body as a field", ask({ extra_body: { top_k: 1 } }), /OpenAI's SDK/, /'extra_body'/, /top level/],
  ["a limit of twenty million", ask({ max_tokens: 20_000_000 }), /above/, /'max_tokens'/, /<= 10000000/],
  [
    "a limit of twenty million, by its newer name",
    ask({ max_completion_tokens: 20_000_000 }),
    /above/,
    /'max_completion_tokens'/,
    /<= 10000000/,
  ],
  [
    "OpenAI's tools in Messages",
    { ...ask(), max_tokens: 9, tools: [TOOL] },
    /OpenAI's form/,
    /'tools\[0\]\.function'/,
    /input_schema/,
    "/v1/messages",
  ],
  [
    "a bare schema",
    ask({ response_format: { type: "json_schema", schema: { type: "object" } } }),
    /Missing/,
    /'response_format\.json_schema'/,
    /"schema": /,
  ],
  [
    "broken base64",
    ask({
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "data:image/png;base64,@@not base64@@" } }],
        },
      ],
    }),
    /base64/,
    /'messages\[0\]\.content\[0\]\.image_url\.url'/,
    /data:image\/png;base64,/,
  ],
];

const CLAUDE = "Anthropic#claude-sonnet-4-5";
const GEMINI = "Google#gemini-2.5-flash";
const BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
const PREFIX = /"data:image\/png;base64,"/;
const hi = { role: "user", content: "hi" };

const say = (...messages: readonly unknown[]) => ask({ messages });
const saying = (model: string, ...messages: readonly unknown[]) => ask({ model, messages });
const show = (url: string) => say({ role: "user", content: [{ type: "image_url", image_url: { url } }] });
const letter = (changes: object) => ({ ...ask(), max_tokens: 9, ...changes });
const offer = (tool: object) => ask({ tools: [tool] });
const at = (model: string) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
const CALL = { id: "c_1", type: "function", function: { name: "f", arguments: "{}" } };
const RESULT = { role: "tool", tool_call_id: "c_2", content: "x" };
const MARKED = { type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "2h" } };
const SOURCE = { type: "base64", media_type: "image/png", data: `data:image/png;base64,${BASE64}` };

/** Fields, roles and tools that one API has and another one hasn't, or has elsewhere. */
const CROSSED: readonly Body[] = [
  [
    "OpenAI's developer in Messages",
    letter({ messages: [{ role: "developer", content: "be brief" }, hi] }),
    /Invalid value/,
    /'messages\[0\]\.role'/,
    /'system'/,
    "/v1/messages",
  ],
  [
    "OpenAI's tool in Messages",
    letter({ messages: [hi, RESULT] }),
    /Invalid value/,
    /'messages\[1\]\.role'/,
    /'tool_result'/,
    "/v1/messages",
  ],
  ["bare base64", show(BASE64), /base64 without its type/, /'messages\[0\]\.content\[0\]'/, PREFIX],
  ["a picture's path", show("/home/ann/cat.png"), /own machine/, /'messages\[0\]\.content\[0\]'/, PREFIX],
  [
    "bare base64 in Responses",
    {
      model: "OpenAI#gpt-5.4",
      input: [{ role: "user", content: [{ type: "input_image", image_url: BASE64 }] }],
    },
    /base64 without its type/,
    /'input\[0\]\.content\[0\]'/,
    PREFIX,
    "/v1/responses",
  ],
  [
    "a data: URL in Messages",
    letter({ model: CLAUDE, messages: [{ role: "user", content: [{ type: "image", source: SOURCE }] }] }),
    /only the base64/,
    /'messages\[0\]\.content\[0\]\.source\.data'/,
    /Leave out "data:image\/png;base64,"/,
    "/v1/messages",
  ],
  [
    "a data: URL in Gemini",
    { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: SOURCE.data } }] }] },
    /only the base64/,
    /'contents\[0\]\.parts\[0\]\.inlineData\.data'/,
    /Leave out "data:image\/png;base64,"/,
    at(GEMINI),
  ],
  [
    "a search as a tool",
    offer({ type: "web_search" }),
    /searches the web/,
    /'tools\[0\]\.type'/,
    /\/v1\/responses/,
  ],
  ["Google's search", offer({ googleSearch: {} }), /searches the web/, /'tools\[0\]/, /'web_search_options'/],
  [
    "a tool that runs code",
    offer({ type: "code_interpreter", container: { type: "auto" } }),
    /provider would run/,
    /'tools\[0\]\.type'/,
    /function of your own/,
  ],
  [
    "a tool that runs code, in Responses on Claude",
    { model: CLAUDE, input: "hi", tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    /doesn't run the code/,
    /'tools\[0\]'/,
    /function of your own/,
    "/v1/responses",
  ],
  [
    "Anthropic's tool",
    offer({ type: "bash_20250124", name: "bash" }),
    /Anthropic/,
    /'tools\[0\]/,
    /\/v1\/messages/,
  ],
  ...["response_schema", "responseSchema", "generationConfig"].map((field): Body => {
    const schema = { type: "object", properties: {} };
    const value = field === "generationConfig" ? { responseSchema: schema } : schema;
    return [
      field,
      ask({ [field]: value }),
      /another API/,
      new RegExp(`'${field}'`),
      /"json_schema": \{"name"/,
    ];
  }),
  [
    "response_format in Responses",
    { model: CLAUDE, input: "hi", response_format: { type: "json_object" } },
    /another API/,
    /'response_format'/,
    /'text': \{"format"/,
    "/v1/responses",
  ],
  [
    "response_format in Messages",
    letter({ model: CLAUDE, response_format: { type: "json_schema", json_schema: {} } }),
    /another API/,
    /'response_format'/,
    /'output_config'/,
    "/v1/messages",
  ],
  ...["OpenAI#gpt-5.4", CLAUDE, GEMINI].map(
    (model): Body => [
      `a result without its call, to ${model}`,
      saying(model, hi, RESULT),
      /no call right before it/,
      /'messages\[1\]'/,
      /'tool_calls'/,
    ],
  ),
  [
    "a result with another id",
    saying(CLAUDE, hi, { role: "assistant", content: null, tool_calls: [CALL] }, RESULT),
    /no call right before it/,
    /'messages\[2\]'/,
    /leave the result out/,
  ],
  [
    "a call without its result",
    saying(CLAUDE, hi, { role: "assistant", content: null, tool_calls: [CALL] }, hi),
    /call without a result/,
    /'messages\[1\]\.tool_calls\[0\]'/,
    /role 'tool'/,
  ],
  [
    "a result without its call in Messages",
    letter({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] }],
    }),
    /no call right before it/,
    /'messages\[0\]\.content\[0\]'/,
    /'tool_use'/,
    "/v1/messages",
  ],
  [
    "a result without its call in Responses",
    { model: CLAUDE, input: [hi, { type: "function_call_output", call_id: "c", output: "x" }] },
    /no call before it/,
    /'input\[1\]'/,
    /'function_call' item/,
    "/v1/responses",
  ],
  [
    "a result without its call in Gemini",
    { contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }] },
    /no call right before it/,
    /'contents\[0\]\.parts\[0\]'/,
    /'functionCall'/,
    at(GEMINI),
  ],
  [
    "a time that no cache has",
    saying(CLAUDE, { role: "user", content: [MARKED] }),
    /must be/,
    /^'messages\[0\]\.content\[0\]\.cache_control\.ttl'/,
    /'5m' or '1h'/,
  ],
];

export const REPORTED_MISTAKES: readonly Mistake[] = [
  ...[...BODIES, ...CROSSED].map(([name, body, what, where, right, path]) => ({
    name,
    body,
    status: 400,
    what,
    where,
    right,
    ...(path === undefined ? {} : { path }),
  })),
  {
    name: "OpenRouter's suffix for a search of the web",
    body: ask({ model: "openai/gpt-5.4:online" }),
    status: 404,
    what: /isn't in this gateway's catalogue/,
    where: /model '/,
    right: /'OpenAI#gpt-5\.4'.*'web_search_options'/,
  },
  {
    name: "an address that ends at the model's '#'",
    path: "/v1/models/OpenAI",
    status: 404,
    what: /'#' ends an address/,
    where: /'OpenAI'/,
    right: /%23/,
  },
  {
    name: "Portkey's header for the key",
    headers: { authorization: null, "x-portkey-api-key": "{secret}" },
    body: ask(),
    status: 401,
    what: /key was sent in|in 'x-portkey-api-key'|x-portkey-api-key/,
    where: /x-portkey-api-key/,
    right: /Bearer sk-/,
  },
  {
    name: "a model whose only provider is dead",
    who: "restricted",
    body: ask({ model: "Acme#plain" }),
    status: 502,
    what: /could not be reached/,
    where: /'Acme#plain'/,
    right: /fallbacks|another model/,
  },
];
