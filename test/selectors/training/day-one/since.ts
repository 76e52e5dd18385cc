// Compares the selectors' choices for everyday prompts with the rows of another revision and with those of now, on a day:
// `bun test/selectors/training/day-one/since.ts REVISION [DAY]`. Fails if a model is chosen after its last day.
import { dateCard, hasEnded } from "../../../../src/catalogue/dated.ts";
import { buildCards, loadShippedCards } from "../../../../src/catalogue/rows.ts";
import { parseJson } from "../../../../src/core/json/json.ts";
import type { ModelCard } from "../../../../src/core/models/card.ts";
import { SELECTORS } from "../../../../src/core/models/selector.ts";
import { chooseOnDayOne, type DayOneChoice } from "./choices.ts";
import { listProviderSets } from "./prompts.ts";

const [revision = "HEAD", day = "2026-11-26"] = process.argv.slice(2);
const nowMs = Date.parse(`${day}T12:00:00Z`);

function readRevision(): readonly ModelCard[] {
  const shown = Bun.spawnSync(["git", "show", `${revision}:src/catalogue/models.data.json`]);
  if (!shown.success) throw new Error(shown.stderr.toString());
  return buildCards(parseJson(shown.stdout.toString()));
}

function countPicks(choices: readonly DayOneChoice[]): string {
  const picks = Map.groupBy(choices, ({ taken }) => taken?.model ?? "none");
  const counts = [...picks].map(([model, { length }]) => ({ model, length }));
  return counts
    .toSorted((one, other) => other.length - one.length)
    .map(({ model, length }) => `${model} ${length}`)
    .join(", ");
}

const now = loadShippedCards().map((card) => dateCard(card, nowMs));
const ended = new Set(now.filter(hasEnded).map(({ id }) => id));
// Rows of before know no day by which they end.
const before = listProviderSets(readRevision());
const after = listProviderSets(now.filter((card) => !hasEnded(card)));
const wrong: string[] = [];
console.log(`| providers | selector | changed | with the rows of ${revision} | now, on ${day} |`);
console.log("|---|---|---|---|---|");
for (const [set, cards] of after) {
  for (const name of SELECTORS) {
    const old = chooseOnDayOne(name, before.get(set) ?? []);
    const fresh = chooseOnDayOne(name, cards);
    const changed = fresh.filter(({ taken }, at) => taken?.model !== old[at]?.taken?.model).length;
    const left = old.filter(({ taken }) => ended.has(taken?.model ?? "")).length;
    const note = left === 0 ? "" : ` (${left} of them ended)`;
    console.log(
      `| ${set} | ${name} | ${changed} of ${fresh.length} | ${countPicks(old)}${note} | ${countPicks(fresh)} |`,
    );
    for (const { prompt, taken } of fresh)
      if (taken === null || ended.has(taken.model))
        wrong.push(`${set} ${name} ${prompt}: ${taken?.model ?? "none"}`);
  }
}
for (const line of wrong) console.error(line);
process.exit(wrong.length > 0 ? 1 : 0);
