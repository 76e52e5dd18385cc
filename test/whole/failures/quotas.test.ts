// Two regions with two credentials each, under load, with enforced provider quotas: no client sees a provider's
// refusal.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Quota, type QuotaUpstream, startQuotaUpstream } from "../world/quota-upstream.ts";

const QUOTAS: Readonly<Record<string, Quota>> = {
  "east-1": { requestsPerMinute: 120 },
  "east-2": { requestsPerMinute: 60 },
  "west-1": { requestsPerMinute: 90, tokensPerMinute: 100_000 },
  // The tokens are the narrower bound: an answer takes 50.
  "west-2": { requestsPerMinute: 300, tokensPerMinute: 3000 },
};
/** For regions whose quotas aren't configured. */
const UNTOLD: Readonly<Record<string, Quota>> = {
  "north-1": { requestsPerMinute: 60 },
  "north-2": { requestsPerMinute: 30 },
  "south-1": { requestsPerMinute: 45 },
  "south-2": { requestsPerMinute: 40 },
};
/** The calls they allow at once. */
const AT_ONCE: Readonly<Record<string, number>> = { "east-1": 120, "east-2": 60, "west-1": 90, "west-2": 60 };
/** Further calls that the test waits for as the quotas refill. */
const LATER = 12;
const CLIENTS = 16;
/**
 * While a call runs, it takes its prompt's tokens as well, up to 10. With one of each client, the last three calls of the
 * credential that is bounded by tokens may have to wait.
 */
const HELD_BACK = 3;

let world: UnderTest;
let provider: QuotaUpstream;
let untold: QuotaUpstream;
beforeAll(async () => {
  provider = startQuotaUpstream(QUOTAS);
  untold = startQuotaUpstream(UNTOLD);
  const keys = (region: string) =>
    Object.entries(QUOTAS)
      .filter(([key]) => key.startsWith(region))
      .map(([key, { requestsPerMinute, tokensPerMinute }]) => {
        const tokens = tokensPerMinute === undefined ? "" : `, tokens_per_minute: ${tokensPerMinute}`;
        return `{ key: ${key}, requests_per_minute: ${requestsPerMinute}${tokens} }`;
      });
  const region = (name: string, { url }: QuotaUpstream, credentials: readonly string[]) =>
    `  ${name}: { dialect: openai, base_url: "${url}", keys: [${credentials}], unlisted_models: true }`;
  world = await startUnderTest({
    more: [
      region("East", provider, keys("east")),
      region("West", provider, keys("west")),
      region("North", untold, ["north-1", "north-2"]),
      region("South", untold, ["south-1", "south-2"]),
      "aliases:",
      '  team: [{ model: "East#m", weight: 2 }, { model: "West#m" }]',
      '  other-team: [{ model: "North#m", weight: 2 }, { model: "South#m" }]',
    ].join("\n"),
  });
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
  await untold.stop();
});

test("a group uses everything its credentials allow, without refusals from the provider", async () => {
  let served = 0;
  let servedBeforeRefusals = 0;
  const enough = Object.values(AT_ONCE).reduce((sum, calls) => sum + calls, LATER);
  const refusals = new Set<string>();
  const client = async (of: number) => {
    while (served < enough) {
      const messages = [{ role: "user", content: `request of ${of}` }];
      const response = await world.chat({ model: "team", messages, max_tokens: 50 });
      const text = await response.text();
      if (response.status === 200) served++;
      else {
        if (refusals.size === 0) servedBeforeRefusals = served;
        refusals.add(`${response.status} ${JSON.parse(text).error.code}`);
        // A client that keeps retrying too early gets whatever quota is available at the moment.
        await Bun.sleep(10);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, of) => client(of)));
  expect(provider.refused).toEqual([]);
  expect([...refusals]).toEqual(["429 provider_busy"]);
  // Nothing is refused while one of them has room: at the first refusal, one call per client is running.
  expect(servedBeforeRefusals).toBeGreaterThan(enough - LATER - CLIENTS - HELD_BACK);
  for (const [key, calls] of Object.entries(AT_ONCE))
    expect(provider.granted.get(key)).toBeGreaterThanOrEqual(calls);
}, 300_000);

test("even with unknown quotas, no client is refused while one credential has room", async () => {
  const total = Object.values(UNTOLD).reduce((sum, { requestsPerMinute }) => sum + requestsPerMinute, 0);
  let left = total - CLIENTS;
  const statuses: number[] = [];
  const client = async () => {
    while (left-- > 0) {
      const messages = [{ role: "user", content: "a request" }];
      const response = await world.chat({ model: "other-team", messages, max_tokens: 50 });
      await response.text();
      statuses.push(response.status);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(statuses).toEqual(Array(total - CLIENTS).fill(200));
  expect(untold.refused.length).toBeGreaterThan(0);
}, 300_000);
