// Mistakes that people reported as badly answered: instructions in another API's field, limits that no model has, and suffixes,
// addresses and headers of other gateways.
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

export const REPORTED_MISTAKES: readonly Mistake[] = [
  ...BODIES.map(([name, body, what, where, right, path]) => ({
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
