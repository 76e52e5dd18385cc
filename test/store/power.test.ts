// A power failure at many moments of a load leaves a sound store, in which each paid answer has its hold or its charge.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PROGRAM } from "../harness/program.ts";
import { findTool } from "../harness/tools.ts";
import { type KillWorld, newKillWorld } from "../kill/world.ts";
import { failPower } from "./power/campaign.ts";

/** The long form is `bun test/store/power/run.ts`. */
const MOMENTS = 60;
const LOAD_MS = 3000;
const SEED = 20_261_122;
const TEST_MS = 120_000;
const CAN_RECORD = process.platform === "linux" && findTool("cc") !== null;

let world: KillWorld;
beforeAll(async () => {
  world = await newKillWorld();
});
afterAll(() => world.stop({ keep: false }));

test.skipIf(!CAN_RECORD)(
  "the store opens, its books balance, and no paid answer is without its hold",
  async () => {
    const options = { program: PROGRAM, world, moments: MOMENTS, loadMs: LOAD_MS, seed: SEED };
    const found = await failPower(options);
    expect(found?.problems).toEqual([]);
    expect(found?.syncs).toBeGreaterThan(0);
    expect(found?.answers).toBeGreaterThan(0);
  },
  TEST_MS,
);
