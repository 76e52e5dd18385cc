// Mistakes in the body: no JSON, another API's fields, fields mistyped, of the wrong type or out of bounds.
import { ask, type Mistake } from "./mistake.ts";

const GOOD = JSON.stringify(ask(), null, 2);
const cut = (from: string, to: string) => GOOD.replace(from, to);
const hi = [{ role: "user", content: "hi" }];
const MODEL = "OpenAI#gpt-5.4";

type Text = readonly [name: string, body: string, what: RegExp, where: RegExp, right: RegExp];

const TEXTS: readonly Text[] = [
  ["an empty body", "", /empty/, /body/, /JSON object/],
  ["spaces alone", "  \n", /empty/, /body/, /JSON object/],
  ["a trailing comma", cut("  ]\n", "  ],\n"), /comma/, /line 8\b.*column/, /remove|without/i],
  ["a missing comma", cut('",\n', '"\n'), /comma is missing|missing comma/, /line 3, column 3/, /comma/],
  ["single quotes", `{'model': '${MODEL}'}`, /single quote/, /line 1, column 2\b/, /double quotes/],
  ["smart quotes", "{\n  “model”: 1}", /curly|smart|typographic/, /line 2, column 3/, /double quotes|"/],
  ["a comment", cut("{", "{ // the model"), /comment/, /line 1, column 3/, /no comments|remove/i],
  ["a hash comment", cut("{", "{ # the model"), /comment/, /line 1, column 3/, /no comments|remove/i],
  ["NaN", cut("{", '{"temperature": NaN,'), /NaN/, /line 1, column 17/, /number|null/],
  ["Python's True", cut("{", '{"stream": True,'), /True/, /line 1, column 12/, /\btrue\b/],
  ["Python's None", cut("{", '{"stop": None,'), /None/, /line 1, column 10/, /\bnull\b/],
  ["undefined", cut("{", '{"stop": undefined,'), /undefined/, /line 1, column 10/, /\bnull\b|leave/],
  ["an unquoted name", '{\n  model: "x"\n}', /quot/, /line 2, column 3/, /double quotes/],
  ["an unquoted text", '{"model": gpt}', /quot/, /line 1, column 11/, /double quotes/],
  ["a cut body", GOOD.slice(0, -4), /ends/, /line 7|line 8/, /\]|\}|close/],
  ["a text left open", '{"model": "OpenAI', /ends/, /line 1/, /quot|close/],
  ["a line break in a text", cut("good day", "good\nday"), /line break/, /line 6, column/, /\\n/],
  ["a wrong escape", cut("good day", "good \\' day"), /backslash|escape/, /line 6, column/, /\\\\/],
  ["two documents", `${GOOD}\n${GOOD}`, /after|second|behind/, /line 10, column 1/, /one/],
  ["a byte order mark", `\ufeff\ufeff${GOOD}`, /byte order mark/, /line 1, column 1/, /without|remove/i],
  ["a number with a point first", cut("{", '{"top_p": .5,'), /number/, /line 1, column 11/, /0\.5|digit/],
  ["a form as JSON", "model=x&prompt=hi", /form/, /body/, /JSON object/],
  ["a list", "[]", /list|array/, /body/, /object/],
  ["a text", '"hi"', /string|text/, /body/, /object/],
];

const CONTENT: readonly Mistake[] = [
  {
    name: "a form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "model=x&prompt=hi",
    status: 415,
    what: /form/,
    where: /body|Content-Type/i,
    right: /Content-Type: application\/json/i,
  },
  {
    name: "curl's -d without a type",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: ask(),
    status: 415,
    what: /form/,
    where: /Content-Type/i,
    right: /Content-Type: application\/json/i,
  },
  {
    name: "plain text",
    headers: { "content-type": "text/plain" },
    body: ask(),
    status: 415,
    what: /text\/plain|must be JSON/,
    where: /body|Content-Type/i,
    right: /Content-Type: application\/json/i,
  },
  {
    name: "compressed",
    headers: { "content-encoding": "gzip" },
    body: ask(),
    status: 415,
    what: /Compressed/,
    where: /bod(y|ies)/,
    right: /uncompressed/,
  },
  {
    name: "JSON to a form's route",
    path: "/v1/audio/transcriptions",
    body: { model: "OpenAI#whisper-1" },
    status: 415,
    what: /must be a form/,
    where: /body/,
    right: /multipart\/form-data/,
  },
];

type Fields = readonly [
  name: string,
  body: unknown,
  what: RegExp,
  where: RegExp,
  right: RegExp,
  path?: string,
];

