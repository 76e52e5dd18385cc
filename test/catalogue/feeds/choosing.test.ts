// `poundkey catalogue update` by model: which changes are shown and taken, and what the exit code says of them.
import { expect, test } from "bun:test";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { FILE, findRow, ID, priced, update } from "../../cli/catalogue-run.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../feed-samples.ts";

const EMBEDDING = "OpenAI#text-embedding-3-small";
const list = makeLiteLlm({
  "gpt-5.4": priced(9, 15),
  "text-embedding-3-small": {
    litellm_provider: "openai",
    mode: "embedding",
    input_cost_per_token: 3e-8,
  },
  "gpt-7-new": priced(1, 2),
  "groq/openai/gpt-oss-20b": makeLiteLlmRow({ litellm_provider: "groq" }),
});

function listIds(out: string): readonly unknown[] {
  return asArray(asObject(parseJson(out)).changes).map((change) => asObject(change).id);
}

test("shows the models of enabled providers, new ones first, and with --all the others", async () => {
  const { out } = await update({ list });
  expect(out.split("\n").slice(0, 2)).toEqual([
    "new models:",
    "  OpenAI#gpt-7-new model: a new model, without a price",
  ]);
  expect(out).not.toContain("  Groq#");
  expect(out).toContain("2 models compared: 0 equal");
  expect(out).toContain("1 changes are of providers that aren't enabled: --all shows them");
  const json = await update({ list, flags: ["--json"] });
  expect(asObject(parseJson(json.out))).toMatchObject({ compared: 2, added: 1, elsewhere: 1 });
  const all = listIds((await update({ list, flags: ["--json", "--all"] })).out);
  expect(all.slice(0, 2)).toEqual(["OpenAI#gpt-7-new", "OpenAI#gpt-7-new"]);
  expect(all).toContain("Groq#openai/gpt-oss-20b");
});

test.each([
  [["--only", ID], 3, []],
  [["--only", ID, "--yes"], 0, [ID]],
  [["--only", EMBEDDING], 0, [EMBEDDING]],
  [["--only", "openai#gpt-*", "--except", ID, "--yes"], 0, ["OpenAI#gpt-7-new"]],
  [["--except", "OpenAI#gpt-*"], 0, [EMBEDDING]],
  [["--only", "Groq#*", "--all"], 3, []],
  [["--only", "Groq#*", "--all", "--yes"], 0, ["Groq#openai/gpt-oss-20b"]],
])("takes with %j what is chosen, and only that waits", async (flags, code, ids) => {
  const run = await update({ list, flags: ["--apply", ...flags], file: null });
  const taken = asArray(run.written?.models).map((row) => asObject(row).id);
  expect([run.code, taken]).toEqual([code, [...ids]]);
});

test.each([
  [["--only", "OpenAI#none"], "--only OpenAI#none matches no change"],
  [["--only", ID, "--except", "xAI#*"], "--except xAI#* matches no change"],
  [["--only", "Groq#*"], "of a provider that isn't enabled: add --all"],
  [["--only", ID, "--except", "OpenAI#*", "--yes"], "--except leaves nothing of --only"],
])("with %j nothing is taken, and the exit code is 2", async (flags, says) => {
  const { code, out, written } = await update({ list, flags: ["--apply", ...flags] });
  expect([code, out, written]).toEqual([2, expect.stringContaining(says), null]);
});

test("what the configuration ignores or states isn't taken by its name either", async () => {
  const ignoring = `catalogue:
  file: catalogue.json
  watch: { from: "https://prices.example.com/list.json", format: litellm, ignore: ["OpenAI#text-*"] }
providers: { OpenAI: { keys: [k] } }
`;
  const stating = `${FILE}models: { "${EMBEDDING}": { price: { input: 0.02 } } }`;
  for (const config of [ignoring, stating]) {
    const { code, out } = await update({ list, config, flags: ["--only", EMBEDDING, "--apply", "--yes"] });
    expect([code, out]).toEqual([2, expect.stringContaining("matches no change")]);
  }
});

test("a list that is older than the built-in rows is shown, and taken by --older", async () => {
  const row = {
    id: EMBEDDING,
    owner: "OpenAI",
    released: null,
    context: null,
    output: null,
    capabilities: [],
  };
  const models = [{ ...row, operations: ["embeddings"], price: { input: 0.03 } }];
  const older = { list: { as_of: "2026-01-01", models }, format: "poundkey", file: null };
  const shown = await update({ ...older, flags: ["--apply", "--yes"] });
  expect([shown.code, shown.written?.models]).toEqual([0, []]);
  expect(shown.out).toContain(`older than the built-in prices, for --older:\n  ${EMBEDDING} price`);
  const taken = await update({ ...older, flags: ["--apply", "--older"] });
  expect(findRow(taken.written, EMBEDDING)).toMatchObject({ price: { input: 0.03 } });
});
