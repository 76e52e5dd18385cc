// Names that clients asked for and that no list has, and models that were charged at the price of their family until one had them.
import { beforeEach, expect, test } from "bun:test";
import { listMissingModels } from "../../../src/admin/models/unlisted-models.ts";
import { FamilyPriced } from "../../../src/admin/models/unlisted-prices.ts";
import { buildCatalogue } from "../../../src/catalogue/catalogue.ts";
import { listFamilyUse, PriceBook } from "../../../src/catalogue/price-book.ts";
import { PriceHistory } from "../../../src/catalogue/priced-at.ts";
import { runLedger } from "../../../src/cli/money/ledger.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import { countAs, type ModelCard } from "../../../src/core/models/card.ts";
import { listBillLines, sumBill } from "../../../src/core/money/price.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { addKey, HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { makeRefusal } from "../../http/refusal-samples.ts";
import { adminBench, type TestWorld } from "../admin-world.ts";

const bench = adminBench();
let world: TestWorld;
beforeEach(() => {
  ({ world } = bench());
});

const CONFIG = "providers: { OpenAI: { keys: [k], unlisted_models: { price: family } }, xAI: { keys: [k] } }";

function openCatalogue(config: string) {
  return buildCatalogue({ ...readSettings(config), nowMs: NOON });
}

let refused = 0;
async function refuse(modelAsked: string, fields: Parameters<typeof makeRefusal>[1] = {}): Promise<void> {
  refused += 1;
  const code = "model_not_found";
  const row = makeRefusal(`r${refused}`, { modelAsked, code, status: 404, ...fields });
  await world.store.refusals.add({ counts: [row], sums: [] });
}

async function listMissing(listed: readonly string[] = []) {
  const proposals = listed.map((id) => ({ id, isNew: true }));
  const catalogue = openCatalogue(CONFIG);
  const parts = { store: world.store, clock: bench().clock, catalogue: () => catalogue };
  return (await listMissingModels({ ...parts, compared: () => ({ proposals }) })).data;
}

test("names that an enabled provider's cards lack are listed, with what asked for them in a day", async () => {
  await refuse("xAI#grok-9", { count: 3 });
  await refuse("xai/grok-9", { keyId: "key_b", atMs: NOON - HOUR });
  await refuse("xAI#grok-8", { atMs: NOON - 25 * HOUR });
  const others = [
    "xAI#grok-4.7",
    "OpenAI#gpt-7-sol",
    "Groq#new",
    "new",
    `xAI#${"x".repeat(125)}`,
    "xAI#grök",
  ];
  for (const name of others) await refuse(name);
  expect(await listMissing()).toEqual([
    {
      model: "xAI#grok-9",
      requests: 4,
      keys: 2,
      last_at: "2026-11-20T12:00:00.000Z",
      in_list: false,
      is_wanted: false,
    },
  ]);
});

test("somebody is told from ten requests of two payers on, or where the watched list has the name", async () => {
  await refuse("xAI#one-payer", { count: 99 });
  await refuse("xAI#few", { count: 4 });
  await refuse("xAI#few", { count: 4, accountId: "acct_b" });
  await refuse("xAI#wanted", { count: 9 });
  await refuse("xAI#wanted", { accountId: "acct_b" });
  await refuse("xAI#listed");
  await addKey(world.store, "key_x");
  await addKey(world.store, "key_y");
  await refuse("xAI#one-account", { count: 9, keyId: "key_x" });
  await refuse("xAI#one-account", { count: 9, keyId: "key_y" });
  const found = await listMissing(["xAI#listed", "xAI#grok-4.7"]);
  expect(found.map(({ model, is_wanted, in_list }) => [model, is_wanted, in_list])).toEqual([
    ["xAI#listed", true, true],
    ["xAI#one-payer", false, false],
    ["xAI#one-account", false, false],
    ["xAI#wanted", true, false],
    ["xAI#few", false, false],
  ]);
});

