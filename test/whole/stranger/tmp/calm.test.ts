import { test } from "bun:test";
import { startUnderTest } from "../../../harness/harness.ts";
import { WIRES } from "../../../simulator/stranger/forms.ts";
import { startStranger } from "../../../simulator/stranger/server.ts";
import { SURFACE_KEYS } from "../../../surfaces/crossing/crossing.ts";
import { talk, writeProviders } from "../talk.ts";

test("calm", async () => {
  const seeds = WIRES.flatMap((wire, w) =>
    SURFACE_KEYS.flatMap((surface, s) =>
      [0, 1, 3].map((n) => ({ seed: n, wire, surface, model: `calm-${w}${s}${n}` })),
    ),
  );
  const stranger = await startStranger();
  const gateway = await startUnderTest({ more: writeProviders(stranger, seeds) });
  for (const seed of seeds) {
    const { wrong } = await talk(gateway, stranger, seed);
    if (wrong.length)
      console.log(
        seed.surface,
        "→",
        seed.wire,
        seed.seed,
        "\n   " + wrong.map((w) => w.slice(0, 500)).join("\n   "),
      );
  }
  if (process.env.SHOW) {
    for (const w of WIRES)
      for (const s of [0, 1, 2, 3]) {
        const c = stranger.calls.findLast((c) => c.model === `calm-${WIRES.indexOf(w)}${s}0`);
        if (c)
          console.log(
            w,
            SURFACE_KEYS[s],
            JSON.stringify({
              ...c.body,
              messages: undefined,
              contents: undefined,
              input: undefined,
              tools: undefined,
            }).slice(0, 1500),
          );
        const d = stranger.calls.find((c) => c.model === `calm-${WIRES.indexOf(w)}${s}0`);
        if (d) console.log("   first", JSON.stringify(d.body).slice(0, 1800));
      }
  }
  await gateway.stop();
  await stranger.stop();
}, 60000);
