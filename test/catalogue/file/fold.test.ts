// The catalogue file over the built-in rows: which of both counts, over random programs, acceptances and rows of the operator's own.
import { describe, expect, test } from "bun:test";
import type { BuiltInRows } from "../../../src/catalogue/file/built-in.ts";
import type { CatalogueFileContent, FileRow } from "../../../src/catalogue/file/file-row.ts";
import { foldCatalogue } from "../../../src/catalogue/file/fold.ts";
import { rebaseFile } from "../../../src/catalogue/file/rebase.ts";
import { takeIntoFile } from "../../../src/catalogue/file/take.ts";
import { SINGLE_FIELDS, type SingleField } from "../../../src/catalogue/file/taken-fields.ts";
import { writeCatalogueContent } from "../../../src/catalogue/file/write.ts";
import { readCatalogueContent } from "../../../src/config/models/catalogue-file.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { CHAT_ONLY } from "../../../src/core/models/card.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { IS_LONG } from "../../harness/long.ts";
import { makeDice } from "../../whole/mixed/upstream.ts";

const IDS = ["A#one", "A#two", "B#three"];
const DAYS = ["2026-01-10", "2026-02-10", "2026-03-10", "2026-04-10", "2026-05-10"];
const SEEDS = IS_LONG ? 5000 : 60;
const STEPS = 12;

type Facts = Partial<ModelCard>;
/** Few values of each field, so that programs and lists often agree, and often come back to what was. */
const VALUES: Readonly<Record<SingleField, readonly Facts[]>> = {
  price: [
    { price: null },
    { price: { input: 1, output: 2 } },
    { price: { input: 3, output: 4, cachedInput: 0.5 } },
    {
      price: { input: 1, output: 2 },
      laterPrices: [{ fromMs: Date.parse("2027-01-01T00:00:00Z"), price: { input: 2, output: 2 } }],
    },
  ],
  shutdown: [{}, { shutdownDate: "2027-03-01" }, { shutdownDate: "2027-03-01", successor: "A#two" }],
  context: [{ contextTokensMax: null }, { contextTokensMax: 200_000 }, { contextTokensMax: 400_000 }],
  output: [{ outputTokensMax: null }, { outputTokensMax: 8000 }, { outputTokensMax: 16_000 }],
};

type Choose = <Item>(items: readonly Item[]) => Item;

function makeChoice(seed: number): Choose {
  const roll = makeDice(seed);
  return (items) => {
    const item = items[roll(items.length - 1)];
    if (item === undefined) throw new Error("There is nothing to choose from.");
    return item;
  };
}

function makeCard(id: string, choose: Choose): ModelCard {
  const facts = SINGLE_FIELDS.map((field) => choose(VALUES[field]));
  return makeModelCard(id, Object.assign({ operations: CHAT_ONLY }, ...facts));
}

function makePrograms(choose: Choose): readonly BuiltInRows[] {
  return DAYS.map((day) => {
    const ids = IDS.filter(() => choose([true, true, true, false]));
    return { day, cards: new Map(ids.map((id) => [id, makeCard(id, choose)])) };
  });
}

/** The values of a field, written in one way. */
function show(facts: Facts | undefined, field: SingleField | "model"): string {
  const { price, laterPrices, shutdownDate, successor, contextTokensMax, outputTokensMax } = facts ?? {};
  const values = {
    price: [price, laterPrices],
    shutdown: [shutdownDate, successor],
    context: [contextTokensMax],
    output: [outputTokensMax],
  };
  return facts === undefined ? "none" : JSON.stringify(field === "model" ? values : values[field]);
}

/** A plain reading of the rules: the last acceptance of each field, with the day and the value that it replaced. */
interface Accepted {
  readonly day: string;
  readonly was: string;
  readonly value: Facts;
}
type Expected = Map<string, Map<SingleField | "model", Accepted> | { readonly own: ModelCard }>;

function isOvertaken(one: Accepted, field: SingleField | "model", id: string, program: BuiltInRows): boolean {
  const known = program.cards.get(id);
  return known !== undefined && program.day > one.day && show(known, field) !== one.was;
}

