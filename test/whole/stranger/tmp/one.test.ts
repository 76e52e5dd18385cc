import { test } from "bun:test";
import { startUnderTest } from "../../../harness/harness.ts";
import { startStranger } from "../../../simulator/stranger/server.ts";
import { listSeeds, talk, writeProviders } from "../talk.ts";

test("one", async () => {
  const seeds = listSeeds(1000).filter(({ seed }) => process.env.ONE!.split(",").includes(String(seed)));
  const stranger = await startStranger();
  const gateway = await startUnderTest({ more: writeProviders(stranger, seeds) });
  for (const seed of seeds) {
    const out = await talk(gateway, stranger, seed);
    console.log(seed.model, seed.surface, out.wrong);
  }
  for (const c of stranger.calls)
    console.log(
      c.wire,
      c.refusedBy?.refuses,
      c.refusedBy?.sentence.source,
      process.env.BODY ? JSON.stringify(c.body).slice(0, 3000) : "",
    );
  await gateway.stop();
  await stranger.stop();
}, 60000);
