// A model that a selector, an alias or failover chose gets the client's own request without what it refuses, on each native
// lane and otherwise byte for byte; a model that the client named gets it without what is certain to be refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ADAPTIVE, ASKED, PREFILL, ROWS } from "../../http/rows/refused-fields.ts";

const MODELS: readonly (readonly [
  provider: string,
  dialect: string,
  path: string,
  names: readonly string[],
])[] = [
  [
    ...(["Claude", "anthropic", "/anthropic/v1"] as const),
    [
      "claude-haiku-4-5",
      "claude-sonnet-4-5",
      "claude-sonnet-4-5~trouble=529",
      "claude-opus-5",
      "claude-sonnet-4-6",
    ],
  ],
  ["Gpt", "responses", "/openai/v1", ["gpt-5.6-sol", "gpt-5.6-sol~trouble=503", "gpt-4.1", "gpt-5.2"]],
  ["Gem", "gemini", "/gemini/v1beta", ["gemini-2.5-pro", "gemini-2.5-pro~trouble=503", "gemini-3.6-flash"]],
];
const BUSY: Readonly<Record<string, string>> = {
  Claude: "Claude#claude-sonnet-4-5~trouble=529",
  Gpt: "Gpt#gpt-5.6-sol~trouble=503",
  Gem: "Gem#gemini-2.5-pro~trouble=503",
};

function yaml(url: string): string {
  const price =
    "context: 200000, output: 32000, price: { input: 1, output: 1 }, capabilities: [tools, vision, reasoning, structured]";
  const rows = MODELS.map(([provider, dialect, path, names]) => {
    const models = names.map((name) => `{ name: "${name}", ${price} }`);
    return `  ${provider}: { dialect: ${dialect}, keys: [sim-key], base_url: "${url}${path}", models: [${models}] }`;
  });
  const aliases = MODELS.flatMap(([provider, , , names]) =>
    names
      .filter((name) => !name.includes("~"))
      .map(
        (name) =>
          `  "after-${name}": [{ model: "${BUSY[provider]}", weight: 1000 }, { model: "${provider}#${name}", weight: 0.001 }]`,
      ),
  );
  const spare = `models: { "${BUSY.Claude}": { fallbacks: ["Claude#claude-opus-5"] } }`;
  return [...rows, "aliases:", ...aliases, spare].join("\n");
}

let gateway: UnderTest;
let exact: UnderTest;
/** The bodies of the calls to providers, as text. */
const bodies: string[] = [];

async function record(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const body = init?.body ?? null;
  const text = await new Response(body).text();
  bodies.push(text);
  return fetch(input, body === null ? init : { ...init, body: text });
}

beforeAll(async () => {
  gateway = await startUnderTest({ more: yaml, fetch: record });
  exact = await startUnderTest({
    more: (url) => `${yaml(url)}\nnative: { mend: never }`,
    fetch: record,
  });
});
afterAll(async () => {
  await gateway.stop();
  await exact.stop();
});

interface Answer {
  readonly status: number;
  readonly dropped: string;
  readonly model: string | null;
  readonly attempts: number;
  /** The body of the last call, as text. */
  readonly text: string;
  readonly said: string;
}

interface Asking {
  readonly under?: UnderTest;
  readonly secret?: string;
  readonly stream: boolean;
}

