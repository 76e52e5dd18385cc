// The metrics of state, selectors' choices and parts of tokens: their units, labels and buckets.
import { expect, test } from "bun:test";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { LABEL_END } from "../../src/telemetry/metrics.ts";
import { makeRecord } from "../harness/samples.ts";
import { newMetrics, renderMetrics } from "./metrics-world.ts";

test("a counter that an alert watches is there before its first event", () => {
  const text = renderMetrics(newMetrics());
  for (const name of ["settle_lost", "internal_errors", "written_off_usd", "holds_lost"])
    expect(text).toContain(`\npoundkey_${name}_total 0\n`);
});

test("states, selectors' choices and parts of tokens are shown in their units", () => {
  const metrics = newMetrics({
    poundkey_credentials: () => new Map([[`Own${LABEL_END}retired`, 2]]),
    poundkey_provider_failing_seconds: () => new Map([["Own", 61_500]]),
    poundkey_balance_usd: () => new Map([['The "A" team', 12_500_000_000]]),
    poundkey_config_loaded_timestamp_seconds: () => 1_795_132_800_123,
  });
  const amounts = { ...NO_AMOUNTS, prompt: 90, cached: 60, completion: 30, reasoning: 20 };
  const record = { ...makeRecord("any"), modelUsed: "Own#one", selector: "Router#fair", amounts };
  metrics.count({ event: "request", record, gateway_ms: 1.25 });
  metrics.observe("poundkey_store_seconds", 1500);
  const text = renderMetrics(metrics);
  for (const line of [
    'poundkey_credentials{provider="Own",state="retired"} 2',
    'poundkey_provider_failing_seconds{provider="Own"} 61.5',
    'poundkey_balance_usd{account="The \\"A\\" team"} 12.5',
    "poundkey_config_loaded_timestamp_seconds 1795132800.123",
    'poundkey_selections_total{selector="Router#fair",model="Own#one"} 1',
    'poundkey_tokens_part_total{model="Own#one",part="cached"} 60',
    'poundkey_tokens_part_total{model="Own#one",part="reasoning"} 20',
    'poundkey_gateway_seconds_bucket{le="0.001"} 0',
    'poundkey_gateway_seconds_bucket{le="0.0025"} 1',
    "poundkey_store_seconds_sum 0.0015",
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(text).not.toContain('cache_write"');
});
