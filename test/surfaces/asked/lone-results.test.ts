// A tool's call without a result, and a result without its call, found in a client's own request.
import { expect, test } from "bun:test";
import { findLone } from "../../../src/surfaces/asked/lone-results.ts";

const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
const result = (id: string) => ({ type: "function_call_output", call_id: id, output: "1" });

test("a result may stand anywhere behind its call", () => {
  const input = [call("a"), call("b"), result("b"), result("a")];
  expect(findLone("openai-responses", { input })).toBeNull();
  expect(findLone("openai-responses", { input: [...input, result("a")] })?.param).toBe("input[4]");
});

test("a long list of open calls is read once", () => {
  const input = Array.from({ length: 100_000 }, (_, at) => call(String(at)));
  expect(findLone("openai-responses", { input })?.param).toBe("input[0]");
});
