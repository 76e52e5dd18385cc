// The examples of the chapter on prices, run as printed on a list that has what they show.
import { expect, test } from "bun:test";
import { findRow, priced, update } from "../../cli/catalogue-run.ts";
import { readDocument } from "../../docs/documents.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../feed-samples.ts";

const TEXT = readDocument("src/docs/prices.md");
const EXAMPLES = [
  ...TEXT.matchAll(/^\$ poundkey catalogue update --from prices.json --format litellm(.*)\n([^`]*)/gm),
];
const LIST = makeLiteLlm({
  "gpt-5.4": { ...priced(3, 18), cache_read_input_token_cost: 3e-7 },
  "gpt-4.1": priced(3, 8),
  "openrouter/acme/new-1": { ...priced(3, 24), litellm_provider: "openrouter" },
  "groq/openai/gpt-oss-20b": makeLiteLlmRow({ litellm_provider: "groq" }),
});

const CONFIG = `catalogue: catalogue.json
providers: { OpenAI: { keys: [k] }, OpenRouter: { keys: [k] } }
`;

/** The number of models grows with each release. */
function normalize(text: string): string {
  return text.trim().replace(/\d+ of the catalogue/, "N of the catalogue");
}

test("there are those of a new model, of a whole list, and of chosen models", () => {
  expect(EXAMPLES.map(([, flags = ""]) => flags)).toEqual([
    " --only 'OpenRouter#acme/new-1' --apply --yes",
    "",
    " --only 'OpenAI#*' --except 'OpenAI#gpt-4.1' --apply",
  ]);
});

test.each(EXAMPLES.map(([, flags = "", printed = ""]) => [flags, printed] as const))(
  "update%s prints what the page shows",
  async (flags, printed) => {
    const words = flags.split(" ").filter((word) => word !== "");
    const { out } = await update({
      list: LIST,
      config: CONFIG,
      flags: words.map((word) => word.replaceAll("'", "")),
      file: null,
    });
    if (printed.trim() !== "") expect(normalize(out)).toBe(normalize(printed));
  },
);

test("the first of them adds the model with its price, and the last leaves out what it excepts", async () => {
  const first = await update({
    list: LIST,
    config: CONFIG,
    flags: ["--only", "OpenRouter#acme/new-1", "--apply", "--yes"],
    file: null,
  });
  expect(findRow(first.written, "OpenRouter#acme/new-1")).toMatchObject({ price: { input: 3, output: 24 } });
  const last = await update({
    list: LIST,
    config: CONFIG,
    flags: ["--only", "OpenAI#*", "--except", "OpenAI#gpt-4.1", "--apply"],
    file: null,
  });
  expect([findRow(last.written).id, findRow(last.written, "OpenAI#gpt-4.1").id]).toEqual([
    "OpenAI#gpt-5.4",
    undefined,
  ]);
});