const NEW = "OpenAI#gpt-7-sol";
const AMOUNTS = { ...NO_AMOUNTS, prompt: 100_000, completion: 10_000 };
const LATER = CONFIG.replace(
  "keys: [k], u",
  `keys: [k], models: [{ name: gpt-7-sol, price: { input: 3, output: 12 } }], u`,
);

function findFamilyCard(): ModelCard {
  const found = openCatalogue(CONFIG).resolve(NEW);
  if (found.kind !== "card") throw new Error("no card");
  return found.card;
}

/** Writes a request as the gateway does: at the relative's price, of which the price book takes note. */
async function charge(id: string, card: ModelCard, fields: Partial<RequestRecord> = {}): Promise<void> {
  if (card.price === null) throw new Error("no price");
  const book = new PriceBook();
  const price = book.identify(card);
  const bill = listBillLines(card.price, AMOUNTS);
  const attempt = { model: card.id, last4: null, startMs: 0, firstTokenMs: null, endMs: 9 } as const;
  const trace = {
    admittedMs: 0,
    attempts: [{ ...attempt, outcome: "answered", faultCode: null, upstreamStatus: 200, price }],
    bill,
    markup: 1,
    counted: 0,
    usageImplausible: null,
    message: null,
  };
  const cost = sumBill(bill, 1);
  const record = {
    modelUsed: card.id,
    modelPlanned: countAs(card),
    amounts: AMOUNTS,
    costNanoUsd: cost,
    chargedNanoUsd: cost,
    atMs: NOON - HOUR,
    trace: JSON.stringify(trace),
    ...fields,
  };
  await writeRecord(world.store, makeRecord(id, record));
  await world.store.changeSetting("price_history", (kept) => book.addTo(kept, NOON - HOUR));
}

async function listPriced(config: string) {
  const catalogue = openCatalogue(config);
  const settings = readSettings(config);
  const isKnown = (model: string) => {
    const found = catalogue.resolve(model);
    return found.kind === "card" && found.card.pricedLike === undefined;
  };
  const parts = { store: world.store, clock: bench().clock, isKnown, timeZone: () => "UTC" };
  return (await new FamilyPriced({ ...parts, prices: () => new PriceHistory(settings) }).list()).data;
}

test("once a card has the name, its requests are re-rated, and told of until they are", async () => {
  const card = findFamilyCard();
  await charge("one", card);
  await charge("two", card);
  await charge("free", card, { chargedNanoUsd: 0 });
  const known = openCatalogue(CONFIG).resolve("OpenAI#gpt-6.2-sol");
  if (known.kind === "card") await charge("listed", known.card);
  expect(await listPriced(CONFIG)).toEqual([]);
  const priced = { model: NEW, like: "OpenAI#gpt-6.2-sol", requests: 2, months: ["2026-11"] };
  expect(await listPriced(LATER)).toEqual([{ ...priced, charged_usd: 1.2, would_charge_usd: 0.84 }]);

  const rerate = (...args: readonly string[]) =>
    runPrinting((io) =>
      runLedger(["rerate", "--month", "2026-11", ...args], io, bench().open, readSettings(LATER)),
    );
  const { out } = await rerate();
  expect(out.split("\n").filter((line) => line.includes("→"))).toEqual([
    `  ${NEW}: 1.2 → 0.84 USD (2 requests)`,
  ]);
  expect((await listPriced(LATER)).length).toBe(1);
  expect((await rerate("--apply")).out).toContain("adjusted by 0.36 USD");
  expect(await listPriced(LATER)).toEqual([]);
});

test("the price book keeps names of families within a bound, and each answer is told of", () => {
  const card = findFamilyCard();
  let told = 0;
  const book = new PriceBook(() => {
    told += 1;
  });
  let kept: string | null = null;
  for (let at = 0; at < 10_000; at++) {
    book.identify({ ...card, id: `${NEW}-${at}` });
    if (at % 100 === 99) {
      kept = book.addTo(kept, at);
      book.forget(kept);
    }
  }
  const use = listFamilyUse(kept);
  expect([told, use.length, use.at(-1)?.model]).toEqual([10_000, 500, `${NEW}-9999`]);
  expect(book.hasNew).toBe(false);
});
