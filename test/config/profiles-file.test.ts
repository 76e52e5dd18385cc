// An operator's file of benchmark results: what it changes, and its mistakes.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { runCatalogue } from "../../src/cli/models/catalogue.ts";
import { formatError } from "../../src/config/errors.ts";
import type { LoadResult } from "../../src/config/load.ts";
import { SKILLS } from "../../src/core/models/skill.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { best } from "../../src/selectors/best.ts";
import { choose } from "../../src/selectors/choose.ts";
import { findProfile } from "../../src/selectors/profiles.ts";
import { loadText, readFrom, requireSettings } from "../harness/settings.ts";
import { asking, even, makeInput } from "../selectors/sample-cards.ts";

const ROW = { id: "OpenAI#gpt-6-astra", source: "LiveBench", date: "2026-11-01", skills: even(0.97) };
const base = "providers: { OpenAI: { keys: [k] } }\nprofiles: new.json\n";

function load(rows: unknown, more = ""): LoadResult {
  const text = typeof rows === "string" ? rows : JSON.stringify({ rows });
  return loadText(base + more, { files: { "new.json": text } });
}

function profileOf(loaded: LoadResult, id = ROW.id) {
  const found = buildCatalogue(requireSettings(loaded)).resolve(id);
  if (found.kind !== "card") throw new Error(`no card ${id}`);
  return findProfile(found.card);
}

describe("benchmark results of a file", () => {
  test("replace a guess, and say where they come from", () => {
    expect(profileOf(loadText("providers: { OpenAI: { keys: [k] } }"))).toMatchObject({
      source: "guess",
      asOf: null,
      isGuessed: true,
    });
    expect(profileOf(load([ROW]))).toMatchObject({
      source: "benchmark",
      benchmark: "LiveBench",
      asOf: "2026-11-01",
      isGuessed: false,
      skills: SKILLS.map(() => 0.97),
    });
  });

  test("change the choice", () => {
    const cards = (loaded: LoadResult) => buildCatalogue(requireSettings(loaded)).list();
    const choice = (loaded: LoadResult) => {
      const input = makeInput(asking("What is the capital of France?"), { cards: cards(loaded) });
      return choose(best, input).candidates.find(({ eligible }) => eligible);
    };
    expect(choice(load([ROW]))).toMatchObject({
      card: { id: ROW.id },
      source: "benchmark",
      asOf: "2026-11-01",
    });
    expect(choice(loadText("providers: { OpenAI: { keys: [k] } }"))?.card.id).not.toBe(ROW.id);
  });

  test("don't replace newer ones that are built in, or the operator's own skills", () => {
    const older = { ...ROW, id: "OpenAI#gpt-5.5", date: "2025-01-01" };
    expect(profileOf(load([older]), older.id).asOf).toBe("2026-01-08");
    const own = load([ROW], 'models: { "OpenAI#gpt-6-astra": { skills: { math: 0.5 } } }');
    expect(profileOf(own).source).toBe("skills");
  });

  test("of few kinds of tasks leave the others in doubt", () => {
    const profile = profileOf(load([{ ...ROW, skills: { coding: 0.9 }, spreads: { coding: 0.02 } }]));
    const [math, coding] = profile.spreads;
    expect([profile.isGuessed, coding]).toEqual([true, 0.02]);
    expect(math).toBeGreaterThan(0.1);
  });

  test("count for the same model at another provider", () => {
    const more = `providers: { OpenAI: { keys: [k] }, Own: { base_url: http://x, models: [{ name: m, like: "${ROW.id}" }] } }`;
    const loaded = loadText(`profiles: new.json\n${more}`, {
      files: { "new.json": JSON.stringify({ rows: [ROW] }) },
    });
    expect(profileOf(loaded, "Own#m").asOf).toBe("2026-11-01");
  });
});

test.each<[string, unknown, string]>([
  ["no JSON", "{", "new.json: the file is not valid JSON"],
  ["a list", "[]", "expected a mapping"],
  [
    "a missing date",
    [{ ...ROW, date: undefined }],
    "rows[0].date (OpenAI#gpt-6-astra): this field is missing",
  ],
  [
    "a skill above 1",
    [{ ...ROW, skills: { math: 97 } }],
    "rows[0].skills.math (OpenAI#gpt-6-astra): expected",
  ],
  ["no skills", [{ ...ROW, skills: {} }], "OpenAI#gpt-6-astra has no skills"],
  ["a repeated model", [ROW, ROW], "OpenAI#gpt-6-astra is listed twice"],
])("an invalid file is refused with its mistake: %s", (_, rows, message) => {
  const loaded = load(rows);
  const errors = loaded.ok ? [] : loaded.errors.map(formatError);
  expect(errors.join("\n")).toContain(message);
});

describe("`catalogue diff` of benchmark results", () => {
  async function diff(rows: unknown, ...args: readonly string[]) {
    const out: string[] = [];
    const err: string[] = [];
    const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
    const files = {
      "poundkey.yaml": "providers: { OpenAI: { keys: [k] } }",
      "new.json": JSON.stringify({ rows }),
    };
    const readFile = readFrom(files);
    const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
    const code = await runCatalogue(["diff", "new.json", ...args], io, source);
    return { code, out: out.join("\n"), err: err.join("\n") };
  }

  test("shows the skills before and after, and where they come from", async () => {
    const { code, out, err } = await diff([ROW]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("~ OpenAI#gpt-6-astra\n    known_by: guess → benchmark LiveBench 2026-11-01\n");
    expect(out).toMatch(/ {4}skills\.math: 0\.8\d\d → 0\.970\n/);
    expect(out).toMatch(/0 added, \d+ changed, 0 removed$/);
  });

  test("names the rows that change nothing", async () => {
    const older = { ...ROW, id: "OpenAI#gpt-5.5", date: "2025-01-01" };
    const { out, err } = await diff([{ ...ROW, id: "OpenAI#gpt-99" }, older]);
    expect(out).toBe("0 added, 0 changed, 0 removed");
    expect(err).toBe(
      "OpenAI#gpt-99 is ignored: no model has this id\nOpenAI#gpt-5.5 is ignored: the built-in results of 2026-01-08 are newer",
    );
  });

  test("prints JSON, and refuses an invalid file", async () => {
    expect(JSON.parse((await diff([ROW], "--json")).out)[0]).toMatchObject({ id: ROW.id, kind: "changed" });
    const { code, err } = await diff([{ id: "x" }]);
    expect([code, err]).toEqual([1, expect.stringContaining("rows[0]")]);
  });
});
