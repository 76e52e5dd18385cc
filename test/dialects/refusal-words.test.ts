// The words of refusals as claims: in each dialect that a word names, a model without it gets the thing, and one with it
// doesn't.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { CHAT_DIALECTS, type ChatDialectName, DIALECTS } from "../../src/core/models/dialect-names.ts";
import { listRows } from "../../src/core/models/refusal-rules.ts";
import { REFUSALS } from "../../src/core/models/refusals.ts";
import { findDialect } from "../../src/providers/index.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { writeRecipe } from "../tidy/recipes.ts";
import { COUNT_PROBES, REFUSAL_PROBES } from "./refusal-probes.ts";

const ADDRESSES: Readonly<Record<ChatDialectName, string>> = {
  openai: "/openai/v1",
  responses: "/openai/v1",
  anthropic: "/anthropic/v1",
  gemini: "/gemini/v1beta",
  mistral: "/mistral/v1",
  cohere: "/cohere/v2",
  perplexity: "/perplexity/v1",
  bedrock: "/bedrock",
};
/** Models with many abilities, whatever follows in the name. */
const NAMES: Partial<Record<ChatDialectName, string>> = {
  anthropic: "claude-opus-5",
  gemini: "gemini-3-flash",
};

const WORDS = [
  ...listRows(REFUSAL_PROBES).map(([word, probe]) => ({ word, probe, appliesIn: REFUSALS[word].appliesIn })),
  ...listRows(COUNT_PROBES).map(([name, probe]) => ({
    word: `${name}>${probe.most}`,
    probe,
    appliesIn: CHAT_DIALECTS,
  })),
];
const CLAIMS = WORDS.flatMap(({ word, probe, appliesIn }) =>
  appliesIn.map((dialect) => {
    const name = `${probe.names?.[dialect] ?? NAMES[dialect] ?? "own"}-${word.replace(/\W/g, "-")}`;
    const makeModel = (sign: string) => ({
      name: `${name}-${sign === "-" ? "taken" : "refused"}`,
      refuses: [...(probe.words ?? []), sign + word],
    });
    return { word, dialect, probe, taken: makeModel("-"), refused: makeModel("") };
  }),
);

type Claim = (typeof CLAIMS)[number];

/** As YAML, of which JSON is a part. */
function writeProviders(url: string): string {
  const rows = CHAT_DIALECTS.map((dialect) => {
    const models = CLAIMS.filter((claim) => claim.dialect === dialect).flatMap(({ taken, refused }) =>
      [taken.name, refused.name].map((name) => ({
        name,
        context: 100_000,
        output: 32_000,
        price: { input: 1, output: 1 },
        capabilities: ["tools", "vision", "reasoning"],
      })),
    );
    const entry = { dialect, keys: ["sim-key"], base_url: url + ADDRESSES[dialect], models };
    return `  At-${dialect}: ${JSON.stringify(entry)}`;
  });
  const rules = CLAIMS.flatMap(({ dialect, taken, refused }) =>
    [taken, refused].map(({ name, refuses }) => [`At-${dialect}#${name}`, { refuses }] as const),
  );
  return [...rows, `models: ${JSON.stringify(Object.fromEntries(rules))}`].join("\n");
}

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ more: writeProviders });
});
afterAll(() => gateway.stop());

/** Returns the status, and the requests that reached the provider, without `model`. */
async function ask({ dialect, probe }: Claim, name: string) {
  const { calls } = gateway.simulator;
  calls.reset();
  const { path, body } = probe.own?.[dialect] ?? { path: "/v1/chat/completions", body: probe.request };
  const answered = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, model: `At-${dialect}#${name}` }),
  });
  await answered.text();
  const sent = calls.all().map((call) => ({ ...asObject(call.body), model: null }));
  return { status: answered.status, sent };
}

test.each(CLAIMS)("$word has its effect in the dialect $dialect", async (claim) => {
  const { probe, dialect, taken, refused } = claim;
  const without = await ask(claim, taken.name);
  const withWord = await ask(claim, refused.name);
  expect(withWord.sent.filter(probe.has)).toEqual([]);
  if (probe.placeless?.includes(dialect)) {
    expect(without).toEqual({ status: 400, sent: [] });
    expect(withWord.status).toBe(200);
  } else {
    expect(without.sent.filter(probe.has), JSON.stringify(without)).not.toEqual([]);
    expect(withWord.sent.length > 0 || withWord.status === 400, JSON.stringify(withWord)).toBe(true);
  }
});

test("every word has a request that has the thing", () => {
  expect(Object.keys(REFUSAL_PROBES), writeRecipe("A rule of a target")).toEqual(Object.keys(REFUSALS));
});

test("words are claimed only in dialects in which models chat", () => {
  const chatting = DIALECTS.filter((name) => findDialect(name).chat !== undefined);
  expect(chatting).toEqual([...CHAT_DIALECTS]);
});
