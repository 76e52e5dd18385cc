// The table of findings, played: surface × dialect × whole and streamed, through the whole gateway to a strict provider.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { SURFACE_KEYS } from "../../surfaces/crossing/crossing.ts";
import { askSurface } from "../world/surface-asking.ts";
import { type Cell, DIALECT_MODELS, ELSEWHERE, FINDINGS, type Finding } from "./findings.ts";

const TESTS = join(import.meta.dir, "..", "..");

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

/** Returns the tokens of the last request. */
async function readCounts(): Promise<unknown> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  const answered = await fetch(`${gateway.url}/admin/v1/requests?limit=1`, { headers });
  return asObject(asArray(asObject(await answered.json()).data)[0]).tokens;
}

function listCells({ bodies, models = DIALECT_MODELS, isExempt }: Finding) {
  const surfaces = SURFACE_KEYS.filter((surface) => bodies[surface] !== undefined);
  const cells = surfaces.flatMap((surface) => models.map((model) => [surface, model] as const));
  return cells.filter(([surface, model]) => !isExempt?.(surface, model));
}

async function play({ bodies, control = "", twin }: Finding, { surface, model, stream }: Cell) {
  const asked = { surface, body: bodies[surface] ?? {}, stream };
  const answer = await askSurface(gateway, { ...asked, model: model + control });
  if (twin === undefined) return { ...answer, counts: null, twin: null };
  const counts = await readCounts();
  await askSurface(gateway, { ...asked, model: model + twin });
  return { ...answer, counts, twin: await readCounts() };
}

for (const finding of FINDINGS) {
  describe.each([false, true])(`${finding.name}: ${finding.holds}, streamed: %p`, (stream) => {
    // Half of the cells of each surface are played whole, the others streamed.
    test.each([...sampleRows(listCells(finding), 2, Number(stream))])(
      "from %s to %s",
      async (surface, model) => {
        const cell = { surface, model, stream };
        expect(finding.findWrong(await play(finding, cell), cell)).toBeNull();
      },
    );
  });
}

test("every finding has a row here, or tests that play it", () => {
  const names = [...FINDINGS.map(({ name }) => name), ...Object.keys(ELSEWHERE)];
  const numbers = names.map((name) => Number(name.slice(1))).toSorted((one, other) => one - other);
  expect(numbers).toEqual(Array.from({ length: 18 }, (_, at) => at + 1));
  expect(
    Object.values(ELSEWHERE)
      .flat()
      .filter((path) => !existsSync(join(TESTS, path))),
  ).toEqual([]);
});
