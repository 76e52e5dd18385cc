// The gateway over HTTP: tables of scenarios on the key holders' routes, each row a request with its result.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ANSWER_ROWS } from "../http/rows/answers.ts";
import { HEADER_ROWS } from "../http/rows/headers.ts";
import { MODEL_ROWS } from "../http/rows/models.ts";
import { play, type Row, type Secrets } from "../http/rows/row.ts";
import { SLOW_ROWS } from "../http/rows/waiting.ts";
import { asking, type HttpWorld, startHttpWorld } from "./world/world.ts";

const SLOW_MS = 20_000;

let world: HttpWorld;
let secrets: Secrets;

beforeAll(async () => {
  world = await startHttpWorld();
  const limited = await world.newKey();
  const restricted = await world.newKey({
    requests_per_day: null,
    allowed_models: ["acme#*EAP", "Acme#dear"],
  });
  const unlucky = await world.newKey({
    requests_per_day: null,
    allowed_models: ["Acme#dear~trouble=500", "Acme#cheap~trouble=429", "Acme#maker/model-1"],
  });
  secrets = {
    holder: world.secret,
    limited: limited.secret,
    restricted: restricted.secret,
    unlucky: unlucky.secret,
    operator: world.adminToken,
    nobody: null,
  };
});
afterAll(() => world.stop());

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  answers: ANSWER_ROWS,
  models: MODEL_ROWS,
  headers: HEADER_ROWS,
};

for (const [name, rows] of Object.entries(TABLES)) {
  describe(name, () => {
    test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
      await play(world, secrets, row);
    });
  });
}

test("credentials rejected by the provider are skipped", async () => {
  const before = world.odd.calls.total;
  let attempts = 0;
  for (let at = 0; at < 12; at++) {
    const answer = await play(world, secrets, { name: "Pair", body: asking("Pair#sim"), status: 200 });
    attempts += Number(answer.headers.get("x-poundkey-attempts"));
  }
  expect(world.odd.calls.total - before).toBe(attempts);
});

describe("waiting", () => {
  const rows = SLOW_ROWS.map((row) => [row.name, row] as const);
  const played = async (_name: string, row: Row) => void (await play(world, secrets, row));
  test.concurrent.each(rows)("%s", played, SLOW_MS);
});
