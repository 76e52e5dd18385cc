// The table of refused requests, played: surface × dialect × whole and streamed, through the whole gateway to a server that refuses
// them. The first request of a model is refused as often as the row says, the next one never.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { askCell, listCells, nameModel } from "./refused-cells.ts";
import { ELSEWHERE, REFUSED_FINDINGS } from "./refused-findings.ts";
import { makeRefusing, writeProviders } from "./refusing.ts";

const TESTS = join(import.meta.dir, "..", "..");
const server = makeRefusing();

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: server.fetch, more: writeProviders });
});
afterAll(() => gateway.stop());

for (const finding of REFUSED_FINDINGS) {
  const { name, holds, refuse, status = 400, findWrong } = finding;
  describe(`${name}: ${holds}`, () => {
    test.each([...listCells(finding)])("from $surface to $provider, streamed: $stream", async (cell) => {
      Object.assign(server, { refuse, status });
      const model = nameModel(cell.provider);
      for (const refusals of [finding.refusals, 0]) {
        server.refused = 0;
        const answer = await askCell(gateway, finding, cell, model);
        expect([findWrong(answer), server.refused]).toEqual([null, refusals]);
      }
    });
  });
}

test("a streamed answer keeps its thinking, though the server refused it in a whole one", async () => {
  const finding = REFUSED_FINDINGS.find(({ name }) => name === "unstreamed");
  if (!finding) throw new Error("There is no such finding.");
  Object.assign(server, { refuse: finding.refuse, status: 400 });
  const cell = { surface: "chat", provider: "Plain", stream: false } as const;
  const model = nameModel(cell.provider);
  await askCell(gateway, finding, cell, model);
  server.refused = 0;
  const { status, sent } = await askCell(gateway, finding, { ...cell, stream: true }, model);
  expect([status, sent.enable_thinking, server.refused]).toEqual([200, undefined, 0]);
});

test("every finding has a row here, or tests that play it", () => {
  const names = [...REFUSED_FINDINGS.map(({ name }) => name), ...Object.keys(ELSEWHERE)];
  const numbered = names.filter((name) => /^[XN]\d+$/.test(name)).toSorted();
  const list = (letter: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
  expect(numbered).toEqual([...list("N", 4), ...list("X", 15)].toSorted());
  expect(
    Object.values(ELSEWHERE)
      .flat()
      .filter((path) => !existsSync(join(TESTS, path))),
  ).toEqual([]);
});
