// `poundkey models`: its table, its JSON and its exit codes.
import { expect, test } from "bun:test";
import { runModels } from "../../src/cli/models/models.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { readFrom } from "../harness/settings.ts";

interface Given {
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the command on the test's own files. */
function models(args: readonly string[], { files = {} }: Given = {}) {
  const source = {
    env: () => undefined,
    readConfig: readFrom(files),
    readFile: readFrom(files),
    known: [
      { name: "DeepSeek", keyVariables: ["DEEPSEEK_API_KEY"], baseUrl: "https://api.deepseek.com" },
      { name: "Cerebras", keyVariables: ["CEREBRAS_API_KEY"], baseUrl: "https://api.cerebras.ai/v1" },
    ],
  };
  return runPrinting((io) => runModels(args, io, source));
}

test("prints a table of all providers, enabled or not", async () => {
  const { code, out } = await models([]);
  const [heading, first] = out.split("\n");
  expect(code).toBe(0);
  expect(heading).toMatch(/^MODEL +CONTEXT +OUTPUT +IN \$\/M +OUT \$\/M +CAPABILITIES$/);
  expect(first).toMatch(/^DeepSeek#deepseek-flash +1000000 +384000 +0\.15 +0\.6 +tools, reasoning$/);
  expect(out).toContain("Cerebras#");
});

test("prints one provider's models, including configured ones, as JSON", async () => {
  const files = { "poundkey.yaml": "providers: { Own: { base_url: http://x, models: [{ name: m }] } }\n" };
  const { out } = await models(["--provider", "own", "--json"], { files });
  expect(JSON.parse(out).map((model: { id: string }) => model.id)).toEqual(["Own#m"]);
});

test("prints the price per piece of models whose tokens cost nothing", async () => {
  const text = `providers:
  Own:
    base_url: http://x
    models:
      - { name: ear, operations: [transcription], price: { per_minute: 0.006 } }
      - { name: sort, operations: [rerank], price: { per_search_unit: 0.002, per_request: 0.1 } }
      - { name: seek, price: { input: 1, output: 0, per_search: 0.01 } }
      - { name: free, price: { input: 0, output: 0 } }
`;
  const { out } = await models(["--provider", "own"], { files: { "poundkey.yaml": text } });
  const cells = out.split("\n").map((line) => line.split(/ {2,}/));
  expect(cells.slice(1).map(([id, , , input, output]) => [id, input, output])).toEqual([
    ["Own#ear", "0.006/minute", "-"],
    ["Own#sort", "0.1/request, 0.002/search unit", "-"],
    ["Own#seek", "1", "0"],
    ["Own#free", "0", "0"],
  ]);
});

test("prints the models that support an operation", async () => {
  const files = {
    "poundkey.yaml":
      "providers: { Own: { base_url: http://x, models: [{ name: m }, { name: e, operations: [embeddings] }] } }\n",
  };
  const list = async (operation: string) =>
    JSON.parse((await models(["--provider", "own", "--operation", operation, "--json"], { files })).out).map(
      ({ id }: { id: string }) => id,
    );
  expect([await list("embeddings"), await list("chat"), await list("rerank")]).toEqual([
    ["Own#e"],
    ["Own#m"],
    [],
  ]);
  const wrong = await models(["--operation", "embedding"]);
  expect([wrong.code, wrong.err.split("\n")[0]]).toEqual([
    2,
    "poundkey models: unknown operation embedding; did you mean embeddings?",
  ]);
  expect((await models(["--operation", "x"])).err).toContain("expected chat, embeddings, rerank");
});

test("an unknown provider is wrong usage, a broken configuration a failure", async () => {
  const wrong = await models(["--provider", "DepSeek"]);
  expect([wrong.code, wrong.err.split("\n")[0]]).toEqual([
    2,
    "poundkey models: unknown provider DepSeek; did you mean DeepSeek?",
  ]);
  expect((await models([], { files: { "poundkey.yaml": "a: 1" } })).code).toBe(1);
});
