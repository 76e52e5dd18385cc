// `bun test/abuse/holds.ts`: the true cost of the worst requests against what is held and charged for them.
import { type HoldRow, listHoldRows } from "./hold-rows.ts";

const round = (ratio: number) => Number(ratio.toPrecision(3));

function show({ holdUsd, trueUsd, chargedUsd, excessUsd, estimatedUsd, ...about }: HoldRow) {
  return {
    ...about,
    "true cost ÷ hold": round(trueUsd / holdUsd),
    "true cost ÷ charge": round(trueUsd / chargedUsd),
    "… without a report": round(trueUsd / estimatedUsd),
    "charge ÷ hold, reported a hundredfold": round(excessUsd / holdUsd),
  };
}

const rows = listHoldRows();
const worst = new Map<string, HoldRow>();
for (const row of rows) {
  const place = `${row.operation} ${row.provider} ${row.attack}`;
  const other = worst.get(place);
  if (!other || row.trueUsd / row.holdUsd > other.trueUsd / other.holdUsd) worst.set(place, row);
}
console.table([...worst.values()].map(show));
const over = rows.filter(({ trueUsd, holdUsd }) => trueUsd > holdUsd);
for (const { model, provider, attack } of over) console.log(`(fail) ${provider}#${model}: ${attack}`);
console.log(`\n${rows.length - over.length} passed, ${over.length} failed`);
process.exit(over.length === 0 ? 0 : 1);
