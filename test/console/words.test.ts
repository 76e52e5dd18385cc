// The console's formatting of numbers and reading of streams, without a browser.
import { describe, expect, test } from "bun:test";
import { readEvents } from "../../src/console/frame/api.ts";
import {
  formatCompact,
  formatDuration,
  formatPercent,
  formatPrice,
  formatRate,
  formatTokens,
  formatUsd,
  splitModelId,
} from "../../src/console/frame/format.ts";
import { parseParameters } from "../../src/console/models/parameters.tsx";

describe("numbers as people read them", () => {
  test("money keeps its significant digits, however small", () => {
    expect([0, 1234.5, 0.42, 0.0042, 0.0000615, 0.000000001, -3].map(formatUsd)).toEqual([
      "$0.00",
      "$1,234.50",
      "$0.42",
      "$0.0042",
      "$0.0000615",
      "$0.000000001",
      "−$3.00",
    ]);
    expect([0, 2.5, 0.0375, null, undefined].map(formatPrice)).toEqual([
      "free",
      "$2.50",
      "$0.0375",
      "–",
      "–",
    ]);
  });

  test("a model that is charged by the piece isn't free", () => {
    const sound = { input: 0, output: 0, per_minute: 0.006 };
    expect([formatRate(sound, "input"), formatRate(sound, "output")]).toEqual(["$0.006/minute", "–"]);
    const speech = { input: 0, output: 0, per_character_million: 15, tiers: [] };
    expect(formatRate(speech, "input")).toBe("$15.00/M characters");
    const search = { input: 2.5, output: 0, per_search: 0.01 };
    expect([formatRate(search, "input"), formatRate(search, "output")]).toEqual(["$2.50", "free"]);
    expect([formatRate({ input: 0, output: 0 }, "input"), formatRate(null, "input")]).toEqual(["free", "–"]);
  });

  test("time ranges", () => {
    const spans = [0, 340, 1240, 25_000, 59_990, 125_000, 599_990, 3_599_900, 7_200_000, 2_592_000_000].map(
      formatDuration,
    );
    expect(spans).toEqual([
      "0 ms",
      "340 ms",
      "1.24 s",
      "25 s",
      "1 min",
      "2 min 5 s",
      "10 min",
      "1 h",
      "2 h",
      "30 days",
    ]);
  });

  test("counts, shares and ids", () => {
    expect([0, 9999, 12_345, 1_500_000].map(formatCompact)).toEqual(["0", "9,999", "12.3K", "1.5M"]);
    expect([0, 0.004, 0.5, 1].map(formatPercent)).toEqual(["0%", "0.4%", "50%", "100%"]);
    expect([null, 900, 131_072, 1_048_576].map(formatTokens)).toEqual(["–", "900", "131K", "1.05M"]);
    expect(splitModelId("OpenRouter#openai/gpt-5")).toEqual({ provider: "OpenRouter", name: "openai/gpt-5" });
    expect(splitModelId("gpt-5")).toEqual({ provider: "", name: "gpt-5" });
  });
});

test("parameters are only sent as numbers within their bounds", () => {
  expect(parseParameters({ temperature: "0.5", top_p: "", max_tokens: "100" })).toEqual({
    temperature: 0.5,
    max_tokens: 100,
  });
  for (const wrong of [{ temperature: "2.1" }, { top_p: "-1" }, { max_tokens: "0" }, { seed: "1.5" }]) {
    expect(parseParameters({ temperature: "", top_p: "", max_tokens: "", seed: "", ...wrong })).toBeNull();
  }
});

test("tools and schemas are only sent as JSON of their kind", () => {
  const schema = '{ "type": "object" }';
  expect(parseParameters({ effort: "low", form: "json_schema", schema, tools: "[]" })).toEqual({
    reasoning_effort: "low",
    response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
    tools: [],
  });
  expect(parseParameters({ form: "json_object", schema: "{", tools: " " })).toEqual({
    response_format: { type: "json_object" },
  });
  for (const tools of ["{}", "["]) expect(parseParameters({ tools })).toBeNull();
  expect(parseParameters({ form: "json_schema", schema: "" })).toBeNull();
});

test("events parse the same wherever their bytes are cut", async () => {
  const text =
    ': keep-alive\n\ndata: {"a":"ü€😀"}\n\nevent: x\r\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\n\ndata: unfinished';
  const bytes = new TextEncoder().encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut));
        controller.enqueue(bytes.slice(cut));
        controller.close();
      },
    });
    const seen: string[] = [];
    for await (const data of readEvents(body)) seen.push(data);
    expect(seen).toEqual(['{"a":"ü€😀"}', "one\ntwo", "[DONE]"]);
  }
});
