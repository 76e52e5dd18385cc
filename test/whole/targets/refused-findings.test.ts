// The table of refused requests, played: surface × dialect × whole and streamed, through the whole gateway to a server that refuses
// them. The first request of a model is refused as often as the row says, the next one never.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SURFACE_KEYS } from "../../surfaces/crossing/crossing.ts";
import { askSurface } from "../world/surface-asking.ts";
import { ELSEWHERE, REFUSED_FINDINGS } from "./refused-findings.ts";
import { makeRefusing, writeProviders } from "./refusing.ts";

const TESTS = join(import.meta.dir, "..", "..");
const server = makeRefusing();

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: server.fetch, more: writeProviders });
});
afterAll(() => gateway.stop());

/** Models of the known providers; others have any name. */
const KNOWN: Readonly<Record<string, string>> = {
  OpenAI: "gpt-5.4-mini",
  Responses: "gpt-5.4-mini",
  Anthropic: "claude-sonnet-4-6",
  Google: "gemini-3.6-flash",
};
let asked = 0;

for (const {
  name,
  holds,
  bodies,
  headers,
  providers,
  refuse,
  status = 400,
  ...finding
} of REFUSED_FINDINGS) {
  const cells = SURFACE_KEYS.filter((surface) => bodies[surface] !== undefined).flatMap((surface) =>
    providers.flatMap((provider) => [false, true].map((stream) => [surface, provider, stream] as const)),
  );
  describe(`${name}: ${holds}`, () => {
    test.each(cells)("from %s to %s, streamed: %p", async (surface, provider, stream) => {
      Object.assign(server, { refuse, status });
      const model = `${provider}#${KNOWN[provider] ?? `m-${++asked}`}`;
      const body = bodies[surface] ?? {};
      for (const refusals of [finding.refusals, 0]) {
        server.refused = 0;
        const answer = await askSurface(gateway, {
          surface,
          model,
          body,
          stream,
          ...(headers && { headers }),
        });
        expect([finding.findWrong(answer), server.refused]).toEqual([null, refusals]);
      }
    });
  });
}

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