const ELSEWHERE: readonly Fields[] = [
  ["mesages", { model: MODEL, mesages: hi }, /mesages/, /'messages'/, /mean|rename/],
  ["message", { model: MODEL, message: hi }, /'message'/, /'messages'/, /mean|rename/],
  ["modle", { modle: MODEL, messages: hi }, /modle/, /'model'/, /mean|rename/],
  ["Messages", { model: MODEL, Messages: hi }, /'Messages'/, /'messages'/, /mean|rename/],
  ["prompt in chat", { model: MODEL, prompt: "hi" }, /'prompt'/, /'messages'/, /\/v1\/completions|role/],
  ["contents in chat", { model: MODEL, contents: [] }, /'contents'/, /'messages'/, /generateContent/],
  [
    "documents in chat",
    { model: MODEL, query: "a", documents: ["b"] },
    /'documents'|'query'/,
    /'messages'/,
    /\/v1\/rerank/,
  ],
  [
    "messages in responses",
    { model: MODEL, messages: hi },
    /'messages'/,
    /'input'/,
    /\/v1\/chat\/completions/,
    "/v1/responses",
  ],
  [
    "prompt in embeddings",
    { model: MODEL, prompt: "hi" },
    /'prompt'/,
    /'input'/,
    /rename|mean|send|instead/,
    "/v1/embeddings",
  ],
  [
    "messages in completions",
    { model: MODEL, messages: hi },
    /'messages'/,
    /'prompt'/,
    /\/v1\/chat\/completions/,
    "/v1/completions",
  ],
  [
    "messages for images",
    { model: MODEL, messages: hi },
    /'messages'/,
    /'prompt'/,
    /\/v1\/chat\/completions/,
    "/v1/images/generations",
  ],
  [
    "max_completion_tokens in Messages",
    { ...ask(), max_completion_tokens: 9 },
    /'max_completion_tokens'/,
    /'max_tokens'/,
    /mean|rename|send/,
    "/v1/messages",
  ],
  [
    "models in place of a model",
    { models: ["OpenAI#gpt-5.4", "OpenAI#gpt-5"], messages: hi },
    /OpenRouter/,
    /'model'/,
    /alias/,
  ],
  ["no model", { messages: hi }, /Missing/, /'model'/, /Router#|\/v1\/models/],
  ["no messages", { model: MODEL }, /Missing/, /'messages'/, /role/],
  ["an empty object", {}, /Missing/, /'model'/, /Router#|\/v1\/models/],
];

const TYPES: readonly Fields[] = [
  ["a number in quotes", ask({ temperature: "0.7" }), /string/, /'temperature'/, /without (the )?quotes/],
  ["an integer in quotes", ask({ max_tokens: "100" }), /string/, /'max_tokens'/, /without (the )?quotes/],
  ["a boolean in quotes", ask({ stream: "true" }), /string/, /'stream'/, /without (the )?quotes/],
  ["a text for messages", ask({ messages: "hi" }), /string/, /'messages'/, /array/],
  ["one message alone", ask({ messages: hi[0] }), /object/, /'messages'/, /array/],
  ["no messages in the list", ask({ messages: [] }), /empty/, /'messages'/, /at least 1/],
  ["texts as messages", ask({ messages: ["hi"] }), /string/, /'messages\[0\]'/, /object/],
  [
    "an unknown role",
    ask({ messages: [{ role: "bot", content: "a" }] }),
    /Invalid value/,
    /'messages\[0\].role'/,
    /'user'/,
  ],
  ["no role", ask({ messages: [{ content: "a" }] }), /Missing/, /'messages\[0\].role'/, /'user'/],
  ["a hot temperature", ask({ temperature: 3 }), /above/, /'temperature'/, /<= 2/],
  ["no tokens", ask({ max_tokens: 0 }), /below/, /'max_tokens'/, />= 1/],
  ["half a token", ask({ max_tokens: 1.5 }), /decimal/, /'max_tokens'/, /integer/],
  ["five stops", ask({ stop: ["a", "b", "c", "d", "e"] }), /too long/, /'stop'/, /at most 4/],
  ["a hundred answers", ask({ n: 100 }), /above/, /'n'/, /<= 16/],
  [
    "a tool without a type",
    ask({ tools: [{ function: { name: "f" } }] }),
    /Missing/,
    /'tools\[0\].type'/,
    /'function'/,
  ],
  ["tool_choice without tools", ask({ tool_choice: "required" }), /only allowed/, /'tool_choice'/, /'tools'/],
  [
    "stream_options without stream",
    ask({ stream_options: { include_usage: true } }),
    /only allowed/,
    /'stream_options'/,
    /'stream'/,
  ],
  ["a model that is no text", ask({ model: 5 }), /number/, /'model'/, /string/],
];

export const BODY_MISTAKES: readonly Mistake[] = [
  ...TEXTS.map(([name, body, what, where, right]) => ({ name, body, status: 400, what, where, right })),
  ...CONTENT,
  ...[...ELSEWHERE, ...TYPES].map(([name, body, what, where, right, path]) => ({
    name,
    body,
    status: 400,
    what,
    where,
    right,
    ...(path === undefined ? {} : { path }),
  })),
];
