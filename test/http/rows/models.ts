// Scenario rows: model ids in requests, URLs and the list, for keys that may use all models or a few.
import { expect } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { asking } from "../../whole/world/world.ts";
import type { Row } from "./row.ts";

/** The name in the request → the id of the answering model. */
const NAMED: readonly (readonly [string, string])[] = [
  ["OpenAI#gpt-5.4", "OpenAI#gpt-5.4"],
  ["OpenAI/gpt-5.4", "OpenAI#gpt-5.4"],
  ["openai#gpt-5.4", "OpenAI#gpt-5.4"],
  ["OPENAI/gpt-5.4", "OpenAI#gpt-5.4"],
  ["anthropic/claude-sonnet-5", "Anthropic#claude-sonnet-5"],
  ["Acme#maker/model-1", "Acme#maker/model-1"],
  ["acme/maker/model-1", "Acme#maker/model-1"],
  ["gpt", "OpenAI#gpt-5.4"],
  ["house", "Acme#cheap"],
  ["pass", "Local#whatever"],
  ["Local#a#b/c", "Local#a#b/c"],
];

/** Unknown names → the suggestion in the message, or another sentence of it. Null if it doesn't matter. */
const UNKNOWN: readonly (readonly [string, string | null])[] = [
  ["gpt-5.4", "'OpenAI#gpt-5.4'"],
  ["claude-sonnet-5", "'Anthropic#claude-sonnet-5'"],
  ["claude-sonet-5", "'Anthropic#claude-sonnet-5'"],
  ["gemini-3.5-flsh", "'Google#gemini-3.5-flash'"],
  ["Acme#chaep", "'Acme#cheap'"],
  ["Acme#unheard-of", "isn't in this gateway's catalogue (prices of "],
  ["Nobody#gpt-5.4", "'OpenAI#gpt-5.4'"],
  ["xAI#grok-none", "No key is configured here for xAI."],
  ["xAl#grok-4.5", "No key is configured here for xAI."],
  ["grok-4.5", "No key is configured here for xAI."],
  ["deepseek/none-of-them", "No key is configured here for DeepSeek."],
  ["zzzzzzzzzzzzzzzzzzzzzzzz", "Name models as <Provider>#<model>. GET /v1/models lists them."],
  ["Router#fastest", "'Router#best', 'Router#fair', 'Router#light'"],
  ["router/Best", "'Router#best', 'Router#fair', 'Router#light'"],
  ["Acme/maker#model-1", null],
  ["#", null],
  ["/", null],
  ["OpenAI#", null],
  ["#gpt-5.4", null],
];

const namedRows = NAMED.map(
  ([asked, id]): Row => ({
    name: `the model '${asked}' is ${id}`,
    body: asking(asked),
    // The provider's own name in `Local#a#b/c` contains a `#`, which no model of the simulator has.
    status: id.endsWith("#b/c") ? 404 : 200,
    ...(id.endsWith("#b/c") ? {} : { json: { model: id } }),
    told: { "x-poundkey-model": id, "x-poundkey-attempts": "1" },
    calls: 1,
  }),
);

const unknownRows = UNKNOWN.map(
  ([asked, hint]): Row => ({
    name: `no model is called '${asked}'`,
    body: asking(asked),
    status: 404,
    code: "model_not_found",
    json: { error: { type: "invalid_request_error" } },
    contains:
      hint === null || !hint.startsWith("'")
        ? [hint ?? ""]
        : [`${hint.includes("Router") ? "The selectors are" : "Did you mean"} ${hint}`],
    calls: 0,
  }),
);

const streamedRow: Row = {
  name: "chunks name the canonical id too",
  body: asking("openai/gpt-5.4", undefined, { stream: true }),
  status: 200,
  event: { model: "OpenAI#gpt-5.4" },
  told: { "x-poundkey-model": "OpenAI#gpt-5.4" },
};

const selectorRows = [
  "Router#best",
  "Router#fair",
  "Router#light",
  "router/best",
  "ROUTER#fair",
  "any",
].flatMap((asked) =>
  [false, true].map(
    (stream): Row => ({
      name: `'${asked}' chooses${stream ? ", streamed" : ""}`,
      body: asking(asked, "say: good day", { stream }),
      status: 200,
      told: {
        "x-poundkey-selector": asked === "any" ? "Router#light" : `Router#${asked.slice("Router#".length)}`,
        "x-poundkey-model": /: [A-Za-z]+#\S+$/,
        "x-poundkey-attempts": /: [1-4]$/,
      },
      check: ({ headers, body, stream: transcript }) =>
        expect(transcript?.model ?? body.model).toBe(headers.get("x-poundkey-model")),
    }),
  ),
);

