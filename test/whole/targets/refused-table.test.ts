// The fate of each refused request, as a table in `REFUSALS.md`: the server's words, and the client's answers from a gateway that
// may not mend the request, and from one that mends it. `LONG=1 UPDATE_DOCS=1 bun test whole/targets/refused-table` writes it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { askCell, listCells, nameModel, type RefusedCell } from "./refused-cells.ts";
import { REFUSED_FINDINGS, type RefusedFinding } from "./refused-findings.ts";
import { makeRefusing, writeProviders } from "./refusing.ts";

setDefaultTimeout(60_000);

const PAGE = join(import.meta.dir, "REFUSALS.md");
const BEGIN = "<!-- refusals -->\n";
const END = "<!-- end of refusals -->";
const HEAD = `| surface | provider | streamed | failed | before | after |
|---|---|---|---|---|---|
`;

const server = makeRefusing();
let gateway: UnderTest;
beforeAll(async () => {
  if (IS_LONG) gateway = await startUnderTest({ fetch: server.fetch, more: writeSettings });
});
afterAll(() => gateway?.stop());

const PLAYED = REFUSED_FINDINGS.map((finding) => ({ finding, cells: listCells(finding) }));

const UNMENDED = PLAYED.filter(({ finding }) => finding.words.length > 0).flatMap(({ finding, cells }) =>
  cells.map((cell) => ({ ...cell, words: finding.words, name: nameUnmended(finding, cell) })),
);

/** A model of its own for each cell, whose failures are no other's. */
function nameUnmended({ name }: RefusedFinding, { surface, stream }: RefusedCell): string {
  return `unmended-${name}-${surface}-${stream ? "streamed" : "whole"}`;
}

function writeSettings(url: string): string {
  const listNames = (of: string) =>
    UNMENDED.filter(({ provider }) => provider === of).map(({ name }) => name);
  const lines = UNMENDED.map(({ provider, name, words }) => {
    const taken = words.map((word) => JSON.stringify(`-${word}`));
    return `  "${provider}#${name}": { refuses: [${taken.join(", ")}] }`;
  });
  return [writeProviders(url, listNames), "models:", ...lines].join("\n");
}

async function play(finding: RefusedFinding, cell: RefusedCell): Promise<string> {
  const said: string[] = [];
  const { status = 400, words } = finding;
  Object.assign(server, {
    status,
    refuse(...asked: Parameters<RefusedFinding["refuse"]>) {
      const refusal = finding.refuse(...asked);
      if (refusal !== null && !said.includes(refusal)) said.push(refusal);
      return refusal;
    },
  });
  const unmended =
    words.length === 0
      ? null
      : await askCell(gateway, finding, cell, `${cell.provider}#${nameUnmended(finding, cell)}`);
  server.refused = 0;
  const model = nameModel(cell.provider);
  const first = await askCell(gateway, finding, cell, model);
  const refusals = server.refused;
  const then = await askCell(gateway, finding, cell, model);
  expect([finding.findWrong(first), finding.findWrong(then)]).toEqual([null, null]);
  expect([refusals, server.refused]).toEqual([finding.refusals, refusals]);
  const after = `${first.status}${refusals === 0 ? "" : ` after ${refusals === 1 ? "one refusal" : `${refusals} refusals`}`}`;
  const failed = said.length === 0 ? "–" : said.map((one) => one.replaceAll("|", "\\|")).join("<br>");
  const { surface, provider, stream } = cell;
  return `| ${surface} | ${provider} | ${stream ? "yes" : "no"} | ${failed} | ${unmended?.status ?? "–"} | ${after} |\n`;
}

describe.skipIf(!IS_LONG)("the table of refusals (skipped unless LONG=1)", () => {
  test("is as it is played", async () => {
    const parts: string[] = [];
    for (const { finding, cells } of PLAYED) {
      parts.push(`\n## ${finding.holds[0]?.toUpperCase()}${finding.holds.slice(1)}\n\n${HEAD}`);
      for (const cell of cells) parts.push(await play(finding, cell));
    }
    const page = readFileSync(PAGE, "utf8");
    const start = page.indexOf(BEGIN) + BEGIN.length;
    const written = `${page.slice(0, start)}${parts.join("")}\n${page.slice(page.indexOf(END))}`;
    if (process.env.UPDATE_DOCS) writeFileSync(PAGE, written);
    expect(readFileSync(PAGE, "utf8")).toBe(written);
    // Without a mend, none is answered.
    expect(parts.filter((row) => /\| 2\d\d \| [^|]*\|$/m.test(row))).toEqual([]);
  });
});
