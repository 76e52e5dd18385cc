import { test } from "bun:test";
import { startUnderTest } from "../../../harness/harness.ts";
import { WIRES } from "../../../simulator/stranger/forms.ts";
import { listRules } from "../../../simulator/stranger/rules.ts";
import { startStranger } from "../../../simulator/stranger/server.ts";
import { listSeeds, talk, writeProviders } from "../talk.ts";

test("many", async () => {
  const all = listSeeds(Number(process.env.SEEDS ?? 60));
  const counts = new Map<string, string[]>();
  const hit = new Set<string>();
  let mended = 0,
    told = 0,
    wrongs = 0;
  for (let f = 0; f < all.length; f += 50) {
    const seeds = all.slice(f, f + 50);
    const stranger = await startStranger();
    const gateway = await startUnderTest({ more: writeProviders(stranger, seeds) });
    for (const seed of seeds) {
      const out = await talk(gateway, stranger, seed);
      mended += out.mended.length;
      told += out.told.length;
      wrongs += out.wrong.length;
      for (const r of [...out.mended, ...out.told]) hit.add(`${r.wire} ${r.refuses} | ${r.sentence.source}`);
      for (const w of out.wrong) {
        const k = w
          .replace(/^request \d+: /, "")
          .replace(/(req|calm|gen|chatcmpl|msg)[_-][0-9a-f]{8,}/g, "ID")
          .slice(0, 260);
        (counts.get(k) ?? counts.set(k, []).get(k))!.push(`${seed.model}@${seed.surface}`);
      }
    }
    await gateway.stop();
    await stranger.stop();
  }
  const only = process.env.ALL ? [...counts] : [...counts].filter(([k]) => !k.startsWith("not mended"));
  for (const [k, v] of only.toSorted((a, b) => b[1].length - a[1].length))
    console.log(v.length, k, v.slice(0, 3).join(" "));
  console.log({ mended, told, wrongs });
  if (process.env.HITS) {
    const missing = WIRES.flatMap((w) => listRules(w).map((r) => `${r.wire} ${r.refuses}`));
    console.log(
      "never hit:",
      [...new Set(missing)].filter((m) => ![...hit].some((h) => h.startsWith(m + " |"))),
    );
    console.log(
      "sentences never hit:",
      [
        ...new Set(
          WIRES.flatMap((w) =>
            listRules(w).map((r) => `${r.sentence.server} ${r.sentence.source} ${r.sentence.refuses}`),
          ),
        ),
      ].filter((m) => ![...hit].some((h) => m.includes(h.split("| ")[1]!))),
    );
  }
}, 600000);