const SURFACES: Readonly<Record<string, (model: string, stream: boolean) => readonly [string, string]>> = {
  Claude: (model, stream) => [
    "/v1/messages",
    `"model": ${JSON.stringify(model)}, "stream": ${stream}, "max_tokens": 16000`,
  ],
  Gpt: (model, stream) => ["/v1/responses", `"model": ${JSON.stringify(model)}, "stream": ${stream}`],
  Gem: (model, stream) => [
    `/v1beta/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    "",
  ],
};

/** Asks with these fields, which are written as they are. */
async function ask(provider: string, model: string, fields: string, asking: Asking): Promise<Answer> {
  const { under = gateway, secret = under.secret, stream } = asking;
  const [path, first] = SURFACES[provider]?.(model, stream) ?? ["", ""];
  bodies.length = 0;
  const answered = await fetch(under.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
    body: `{${first}${first && ", "}${fields}}`,
  });
  return {
    status: answered.status,
    dropped: answered.headers.get("x-poundkey-dropped") ?? "",
    model: answered.headers.get("x-poundkey-model"),
    attempts: Number(answered.headers.get("x-poundkey-attempts")),
    said: await answered.text(),
    text: bodies.at(-1) ?? "",
  };
}

/** The fields that the gateway itself sets, and the prompt. */
const OWN = new Set(["model", "stream", "max_tokens", "messages", "input", "contents", "store", "include"]);

function readSent({ text }: Answer): JsonObject {
  const body = asObject(parseJson(text));
  return Object.fromEntries(Object.entries(body).filter(([field]) => !OWN.has(field)));
}

const list = (dropped: string) => dropped.split(", ").filter(Boolean).sort();

async function makeSecret(model: string): Promise<string> {
  const key = await gateway.newKey({ allowed_models: ["Router#*", model], requests_per_day: null });
  return key.secret;
}

test("an alias for several goes on with the next after a failure", async () => {
  const asked = `${ASKED.Claude}, "temperature": 0.2`;
  const answer = await ask("Claude", "after-claude-opus-5", asked, { stream: false });
  expect([answer.status, answer.attempts, answer.dropped]).toEqual([200, 2, "temperature"]);
});

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(ROWS.map((row) => [row.model, row.fields, row] as const))(
    "%s chosen with %s",
    async (model, fields, row) => {
      const [provider = "", name = ""] = model.split("#");
      const asked = `${row.asked ?? ASKED[provider]}, ${fields}`;
      const secret = await makeSecret(model);
      const answers = [
        await ask(provider, stream ? "Router#best" : "Router#light", asked, { secret, stream }),
        await ask(provider, `after-${name}`, asked, { stream }),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.model, answer.said.includes('"error":{')]).toEqual([200, model, false]);
        expect(readSent(answer)).toEqual(row.sent);
        expect(list(answer.dropped)).toEqual(list(row.dropped));
      }
    },
  );

  test.each(ROWS.map((row) => [row.model, row.fields, row] as const))(
    "%s named with %s",
    async (model, fields, row) => {
      const [provider = ""] = model.split("#");
      const asked = `${row.asked ?? ASKED[provider]}, ${fields}`;
      const mended = await ask(provider, model, asked, { stream });
      const unchanged = await ask(provider, model, asked, { under: exact, stream });
      expect([unchanged.status, unchanged.dropped, readSent(unchanged)]).toEqual([
        400,
        "",
        asObject(parseJson(`{${fields}}`)),
      ]);
      if (row.isExact) {
        expect([mended.status, mended.text]).toEqual([400, unchanged.text]);
        return;
      }
      expect([mended.status, readSent(mended), list(mended.dropped)]).toEqual([
        200,
        row.sent,
        list(row.dropped),
      ]);
    },
  );
});

test("what was left out is all that changed, byte for byte", async () => {
  const secret = await makeSecret("Claude#claude-opus-5");
  const left = `"metadata": {"user_id": "u\\u0031"}, "tools": [{"name": "t",  "input_schema": {"type": "object"}}]`;
  const prompt = `"messages": [{"role": "user", "content": "h\\u0069 ${"word ".repeat(300)}"}]`;
  const plain = await ask("Claude", "Claude#claude-opus-5", `${prompt}, ${left}`, {
    under: exact,
    stream: false,
  });
  const asked = `"temperature": 0.2, ${prompt}, "top_k": 3, ${left}, "top_p": 0.5`;
  const chosen = await ask("Claude", "Router#light", asked, { secret, stream: false });
  expect([plain.status, chosen.status, list(chosen.dropped)]).toEqual([
    200,
    200,
    ["temperature", "top_k", "top_p"],
  ]);
  expect(chosen.text).toBe(plain.text);
});

test("a request whose model refuses nothing is the same, whoever chose the model", async () => {
  const secret = await makeSecret("Claude#claude-sonnet-4-6");
  const asked = `"temperature": 1, ${ASKED.Claude}, ${ADAPTIVE}, "output_config": {"effort": "max"}`;
  const answers = [
    await ask("Claude", "Claude#claude-sonnet-4-6", asked, { under: exact, stream: false }),
    await ask("Claude", "Claude#claude-sonnet-4-6", asked, { stream: false }),
    await ask("Claude", "Router#best", asked, { secret, stream: false }),
    await ask("Claude", "after-claude-sonnet-4-6", asked, { stream: false }),
  ];
  expect(answers.map(({ status, dropped }) => [status, dropped])).toEqual(answers.map(() => [200, ""]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test("a fallback of a model that the client named was chosen by the gateway", async () => {
  const answer = await ask("Claude", BUSY.Claude ?? "", `${PREFILL}, "temperature": 0.2`, { stream: false });
  expect([answer.status, answer.model, list(answer.dropped)]).toEqual([
    200,
    "Claude#claude-opus-5",
    ["messages", "temperature"],
  ]);
});

test("an answer that the client began isn't continued while the model thinks", async () => {
  const secret = await makeSecret("Claude#claude-sonnet-4-5");
  const thinking = '"thinking": {"type": "enabled", "budget_tokens": 2000}';
  const dropped = async (fields: string) =>
    (await ask("Claude", "Router#light", fields, { secret, stream: false })).dropped;
  expect(await dropped(`${PREFILL}, ${thinking}`)).toBe("messages");
  expect(await dropped(PREFILL)).toBe("");
});

test("a turn that the provider paused isn't a beginning of the client's", async () => {
  const secret = await makeSecret("Claude#claude-opus-5");
  const paused =
    '{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}';
  const messages = `"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [${paused}]}]`;
  const { dropped, text } = await ask("Claude", "Router#light", messages, { secret, stream: false });
  expect([dropped, text.includes(paused.replaceAll(": ", ":").replaceAll(", ", ","))]).toEqual(["", true]);
});