/** Each field of the card that must be in force, as text. Null if there is none. */
function expectCard(expected: Expected, id: string, program: BuiltInRows): string | null {
  const known = program.cards.get(id);
  const rules = expected.get(id);
  if (rules === undefined) return known ? show(known, "model") : null;
  if (!(rules instanceof Map)) return show(rules.own, "model");
  const model = rules.get("model");
  if (model && !isOvertaken(model, "model", id, program)) return show(model.value, "model");
  if (known === undefined) return null;
  const facts = SINGLE_FIELDS.map((field) => {
    const one = rules.get(field);
    const isTaken = one !== undefined && !isOvertaken(one, field, id, program);
    const { price, laterPrices, ...rest } = isTaken ? one.value : known;
    return { field, facts: { price, laterPrices, ...rest } };
  });
  const parts = facts.map(({ field, facts: one }) => [field, JSON.parse(show(one, field))]);
  return JSON.stringify(Object.fromEntries(parts));
}

function readForce(file: CatalogueFileContent, program: BuiltInRows): ReadonlyMap<string, ModelCard> {
  const { newerModels } = foldCatalogue({ builtIn: program, file });
  return new Map([...program.cards, ...newerModels.map((card) => [card.id, card] as const)]);
}

interface State {
  readonly choose: Choose;
  file: CatalogueFileContent;
  readonly expected: Expected;
}

/** Accepts some fields of a model, or the whole model if no row has it. */
function accept(state: State, id: string, program: BuiltInRows, day: string): void {
  const { choose, expected } = state;
  const present = readForce(state.file, program).get(id);
  const rules = expected.get(id);
  const acceptance = { from: `list ${day}`, on: day, list: { asOf: day } };
  for (const [other, ofOther] of expected) {
    if (!(ofOther instanceof Map)) continue;
    for (const [field, one] of ofOther) if (isOvertaken(one, field, other, program)) ofOther.delete(field);
    if (ofOther.size === 0) expected.delete(other);
  }
  if (present === undefined) {
    const adds = makeCard(id, choose);
    state.file = takeIntoFile(state.file, [{ id, field: "model", card: {}, adds }], acceptance, program);
    expected.set(id, new Map([["model", { day, was: "none", value: adds }]]));
    return;
  }
  const fields = SINGLE_FIELDS.filter(() => choose([true, false]));
  const after = Object.assign({}, present, ...fields.map((field) => choose(VALUES[field])));
  const proposals = fields.map((field) => ({ id, field, card: pick(after, field) }));
  state.file = takeIntoFile(state.file, proposals, acceptance, program);
  if (fields.length === 0) return;
  if (rules !== undefined && !(rules instanceof Map)) {
    expected.set(id, { own: after });
    return;
  }
  const known = program.cards.get(id);
  const left = expected.get(id);
  const next = left instanceof Map ? left : new Map<SingleField | "model", Accepted>();
  const model = next.get("model");
  if (model) next.set("model", { ...model, day: day > model.day ? day : model.day, value: after });
  else for (const field of fields) next.set(field, { day, was: show(known, field), value: after });
  expected.set(id, next);
}

/** The values of a proposal. A field that a card hasn't is there, so that it replaces one. */
function pick(facts: Facts, field: SingleField): Facts {
  const { price, laterPrices, shutdownDate, successor, contextTokensMax, outputTokensMax } = facts;
  const sets = {
    price: { price, laterPrices },
    shutdown: { shutdownDate, successor },
    context: { contextTokensMax },
    output: { outputTokensMax },
  };
  return sets[field];
}

function stateOwn(state: State, id: string): void {
  const { choose } = state;
  const card = makeCard(id, choose);
  const row: FileRow = { kind: "own", card, asOf: choose(DAYS) };
  const others = state.file.rows.filter((one) => (one.kind === "fields" ? one.id : one.card.id) !== id);
  state.file = { ...state.file, rows: [...others, row] };
  state.expected.set(id, { own: card });
}

