// Compares the shipped rows with the three public lists, and prints what differs with its reason:
// `bun test/catalogue/lists/compare.ts FOLDER`, where `prepare.py` has written the lists. Exits with 1 if a difference has no
// reason in `differences.ts`, or a reason explains nothing any more.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareList } from "../../../src/app/models/catalogue-update.ts";
import { countChanges } from "../../../src/catalogue/feeds/count-changes.ts";
import type { Proposal } from "../../../src/catalogue/feeds/verdict.ts";
import { FEED_FORMATS, type FeedFormat } from "../../../src/core/models/feed-format.ts";
import { DIFFERENCES, type Difference } from "./differences.ts";

const FILES: Readonly<Partial<Record<FeedFormat, string>>> = {
  litellm: "litellm.json",
  "models.dev": "models-dev.json",
  "genai-prices": "genai-prices.json",
};
const FIELDS: ReadonlySet<string> = new Set(["price", "later_prices", "shutdown"]);

function explain(list: FeedFormat, { id, field }: Proposal): Difference | undefined {
  return DIFFERENCES.find((one) => (one.list ?? list) === list && one.field === field && one.ids.test(id));
}

const used = new Set<Difference>();
let unexplained = 0;
for (const list of FEED_FORMATS) {
  const file = FILES[list];
  if (file === undefined) continue;
  const text = readFileSync(join(process.argv[2] ?? ".", file), "utf8");
  const basis = { overlay: [], newerModels: [], operatorIds: new Set<string>(), ignore: [], reliances: [] };
  const { listed, proposals: all, known: cards } = compareList(text, list, basis, Date.now());
  const compared = countChanges({ listed, known: [...cards.keys()], proposals: all }, all);
  const differing = all.filter(({ id, field }) => cards.has(id) && FIELDS.has(field));
  console.log(
    `${list}: ${compared.compared} compared, ${compared.equal} equal, ${differing.length} differ in price or end, ${compared.unlisted} not in the list`,
  );
  const groups = Map.groupBy(differing, (proposal) => explain(list, proposal)?.reason ?? "");
  for (const [reason, proposals] of groups) {
    console.log(`  ${reason === "" ? "WITHOUT A REASON" : reason}:`);
    for (const proposal of proposals) {
      const { id, field, before, after } = proposal;
      const known = explain(list, proposal);
      if (known) used.add(known);
      else unexplained += 1;
      console.log(`    ${id} ${field}: ${before ?? "unknown"} → ${after}`);
    }
  }
}
const idle = DIFFERENCES.filter((one) => !used.has(one));
for (const { ids, reason } of idle) console.log(`explains nothing: ${ids} ${reason}`);
console.log(`${unexplained} differences without a reason`);
process.exit(unexplained + idle.length > 0 ? 1 : 0);