/** The name in a URL → the entry's id. Null if the answer is a 404. */
const IN_URLS: readonly (readonly [string, string | null])[] = [
  ["OpenAI%23gpt-5.4", "OpenAI#gpt-5.4"],
  ["OpenAI%2Fgpt-5.4", "OpenAI#gpt-5.4"],
  ["OpenAI%2fgpt-5.4", "OpenAI#gpt-5.4"],
  ["OpenAI/gpt-5.4", "OpenAI#gpt-5.4"],
  ["openai%23gpt-5%2E4", "OpenAI#gpt-5.4"],
  ["Acme%23maker%2Fmodel-1", "Acme#maker/model-1"],
  ["Acme/maker/model-1", "Acme#maker/model-1"],
  ["Router%23best", "Router#best"],
  ["router%2Flight", "Router#light"],
  ["gpt-5.4", null],
  ["OpenAI", null],
  ["OpenAI%2523gpt-5.4", null],
  ["..%2f..%2fadmin", null],
  ["%ff%zz", null],
  ["a%00b", null],
  ["Acme%23nothing", null],
];

const urlRows = IN_URLS.flatMap(([id, entry]) =>
  ["/v1/models/", "/models/"].map(
    (path): Row => ({
      name: `GET ${path}${id}`,
      path: path + id,
      status: entry === null ? 404 : 200,
      code: entry === null ? "model_not_found" : null,
      json: entry === null ? {} : { id: entry, object: "model" },
      calls: 0,
    }),
  ),
);

const idsIn = (body: unknown) => asArray(asObject(body).data).map((entry) => String(asObject(entry).id));
const SELECTORS = ["Router#best", "Router#fair", "Router#light"];

const entryRow: Row = {
  name: "an entry says what the model can do and costs",
  path: "/v1/models/Acme%23cheap",
  status: 200,
  json: {
    id: "Acme#cheap",
    object: "model",
    owned_by: "Acme",
    context_window: 8192,
    max_output_tokens: 1024,
    pricing: { input: 0.1, output: 0.5 },
    capabilities: ["tools"],
  },
};

/** Agents that find no context at a model believe it to be what they know of another. */
const contextRows = SELECTORS.map(
  (id): Row => ({
    name: `${id} has the longest context of what the key may use`,
    who: "restricted",
    path: `/v1/models/${encodeURIComponent(id)}`,
    status: 200,
    json: { id, context_window: 8192, context_length: 8192 },
    calls: 0,
  }),
);

/** The simulated providers' models don't end, but the catalogue has some that have. */
const endedRow: Row = {
  name: "GET /v1/models?ended=true has the models that have ended, too",
  path: "/v1/models?ended=true",
  status: 200,
  check: ({ body }) => {
    const ids = idsIn(body);
    expect(ids).toContain("OpenAI#gpt-5.4");
    expect(ids).toContain("OpenAI#gpt-5.2-codex");
  },
};

const listRows: readonly Row[] = ["/v1/models", "/models"].flatMap((path): readonly Row[] => [
  {
    name: `GET ${path}`,
    path,
    status: 200,
    json: { object: "list" },
    told: { "content-type": "application/json" },
    check: ({ body }) => {
      const ids = idsIn(body);
      expect(ids).toEqual(expect.arrayContaining([...SELECTORS, "OpenAI#gpt-5.4", "Acme#maker/model-1"]));
      expect(new Set(ids).size).toBe(ids.length);
      for (const entry of asArray(body.data)) {
        expect(entry).toMatchObject({ object: "model", id: expect.stringMatching(/^[A-Za-z]+#\S+$/) });
        expect(Number.isInteger(asObject(entry).created)).toBe(true);
        expect(typeof asObject(entry).owned_by).toBe("string");
      }
    },
  },
  {
    name: `GET ${path} with a key for two models`,
    path,
    who: "restricted",
    status: 200,
    check: ({ body }) => expect(idsIn(body).sort()).toEqual([...SELECTORS, "Acme#cheap", "Acme#dear"].sort()),
  },
  { name: `GET ${path} without a key`, path, who: "nobody", status: 401, code: null },
]);

const restrictedRows: readonly Row[] = [
  {
    name: "a key for two models may use them",
    who: "restricted",
    body: asking("acme/cheap"),
    status: 200,
    json: { model: "Acme#cheap" },
  },
  {
    name: "a key for two models may use no other",
    who: "restricted",
    body: asking("OpenAI#gpt-5.4"),
    status: 403,
    code: "model_not_allowed",
    json: { error: { type: "permission_error" } },
    calls: 0,
  },
  {
    name: "an alias opens no door",
    who: "restricted",
    body: asking("gpt"),
    status: 403,
    code: "model_not_allowed",
    calls: 0,
  },
  {
    name: "a model that the key may not use is not shown to it",
    who: "restricted",
    path: "/v1/models/OpenAI%23gpt-5.4",
    status: 404,
    code: "model_not_found",
  },
  ...["best", "fair", "light"].map(
    (selector): Row => ({
      name: `Router#${selector} chooses among what the key may use`,
      who: "restricted",
      body: asking(`Router#${selector}`),
      status: 200,
      json: { model: expect.stringMatching(/^Acme#(cheap|dear)$/) },
      told: { "x-poundkey-selector": `Router#${selector}` },
    }),
  ),
];

export const MODEL_ROWS: readonly Row[] = [
  ...namedRows,
  ...unknownRows,
  streamedRow,
  ...selectorRows,
  ...urlRows,
  entryRow,
  ...contextRows,
  ...listRows,
  endedRow,
  ...restrictedRows,
];
