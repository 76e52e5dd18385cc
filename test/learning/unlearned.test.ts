// Choosing without learning: the selectors load none of it, and decide all the same.
import { expect, test } from "bun:test";
import { SELECTORS, type Selector } from "../../src/core/models/selector.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { NOTHING_KNOWN } from "../../src/selectors/knowledge.ts";
import { asking, CODE, MATH, makeInput, pick, TRIVIA } from "../selectors/sample-cards.ts";
import { findRoom, readSources } from "../tidy/sources.ts";

test("no file that a selector needs is of the room that learns", () => {
  const byPath = new Map(readSources("src").map((source) => [source.path, source]));
  const reached = new Set(byPath.keys().filter((path) => findRoom(path) === "selectors"));
  // A set yields what is added meanwhile.
  for (const path of reached) for (const target of byPath.get(path)?.imports ?? []) reached.add(target);
  expect(reached.size).toBeGreaterThan(40);
  expect([...reached].filter((path) => findRoom(path) === "learning")).toEqual([]);
});

test("each selector decides by what it knows from the start", () => {
  const choices = SELECTORS.map((name) =>
    [MATH, CODE, TRIVIA].map((prompt) => pick(name, asking(prompt), { quality: 0.85 })),
  );
  expect(choices).toEqual([
    ["Acme#strong", "Acme#strong", "Acme#strong"],
    ["Acme#middle", "Acme#middle", "Acme#middle"],
    ["Acme#weak", "Acme#middle", "Acme#middle"],
  ]);
  const { asked, leanedOn } = choose(SELECTOR_RULES.best, makeInput(asking(MATH)));
  expect(asked.learned).toBe(NOTHING_KNOWN);
  expect(asked.ask).toMatchObject({ margin: 0, usualCostUsd: 0, costWeight: null, timeWeight: null });
  expect([leanedOn, asked.ask.likeness]).toEqual([[], asked.prediction.sure]);
});

test("a gateway without the room that learns chooses by benchmarks and prices, and answers", async () => {
  const script = [
    "--preload",
    `${import.meta.dir}/forbid-learning.ts`,
    `${import.meta.dir}/unlearned-gateway.ts`,
  ];
  const child = Bun.spawn([process.execPath, ...script], { stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, errors]).toEqual([0, ""]);
  const answers: readonly Answer[] = JSON.parse(out);
  expect(answers.map(({ selector }) => selector)).toEqual(SELECTORS.flatMap((name) => [name, name, name]));
  const of = (name: Selector) => answers.filter(({ selector }) => selector === name);
  expect(answers.filter(({ used }) => !/^(OpenAI|Anthropic|Google)#/.test(used ?? ""))).toEqual([]);
  expect(of("best").map(({ source }) => source)).toEqual(["benchmark", "benchmark", "benchmark"]);
  for (const [at, best] of of("best").entries())
    expect(of("fair")[at]?.cost ?? Number.NaN).toBeLessThanOrEqual(best.cost);
});

interface Answer {
  readonly selector: Selector;
  /** Tells where the predicted quality comes from. */
  readonly source: string;
  /** The expected cost of the chosen model, in USD. */
  readonly cost: number;
  readonly used: string | null;
}
