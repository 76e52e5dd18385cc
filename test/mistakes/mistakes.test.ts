// Mistakes that developers make, over HTTP: each answer is scored by whether it names the reason, the place, and what
// would be right.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { mintSecret } from "../../src/keys/secret.ts";
import { type Started, startUnderTest, type UnderTest } from "../harness/harness.ts";
import { BODY_MISTAKES } from "./bodies.ts";
import type { Mistake } from "./mistake.ts";
import { MODEL_MISTAKES } from "./models.ts";
import { PATH_MISTAKES } from "./paths.ts";
import { REPORTED_MISTAKES } from "./reported.ts";
import { DOOR_MISTAKES, SECRET_MISTAKES, URL_SECRET } from "./secrets.ts";

const TABLES: Readonly<Record<string, readonly Mistake[]>> = {
  addresses: PATH_MISTAKES,
  keys: [...SECRET_MISTAKES, URL_SECRET, ...DOOR_MISTAKES],
  bodies: BODY_MISTAKES,
  models: MODEL_MISTAKES,
  reported: REPORTED_MISTAKES,
};
const POINTS_MAX = 3;
const MEAN_MIN = 2.9;
/** Answers that lack a part: two paths, and data of which the provider alone says that it is broken. */
const INCOMPLETE: ReadonlySet<string> = new Set(["POST /v1/uploads", "POST /mcp", "broken base64"]);

let world: UnderTest;
let gateway: Started;
/** The values of `{name}` in headers and paths. */
let secrets: Readonly<Record<string, string>>;

beforeAll(async () => {
  world = await startUnderTest({
    more: `  Acme: { dialect: openai, keys: [sim-key], base_url: "http://127.0.0.1:1/v1", models: [
    { name: plain, context: 8192, output: 1024, price: { input: 1, output: 5 }, capabilities: [] } ] }`,
  });
  // Providers that accept any name would answer for most of the wrong ones.
  const text = readFileSync(world.configFile, "utf8").replaceAll(", unlisted_models: true", "");
  writeFileSync(world.configFile, text);
  gateway = await world.another();
  secrets = await makeSecrets();
});
afterAll(async () => {
  await gateway.stop();
  await world.stop();
});

async function makeSecrets(): Promise<Readonly<Record<string, string>>> {
  const { secret } = world;
  const revoked = await world.newKey();
  const admin = { authorization: `Bearer ${world.adminToken}` };
  await fetch(`${world.url}/admin/v1/keys/${revoked.id}`, { method: "DELETE", headers: admin });
  const restricted = await world.newKey({ requests_per_day: null, allowed_models: ["Acme#*"] });
  const [tenth = "", other = tenth === "x" ? "y" : "x"] = [secret[10]];
  return {
    secret,
    restricted: restricted.secret,
    revoked: revoked.secret,
    wrong: mintSecret({ bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }),
    cut: secret.slice(0, -1),
    typo: secret.slice(0, 10) + other + secret.slice(11),
    upper: secret.toUpperCase(),
    bare: secret.slice(3),
    halves: `${secret.slice(0, 20)} ${secret.slice(20)}`,
  };
}

const fill = (text: string) => text.replace(/\{(\w+)\}/g, (all, name: string) => secrets[name] ?? all);

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly message: string;
}

async function send({ method, path = "/v1/chat/completions", headers, body, who }: Mistake): Promise<Heard> {
  const given = {
    authorization: who === undefined ? "Bearer {secret}" : `Bearer {${who}}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const sent = Object.entries(given).flatMap(([name, value]) =>
    value === null ? [] : [[name, fill(value)] as [string, string]],
  );
  const response = await fetch(gateway.url + fill(path), {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: sent,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { readonly error: { readonly message: string } };
  return { status: response.status, text, message: error.message };
}

/** One point each for the reason, the place, and what would be right. */
function score({ what, where, right }: Mistake, message: string): number {
  return [what, where, right].filter((part) => part.test(message)).length;
}

const scores: number[] = [];

for (const [name, rows] of Object.entries(TABLES)) {
  describe(name, () => {
    test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
      const { status, text, message } = await send(row);
      const points = score(row, message);
      scores.push(points);
      if (points < POINTS_MAX) console.log(`${points} of ${POINTS_MAX}: ${row.name}: ${message}`);
      expect(status).toBe(row.status);
      const least = INCOMPLETE.has(row.name) ? POINTS_MAX - 1 : POINTS_MAX;
      expect([message, points >= least]).toEqual([message, true]);
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret.slice(3, 15));
    });
  });
}

test("the answers name the reason, the place, and what would be right", () => {
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length;
  console.log(`${scores.length} mistakes: mean ${mean.toFixed(2)} of ${POINTS_MAX}`);
  expect(scores.length).toBeGreaterThanOrEqual(250);
  expect(mean).toBeGreaterThanOrEqual(MEAN_MIN);
});
