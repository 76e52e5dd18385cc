// The comparison with others: each claim has the other's own page with a date, and a command that shows ours. The age of the rows
// is asked at a release (`src/deploy/release/check-compare.sh`), since no change makes a row old.
import { expect, test } from "bun:test";
import { readDocument } from "./documents.ts";

const ROWS_MAX = 25;

/** The places in which each of them writes about itself. */
const OWN_PAGES = {
  LiteLLM: /^https:\/\/(docs\.litellm\.ai\/docs|github\.com\/BerriAI\/litellm)\//,
  Bifrost: /^https:\/\/(docs\.getbifrost\.ai|github\.com\/maximhq\/bifrost)\//,
  Portkey: /^https:\/\/(portkey\.ai\/docs|github\.com\/Portkey-AI\/[\w-]+)\//,
  OpenRouter: /^https:\/\/(openrouter\.ai\/docs|github\.com\/OpenRouterTeam\/[\w-]+)\//,
};
const PEERS = Object.entries(OWN_PAGES);

interface Source {
  readonly title: string;
  readonly url: string;
}

interface Claim {
  readonly part: string;
  readonly row: string;
  readonly ours: string;
  readonly theirs: string;
  readonly sources: readonly Source[];
  readonly command: string;
}

const claims: readonly Claim[] = readDocument("src/docs/compare.md")
  .split(/^## /m)
  .slice(1)
  .flatMap((part) =>
    [...part.matchAll(/^\| (?!what|-)(.+) \|$/gm)].map(([row, cells = ""]) => {
      const [, ours = "", theirs = "", source = "", command = ""] = cells.split(" | ");
      const sources = [...source.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", url = ""]) => {
        return { title, url };
      });
      return { part: part.split("\n")[0] ?? "", row, ours, theirs, sources, command };
    }),
  );

const readDateMs = ({ title }: Source) => Date.parse(/, (\d{4}-\d{2}-\d{2})$/.exec(title)?.[1] ?? "");

test("each claim has a source of the one whom it is about, with a date, and a command", () => {
  expect(claims.length).toBeGreaterThan(10);
  expect(claims.length).toBeLessThanOrEqual(ROWS_MAX);
  for (const { row, ours, theirs, sources, command } of claims) {
    const named = PEERS.filter(([name]) => theirs.includes(name));
    const isBacked = named.every(([, own]) => sources.some(({ url }) => own.test(url)));
    expect([row, named.length > 0 && isBacked && sources.length === named.length]).toEqual([row, true]);
    expect([row, sources.every((source) => readDateMs(source) <= Date.now())]).toEqual([row, true]);
    expect([row, ours !== "", /^`(poundkey|bun test|npm run) [^`]+`$/.test(command)]).toEqual([
      row,
      true,
      true,
    ]);
  }
});

test("a source on a code host is one state of a page, or a thread", () => {
  const urls = claims.flatMap(({ sources }) => sources.map(({ url }) => url));
  const moving = urls.filter(
    (url) => url.startsWith("https://github.com/") && !/\/(blob\/[0-9a-f]{40}|issues|pull)\//.test(url),
  );
  expect(moving).toEqual([]);
});

test("everybody compared does something better", () => {
  const better = claims.filter(({ part }) => part === "What they do better");
  const missing = PEERS.filter(([name]) => !better.some(({ theirs }) => theirs.includes(name)));
  expect(missing).toEqual([]);
});
