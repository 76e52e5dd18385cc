// The tiles compare with as much of an earlier period as has passed of this one, by whole weeks.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { DAY, HOUR, makeRecord, writeRecord } from "../../harness/samples.ts";
import { type PeopleWorld, startPeopleWorld } from "../people.ts";
import { HAS_BROWSER, openConsole, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: PeopleWorld;
beforeAll(async () => {
  world = await startPeopleWorld();
  const nowMs = Date.now();
  // The last one is at an hour that today hasn't reached, so that it isn't compared with today.
  const ages = { now: 0, atThisHour: 28 * DAY, longBefore: 55 * DAY, later: 28 * DAY - 2 * HOUR };
  for (const [id, age] of Object.entries(ages))
    await writeRecord(world.opened.store, makeRecord(id, { atMs: nowMs - age }));
});
afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("the overview (skipped without Chromium)", () => {
  test("compares 30 days with 30 days, four weeks earlier, up to this hour", async () => {
    const { page, leave } = await openConsole(world, "/?range=30d");
    const requests = page.getByRole("region", { name: "Requests" });
    await requests.getByText("vs. 28 days before").waitFor();
    expect(await requests.innerText()).toMatch(/^Requests\s+3\s+\+50% vs\. 28 days before$/);
    await leave();
  });
});
