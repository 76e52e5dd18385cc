// Changes that are taken model by model end in the same file as all of them at once, and once taken there is nothing left.
import { expect, test } from "bun:test";
import { type CompareBasis, compareList, takeChanges } from "../../../src/app/models/catalogue-update.ts";
import { SHIPPED_DAY } from "../../../src/catalogue/feeds/as-of.ts";
import { selectChanges } from "../../../src/catalogue/feeds/select-changes.ts";
import { isAccepted } from "../../../src/catalogue/feeds/verdict.ts";
import { loadShippedCards } from "../../../src/catalogue/rows.ts";
import { viewRow } from "../../../src/catalogue/write-rows.ts";
import { parseCatalogue } from "../../../src/config/models/catalogue-file.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { IS_LONG } from "../../harness/long.ts";
import { makeDice } from "../../whole/mixed/upstream.ts";

const NOW_MS = Date.parse(`${SHIPPED_DAY}T12:00:00Z`);
const BASIS: CompareBasis = {
  newerModels: [],
  overlay: [],
  operatorIds: new Set(),
  ignore: [],
  reliances: [{ name: "the alias fast", models: ["OpenAI#gpt-5.4"] }],
};
const SEEDS = IS_LONG ? 500 : 4;
const MODELS = 12;
const priced = loadShippedCards().filter(
  ({ price, shutdownDate, operations }) =>
    price !== null && price.input > 0 && price.output > 0 && !shutdownDate && operations?.has("chat"),
);

function readModels(text: string | null): readonly ModelCard[] {
  const found = text === null ? { cards: [] } : parseCatalogue(text);
  if (typeof found === "string") throw new Error(found);
  return found.cards;
}

interface Look {
  readonly list: string;
  readonly file: string | null;
  readonly yes: boolean;
}

/** Compares the list with what the file has by now. */
function look({ list, file }: Look) {
  return compareList(list, "poundkey", { ...BASIS, newerModels: readModels(file) }, NOW_MS);
}

/** Takes the changes as the command does, all of them or those of one model. */
function take({ list, file, yes }: Look, only?: readonly string[]): string {
  const { proposals, list: head, asOf } = look({ list, file, yes });
  const accepted = selectChanges(proposals, only ? { only } : {}).filter((one) =>
    isAccepted(one, { yes, older: false }),
  );
  const from = { format: "poundkey", serial: head?.serial ?? null, sha256: "0".repeat(64), asOf } as const;
  return takeChanges(file, accepted, from, NOW_MS);
}

const FACTORS = [0.4, 0.5, 0.9, 1, 1.1, 1.2, 2, 2.5];

/** A list with some of our models, changed, and some that are new. */
function makeList(seed: number): string {
  const dice = makeDice(seed);
  const choose = <Item>(items: readonly Item[]) => items[dice(items.length - 1)] as Item;
  const rows = Array.from({ length: MODELS }, () => choose(priced)).map((card, at) => {
    const { price, context, output, ...row } = viewRow(card);
    const isNew = dice(5) === 0;
    const factor = choose(FACTORS);
    const [input, written] = [price?.input ?? 0, price?.output ?? 0].map((rate) => round(rate * factor));
    // A list whose cached tokens cost more than others is refused.
    const isStated = dice(2) === 0 && (price?.cached_input ?? 0) <= (input ?? 0);
    const stated = isStated ? { ...price, input, output: written } : { input, output: written };
    const { later_prices: _later, ...others } = row;
    return {
      ...others,
      id: isNew ? `${card.provider}#new-${seed}-${at}` : card.id,
      price: isNew ? { input: 1, output: choose([2, 0]) } : stated,
      context: context === null ? null : context * choose([1, 2, 3]),
      output,
      ...(dice(3) === 0 ? { shutdown: choose(["2027-09-01", "2026-12-01"]) } : {}),
    };
  });
  const models = [...new Map(rows.map((row) => [row.id.toLowerCase(), row])).values()];
  return JSON.stringify({ poundkey_catalogue: 1, serial: seed + 1, as_of: SHIPPED_DAY, models });
}

function round(rate: number): number {
  return Math.round(rate * 1e6) / 1e6;
}

test("model by model, in any order, leads to the same file as all at once, and then there is nothing to take", () => {
  let changed = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const list = makeList(seed);
    const yes = seed % 2 === 0;
    const whole = take({ list, file: null, yes });
    const ids = [...new Set(look({ list, file: null, yes }).proposals.map(({ id }) => id))];
    changed += ids.length;
    const dice = makeDice(seed);
    const order = ids.map((id) => [dice(1000), id] as const).toSorted(([one], [other]) => one - other);
    let file: string | null = null;
    for (const [, id] of order) file = take({ list, file, yes }, [id]);
    expect(file).toBe(whole);
    expect(take({ list, file: whole, yes })).toBe(whole);
    const left = look({ list, file: whole, yes }).proposals;
    expect(left.filter((one) => isAccepted(one, { yes, older: false }))).toEqual([]);
  }
  expect(changed).toBeGreaterThan(SEEDS);
});

test("ten models whose price is 1.2 times ours are all taken, OpenAI's with its services and tiers", () => {
  const rich = priced.filter(({ price }) => price?.service !== undefined && price.tiers !== undefined);
  const three = rich.filter(({ provider }) => provider === "OpenAI").slice(0, 3);
  const ten = [...three, ...priced.filter((card) => !three.includes(card)).slice(0, 7)];
  const models = ten.map((card) => {
    const { price, later_prices: _later, ...row } = viewRow(card);
    const [input, output] = [price?.input ?? 0, price?.output ?? 0].map((rate) => round(rate * 1.2));
    return { ...row, price: { input, output } };
  });
  const list = JSON.stringify({ poundkey_catalogue: 1, serial: 1, as_of: SHIPPED_DAY, models });
  const taken = new Map(readModels(take({ list, file: null, yes: false })).map((card) => [card.id, card]));
  expect([...taken.keys()].toSorted()).toEqual(ten.map(({ id }) => id).toSorted());
  for (const { id, price: before } of ten) {
    const after = taken.get(id)?.price;
    expect(after?.input).toBe(round((before?.input ?? 0) * 1.2));
    for (const [name, service] of before?.service ?? [])
      expect(after?.service?.get(name)?.output).toBe(round(service.output * 1.2));
    for (const [at, tier] of (before?.tiers ?? []).entries())
      expect(after?.tiers?.[at]?.input).toBe(round(tier.input * 1.2));
    expect(after?.perSearch).toBe(before?.perSearch);
  }
});
