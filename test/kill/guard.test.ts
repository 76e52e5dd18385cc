// A gateway that is killed in the middle of streams whose values are swapped: afterwards the values have the same placeholders, and
// are put back as before. In the long form alone, or by `KILLS=n`.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IS_LONG } from "../harness/long.ts";
import { type GatewayProcess, operate, post, startGatewayProcess } from "../store/nodes/gateway.ts";
import { type Databases, useDatabases } from "../store/postgres/databases.ts";
import { ReadText, type SteppedUpstream, startStepped } from "../whole/guard/stepped-upstream.ts";

const KILLS = Number(process.env.KILLS ?? (IS_LONG ? 25 : 0));
const TEST_MS = 60_000 + KILLS * 60_000;
const ADDRESS = "ada@corp-x.de";
const SWAPS = "guard: { rules: [{ name: swap, detect: [email, phone], action: swap }] }";

let upstream: SteppedUpstream;
let folder: string;
let postgres: Databases | null = null;
beforeAll(() => {
  upstream = startStepped();
  folder = mkdtempSync(join(tmpdir(), "poundkey-kill-guard-"));
});
afterAll(async () => {
  await upstream.stop();
  await postgres?.remove();
  rmSync(folder, { recursive: true });
});

const STORES: readonly (readonly [string, () => Promise<string>])[] = [
  ["SQLite", async () => `sqlite:${join(folder, "poundkey.db")}`],
  [
    "PostgreSQL",
    async () => {
      postgres = await useDatabases();
      return postgres.url;
    },
  ],
];

const start = (store: string): GatewayProcess =>
  startGatewayProcess({ store, simulatorUrl: "http://127.0.0.1:9", more: `${upstream.row}\n${SWAPS}` });

/** Begins a stream, and returns the placeholder that the provider got, once the client has its value. */
async function beginStream(url: string, secret: string) {
  const asked = upstream.next();
  const body = {
    model: "Stepped#any",
    stream: true,
    messages: [{ role: "user", content: `I am ${ADDRESS}.` }],
  };
  const answering = post(`${url}/v1/chat/completions`, secret, body);
  const [placeholder = ""] = /<EMAIL_[0-9A-Z]{8}>/.exec(await asked) ?? [];
  // Half a placeholder is held back when the process ends.
  upstream.send(`Hello ${placeholder}, and ${placeholder.slice(0, 9)}`);
  const read = new ReadText(await answering);
  read.over.catch(() => {});
  const shown = `Hello ${ADDRESS}, and `;
  await read.reach(shown.length);
  expect(read.text).toBe(shown);
  return { placeholder, read };
}

test.skipIf(KILLS === 0).each(STORES)(
  `on %s, after each of ${KILLS} kills`,
  async (_name, open) => {
    const store = await open();
    let gateway = start(store);
    const { secret } = await operate(await gateway.url, "/keys", { name: "test", requests_per_day: null });
    const seen: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const { placeholder } = await beginStream(await gateway.url, String(secret));
      seen.push(placeholder);
      process.kill(gateway.pid, "SIGKILL");
      const { out, err } = await gateway.ended;
      expect(`${out}${err}`).not.toContain(ADDRESS);
      gateway = start(store);
    }
    const { placeholder, read } = await beginStream(await gateway.url, String(secret));
    upstream.end();
    await read.over;
    expect(placeholder).toMatch(/^<EMAIL_/);
    expect(new Set([...seen, placeholder])).toEqual(new Set([placeholder]));
    await gateway.stop();
  },
  TEST_MS,
);
