// The manual's chapter on webhooks against the table of events.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "../../src/core/events/events.ts";
import { ROOT } from "../tidy/sources.ts";

test("every event is in webhooks.md, and no other", () => {
  const text = readFileSync(join(ROOT, "src/docs/webhooks.md"), "utf8");
  const rows = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => type));
  expect(named.toSorted()).toEqual(Object.keys(EVENTS).toSorted());
});