test("a field counts from the program exactly if that is later than the acceptance and has another value than was replaced", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const choose = makeChoice(seed);
    const programs = makePrograms(choose);
    const state: State = { choose, file: { rows: [] }, expected: new Map() };
    for (let step = 0; step < STEPS; step++) {
      const program = choose(programs);
      if (choose([true, true, true, false])) accept(state, choose(IDS), program, choose(DAYS));
      else stateOwn(state, choose(IDS));
      const text = writeCatalogueContent(state.file);
      const read = state.file.list === undefined ? state.file : readCatalogueContent(text);
      if (typeof read === "string") throw new Error(`Seed ${seed}: ${read}\n${text}`);
      state.file = read;
      for (const other of programs) {
        const force = readForce(state.file, other);
        for (const id of IDS) {
          const card = force.get(id);
          const found = card ? show(card, "model") : null;
          expect([seed, step, id, found]).toEqual([seed, step, id, expectCard(state.expected, id, other)]);
        }
        const rebased = rebaseFile(state.file, other).content;
        expect([seed, step, readForce(rebased, other)]).toEqual([seed, step, force]);
      }
    }
  }
});

describe("a program after another", () => {
  const id = "A#one";
  const make = (day: string, price: number, facts: Facts = {}): BuiltInRows => ({
    day,
    cards: new Map([[id, makeModelCard(id, { price: { input: price, output: price }, ...facts })]]),
  });
  const readPrice = (file: CatalogueFileContent, program: BuiltInRows) =>
    readForce(file, program).get(id)?.price?.input;

  test("a row that was rebased keeps its price under an older program, and gives way to a newer one", () => {
    const [first, second, third] = [make("2026-03-01", 1), make("2026-04-01", 2), make("2026-05-01", 3)];
    const card = makeModelCard(id, { price: { input: 9, output: 9 } });
    const file: CatalogueFileContent = { asOf: "2026-01-01", rows: [{ kind: "own", card }] };
    const { content } = rebaseFile(file, second);
    expect([first, second, third].map((program) => readPrice(content, program))).toEqual([9, 9, 3]);
    // Its price is as old as it was.
    const { hiding } = foldCatalogue({ builtIn: second, file: content });
    expect(hiding).toEqual([{ id, fields: ["price"], asOf: "2026-01-01" }]);
  });

  test("limits that are impossible together are the program's", () => {
    const first = make("2026-03-01", 1, { contextTokensMax: 100, outputTokensMax: 50 });
    const second = make("2026-05-01", 1, { contextTokensMax: 60, outputTokensMax: 50 });
    const proposal = { id, field: "output", card: { outputTokensMax: 90 } } as const;
    const taking = { from: "list", on: "2026-04-01", list: { asOf: "2026-04-01" } };
    const file = takeIntoFile({ rows: [] }, [proposal], taking, first);
    expect(foldCatalogue({ builtIn: first, file }).newerModels[0]?.outputTokensMax).toBe(90);
    const { newerModels, overtaken } = foldCatalogue({ builtIn: second, file });
    expect(newerModels[0]).toMatchObject({ contextTokensMax: 60, outputTokensMax: 50 });
    expect(overtaken).toEqual([{ id, fields: ["output"] }]);
  });

  test("what is taken of a list in turns ends in the same file as all at once", () => {
    const program: BuiltInRows = {
      day: "2026-03-01",
      cards: new Map(IDS.map((one) => [one, makeModelCard(one, { contextTokensMax: 1000 })])),
    };
    const taking = { from: "list", on: "2026-04-01", list: { asOf: "2026-04-01" } };
    const proposals = IDS.flatMap((one) => [
      { id: one, field: "price" as const, card: { price: { input: 1, output: 1 } } },
      { id: one, field: "context" as const, card: { contextTokensMax: 2000 } },
    ]);
    const take = (file: CatalogueFileContent, accepted: typeof proposals) =>
      takeIntoFile(file, accepted, taking, program);
    const turns = proposals
      .toReversed()
      .reduce<CatalogueFileContent>((file, one) => take(file, [one]), { rows: [] });
    expect(writeCatalogueContent(turns)).toBe(writeCatalogueContent(take({ rows: [] }, proposals)));
  });
});
