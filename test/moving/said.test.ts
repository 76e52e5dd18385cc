// The report of an import says what is true of this gateway, and of the environment in which it will run.
import { afterEach, expect, test } from "bun:test";
import { parse } from "yaml";
import { digestForeign } from "./litellm-rows.ts";
import { usePlaces } from "./places.ts";

const makePlace = usePlaces();
const NAMES = ["AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_ENDPOINT", "GOOGLE_APPLICATION_CREDENTIALS"];
const before = NAMES.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

interface Said {
  readonly err: string;
  readonly variables: readonly string[];
  readonly words: Readonly<Record<string, string>>;
}

async function read(gateway: string, file: string, text: string): Promise<Said> {
  const place = makePlace({ [file]: text });
  const { code, out, err } = await place.run(gateway, place.path(file), "--json");
  expect([0, 3]).toContain(code);
  const { rows, variables } = JSON.parse(out);
  const words = rows.map(({ item, words }: { item: string; words: string }) => [item, words]);
  return {
    err,
    words: Object.fromEntries(words),
    variables: variables.map(({ name }: { name: string }) => name),
  };
}

const CLOUDS = `model_list:
  - { model_name: a, litellm_params: { model: bedrock/amazon.nova-pro-v1:0 } }
  - { model_name: b, litellm_params: { model: azure/dep } }
  - { model_name: c, litellm_params: { model: vertex_ai/gemini-3.5-flash, vertex_project: p } }
`;

test("what clouds take from the environment is listed, and never said to be missing", async () => {
  for (const name of NAMES) delete process.env[name];
  const unset = await read("litellm", "a.yaml", CLOUDS);
  expect(unset.variables).toEqual([
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ]);
  expect(unset.err).not.toContain("needs a correction");
  process.env.AZURE_OPENAI_ENDPOINT = "https://r.openai.azure.com";
  process.env.AWS_BEARER_TOKEN_BEDROCK = "bearer";
  expect((await read("litellm", "a.yaml", CLOUDS)).err).not.toContain("needs a correction");
});

test("a resource that isn't named is asked for, and a mistake in the configuration is still said", async () => {
  const config = JSON.stringify({ provider: "azure-openai", override_params: { model: "dep" } });
  expect((await read("portkey", "a.json", config)).variables).toContain("AZURE_OPENAI_ENDPOINT");
  const foundry =
    "model_list: [{ model_name: a, litellm_params: { model: azure_ai/a, api_base: os.environ/BASE } }]\n";
  expect((await read("litellm", "a.yaml", foundry)).variables).toEqual(["BASE", "AZURE_OPENAI_API_KEY"]);
  const api = "model_list: [{ model_name: a, litellm_params: { model: azure/a, api_version: tomorrow } }]\n";
  expect((await read("litellm", "a.yaml", api)).err).toContain("needs a correction before it is used:\n");
});

test("caches and guardrails are said to be what they are here", async () => {
  const { words } = await read(
    "litellm",
    "a.yaml",
    "model_list: []\nlitellm_settings: { cache: true, guardrails: [] }\nguardrails: [{ guardrail_name: a }]\n",
  );
  expect(words["litellm_settings.cache"]).toContain("cache.ttl");
  expect(words["litellm_settings.guardrails"]).toContain("hooks");
  expect(words.guardrails).toContain("hooks");
  const target = { provider: "openai", override_params: { model: "gpt-5.4" } };
  const portkey = { ...target, cache: { mode: "simple" }, input_guardrails: ["a"] };
  const { words: more } = await read("portkey", "a.json", JSON.stringify(portkey));
  expect([more.cache, more.input_guardrails]).toEqual([
    expect.stringContaining("cache.ttl"),
    expect.stringContaining("hooks"),
  ]);
});

test("a key file or a variable that isn't here yet stops no import, nor the next", async () => {
  process.env.GOOGLE_APPLICATION_CREDENTIALS = "/nowhere/key.json";
  const params = [
    "vertex_credentials: os.environ/GOOGLE_APPLICATION_CREDENTIALS",
    "vertex_project: p, vertex_credentials: /nowhere/other.json",
    "vertex_project: q, vertex_credentials: os.environ/SA_JSON",
    'vertex_project: r, vertex_credentials: "{\\"type\\": \\"plain-1\\"}"',
    "vertex_project: s, vertex_credentials: { type: plain-2 }",
  ];
  const models = params.map(
    (one) => `  - { model_name: a, litellm_params: { model: vertex_ai/gemini-3.5-flash, ${one} } }\n`,
  );
  const place = makePlace({ "a.yaml": `model_list:\n${models.join("")}` });
  const first = await place.run("litellm", place.path("a.yaml"));
  expect([first.code, first.out]).toEqual([0, expect.stringContaining("content of the key file of a, not")]);
  expect(first.out).toMatch(/^GOOGLE_APPLICATION_CREDENTIALS +the path of the key file/m);
  expect(parse(place.readConfig()).providers).toEqual({
    Vertex: {},
    "Vertex-p-file-nowhere-other-json": expect.objectContaining({
      service_account: "${" + "file:/nowhere/other.json}",
    }),
    "Vertex-q-sa-json": expect.objectContaining({ service_account: "${" + "SA_JSON}" }),
    "Vertex-r-vertex-credentials": expect.objectContaining({ service_account: "${" + "VERTEX_CREDENTIALS}" }),
    "Vertex-s-vertex-credentials-2": expect.objectContaining({
      service_account: "${" + "VERTEX_CREDENTIALS_2}",
    }),
  });
  expect(first.out).not.toContain("plain");
  const { code, out } = await place.run("litellm", place.path("a.yaml"));
  expect([code, out]).toEqual([0, expect.stringContaining("exists. Add to it:")]);
});

test("a key of LiteLLM's that may not use its model's fallbacks here is told of", async () => {
  const place = makePlace({
    "litellm.yaml": `model_list:
  - { model_name: a, litellm_params: { model: gpt-5.4, api_key: k } }
  - { model_name: b, litellm_params: { model: anthropic/claude-sonnet-5, api_key: k } }
router_settings: { fallbacks: [{ a: [b] }] }
`,
    "keys.csv": `token,key_alias,models\n${[
      ["narrow", "{a}"],
      ["wide", "{}"],
      ["both", '"{a,b}"'],
    ]
      .map(([name, models]) => `${digestForeign(`sk-${name}`)},${name},${models}`)
      .join("\n")}\n`,
  });
  const { out } = await place.run("litellm", place.path("litellm.yaml"), "--keys", place.path("keys.csv"));
  expect(out.match(/^key .*fallbacks of .*$/gm)).toEqual([
    expect.stringMatching(
      /^key narrow: fallbacks of OpenAI#gpt-5\.4 +not_taken .*Anthropic#claude-sonnet-5$/,
    ),
  ]);
});
