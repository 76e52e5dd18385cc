// A long list is cut before a text is parsed, and nothing else is.
import { expect, test } from "bun:test";
import { shortenList } from "../../../src/core/json/shorten.ts";

test.each([
  ['{"a":1,"list":[1,2,3,4],"b":2}', '{"a":1,"list":[1,2],"b":2}'],
  ['{"list" : [ {"x":[1,2,3]} , "],\\"" , 3 ] }', '{"list" : [ {"x":[1,2,3]} , "],\\"" ] }'],
  ['{"of":{"list":[1,2,3]}}', '{"of":{"list":[1,2]}}'],
])("%s", (text, shortened) => {
  expect(shortenList(text, "list", 2).replaceAll(" ", "")).toBe(shortened.replaceAll(" ", ""));
});

test.each([
  ["shorter lists", '{"list":[1,2]}'],
  ["empty lists", '{"list":[]}'],
  ["other lists", '{"lists":[1,2,3],"of":["list",[1,2,3]]}'],
  ["what lies deeper", '{"a":{"b":{"list":[1,2,3]}}}'],
  ["texts that tell of one", '{"a":"\\"list\\":[1,2,3]"}'],
  ["a value of another kind", '{"list":"[1,2,3]","a":[1,2,3]}'],
  ["what isn't JSON", '{"list":[1,2,3'],
  ["a text", "[DONE]"],
])("leaves %s", (_what, text) => {
  expect(shortenList(text, "list", 2)).toBe(text);
});
