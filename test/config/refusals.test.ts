// `refuses` of a model: the words that it accepts, and those that would have no effect.
import { expect, test } from "bun:test";
import { loadText, readSettings } from "../harness/settings.ts";

const LOCAL = `providers:
  Local: { dialect: openai, base_url: "http://127.0.0.1:1/v1", models: [{ name: m }] }
  Claude: { dialect: anthropic, base_url: "http://127.0.0.1:1/v1", models: [{ name: m }] }
`;

const write = (id: string, words: string) => `${LOCAL}models: { "${id}": { refuses: ${words} } }`;

test("the words, and those behind a minus sign", () => {
  const { overlay } = readSettings(write("Local#m", "[system_late, -same_role_twice]"));
  expect(overlay).toMatchObject([
    { refuses: new Set(["system_late"]), accepts: new Set(["same_role_twice"]) },
  ]);
});

test("a number of tools, and the kinds that any dialect has", () => {
  const { overlay } = readSettings(write("Claude#m", '["tools>64", "-tools>128", picture_gif, forced_tool]'));
  expect(overlay).toMatchObject([
    { refuses: new Set(["tools>64", "picture_gif", "forced_tool"]), accepts: new Set(["tools>128"]) },
  ]);
});

test("a field and a beta by their names", () => {
  const { overlay } = readSettings(write("Claude#m", '["field:seed", "-beta:effort-2025-11-24"]'));
  expect(overlay).toMatchObject([
    { refuses: new Set(["field:seed"]), accepts: new Set(["beta:effort-2025-11-24"]) },
  ]);
});

test.each([
  ["no number of tools", "Local#m", '["tools>0"]', /a number like tools>128/],
  ["an unknown word", "Local#m", "[system_lat]", /one of .*"system_late"/],
  ["an empty list", "Local#m", "[]", /a list of refusals/],
  ["a word twice", "Local#m", "[system_late, system_late]", /without duplicates/],
  ["a beta without a date", "Claude#m", '["beta:effort"]', /a beta like beta:effort-2025-11-24/],
  ["a beta elsewhere", "Local#m", '["beta:effort-2025-11-24"]', /only requests in the dialect anthropic/],
  ["both at once", "Local#m", "[system_late, -system_late]", /contradicts a word before it/],
  ["another dialect", "Claude#m", "[system_several]", /has no effect: only requests in the dialect openai/],
])("%s is refused", (_name, id, words, message) => {
  const loaded = loadText(write(id, words));
  expect(loaded).toMatchObject({
    ok: false,
    errors: [{ field: expect.stringContaining("refuses"), message: expect.stringMatching(message) }],
  });
});
