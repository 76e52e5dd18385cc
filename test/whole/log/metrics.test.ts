// The metrics token: it is required to read the metrics, and is never shown.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { LONG_MS, newPlace, startServe } from "../../harness/serve-process.ts";
import { type Seen, seen } from "../world/observe.ts";

const TOKEN = "token-of-the-scraper";

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ more: `metrics: { token: "${TOKEN}" }` });
});
afterAll(() => gateway.stop());

async function scrape(authorization?: string, path = "/metrics"): Promise<Seen> {
  return seen(await fetch(gateway.url + path, authorization ? { headers: { authorization } } : {}));
}

test.each(["Bearer", "bearer", "BEARER"])("%s and the token can read the metrics", async (scheme) => {
  const { status, text } = await scrape(`${scheme} ${TOKEN}`);
  expect(status).toBe(200);
  expect(text).toContain("# TYPE process_resident_memory_bytes gauge\n");
  expect(text).not.toContain(TOKEN);
});

describe("without the token", () => {
  const basic = `Basic ${btoa(`any:${TOKEN}`)}`;
  test.each([
    ["no header", undefined, null],
    ["another scheme", basic, null],
    ["no token", "Bearer ", null],
    ["a wrong one", "Bearer token-of-the-scrapes", "invalid_api_key"],
    ["a longer one", `Bearer ${TOKEN}x`, "invalid_api_key"],
    ["a shorter one", `Bearer ${TOKEN.slice(0, -1)}`, "invalid_api_key"],
  ])("%s is a 401 in our format", async (_, authorization, code) => {
    const { status, body, headers, text } = await scrape(authorization);
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(body).toEqual({
      error: {
        message: expect.stringContaining("metrics"),
        type: "invalid_request_error",
        param: null,
        code,
      },
    });
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain("poundkey_");
  });

  test("so is a key's secret, the operator's token, or the token in the URL", async () => {
    for (const secret of [gateway.secret, gateway.adminToken]) {
      expect((await scrape(`Bearer ${secret}`)).status).toBe(401);
    }
    expect((await scrape(undefined, `/metrics?access_token=${TOKEN}`)).status).toBe(401);
  });

  test("health and the schema stay public", async () => {
    for (const path of ["/healthz", "/readyz", "/config.schema.json"]) {
      expect([path, (await scrape(undefined, path)).status]).toEqual([path, 200]);
    }
  });
});

test("the operator's view of the settings doesn't show it", async () => {
  const { status, text } = await scrape(`Bearer ${gateway.adminToken}`, "/admin/v1/settings");
  expect(status).toBe(200);
  expect(text).not.toContain(TOKEN);
});

test(
  "a reload can change or remove the token, and reveals neither",
  async () => {
    const configOf = (token: string) => `store: sqlite:./poundkey.db\nmetrics: { token: ${token} }\n`;
    const place = newPlace(configOf("null"));
    const serving = startServe(place, "--port", "0");
    try {
      const url = await serving.listens();
      const statusOf = async (token?: string) => {
        const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
        return (await fetch(`${url}/metrics`, { headers })).status;
      };
      expect(await statusOf()).toBe(200);
      for (const [at, token] of ["first-of-the-tokens", "second-of-the-tokens"].entries()) {
        place.configure(configOf(token));
        await serving.logged("config_reloaded", at + 1);
        const statuses = [await statusOf(), await statusOf("first-of-the-tokens"), await statusOf(token)];
        expect(statuses).toEqual([401, at === 0 ? 200 : 401, 200]);
      }
      place.configure("store: sqlite:./poundkey.db\nmetrics: { token: third of-the-tokens }\n");
      await serving.logged("config_refused", 1);
      expect(await statusOf("second-of-the-tokens")).toBe(200);
      expect(serving.out + serving.err).not.toContain("of-the-tokens");
      expect(serving.out).toContain("metrics.token: expected a token of printable characters");
    } finally {
      serving.end();
      await serving.exited;
      place.remove();
    }
  },
  2 * LONG_MS,
);
