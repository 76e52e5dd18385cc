// Scenario rows: deadlines, early headers and keep-alives, for slow or silent providers.
import { expect } from "bun:test";
import { asking } from "../../whole/world/world.ts";
import type { Row } from "./row.ts";

/** Slow rows, all played at once. */
export const SLOW_ROWS: readonly Row[] = [
  {
    name: "a silent provider ends at the client's own deadline",
    headers: { "x-poundkey-timeout": "0.5" },
    body: asking("Local#sim~trouble=silent"),
    status: 504,
    code: "upstream_timeout",
  },
  {
    name: "… streamed",
    headers: { "x-poundkey-timeout": "0.5" },
    body: asking("Local#sim~trouble=silent", undefined, { stream: true }),
    status: 504,
    code: "upstream_timeout",
  },
  ...[
    ["1.6", 504],
    ["9", 200],
  ].map(
    ([seconds, status]): Row => ({
      name: `… which spans all attempts: ${seconds} s for two of 1.1 s each`,
      headers: { "x-poundkey-timeout": String(seconds) },
      body: asking("Acme#tired~latency=1100~trouble=503"),
      status: Number(status),
      code: status === 504 ? "upstream_timeout" : null,
      told: { "x-poundkey-attempts": "2", "x-poundkey-model": "Acme#slow~latency=1100" },
    }),
  ),
  {
    name: "no first byte in the provider's time",
    body: asking("Hasty#sim~trouble=silent", undefined, { stream: true }),
    status: 504,
    code: "upstream_timeout",
  },
  {
    name: "silence after the first pieces",
    body: asking("Hasty#sim~trouble=stall", "say: a b c d", { stream: true }),
    status: 200,
    event: { texts: ["a b"], error: { code: "upstream_timeout", type: "api_error" } },
    lacks: ["[DONE]"],
  },
  {
    name: "pings are no sign of an answer",
    body: asking("Hasty#sim~trouble=pings~pace=1500", "say: a b c", { stream: true }),
    status: 200,
    event: { error: { code: "upstream_timeout" } },
  },
  {
    name: "first byte and idle bound streamed calls only",
    body: asking("Hasty#sim~latency=1400"),
    status: 200,
  },
  {
    name: "the head leaves before the answer, which comes after signs of life",
    body: asking("Local#sim~latency=3500", "say: worth waiting", {
      stream: true,
      stream_options: { include_usage: true },
    }),
    who: "limited",
    status: 200,
    told: {
      "x-poundkey-model": null,
      "x-poundkey-attempts": null,
      "x-ratelimit-limit-requests": "200",
      "content-type": /event-stream/,
    },
    event: { texts: ["worth waiting"], model: "Local#sim~latency=3500", error: null },
    contains: [/^: keep-alive\n\n/],
    check: ({ stream }) => expect(stream?.usage).toMatchObject({ completion_tokens: expect.any(Number) }),
  },
  {
    name: "a failure behind an early head is an error event",
    body: asking("Local#sim~latency=2700~trouble=500", undefined, { stream: true }),
    status: 200,
    event: { chunks: [], error: { type: "api_error", code: "upstream_error" } },
    lacks: ["[DONE]"],
  },
  {
    name: "failover goes on behind an early head",
    body: asking("Acme#late~latency=2700~trouble=503", undefined, { stream: true }),
    status: 200,
    told: { "x-poundkey-model": null },
    event: { model: "Acme#cheap", texts: ["good day"], error: null },
  },
  {
    name: "silences within an answer are bridged",
    body: asking("Local#sim~pace=2400", "say: once", { stream: true }),
    status: 200,
    told: { "x-poundkey-model": "Local#sim~pace=2400" },
    event: { texts: ["once"], error: null },
    contains: [/\n\n(: keep-alive\n\n)+data: \{/],
    check: ({ stream }) => expect(stream?.keepAlives).toBeGreaterThanOrEqual(2),
  },
];
