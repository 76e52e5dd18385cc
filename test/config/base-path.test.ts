// `server.base_path`, `public_url` and `idle_timeout`: what is read, and the mistakes.
import { expect, test } from "bun:test";
import { loadText, readSettings } from "../harness/settings.ts";

test("a base path is the end of the public address", () => {
  const { server } = readSettings(
    'server: { base_path: /team/llm, public_url: "https://a.example/team/llm/" }',
  );
  expect([server.basePath, server.publicUrl]).toEqual(["/team/llm", "https://a.example/team/llm"]);
  expect(readSettings("server: { idle_timeout: 240s }").server.idleSeconds).toBe(240);
});

test.each([
  ["base_path: llm", "server.base_path", "a path like /llm"],
  ["base_path: /llm/", "server.base_path", "a path like /llm"],
  ["base_path: /../llm", "server.base_path", "a path like /llm"],
  ["base_path: /v1", "server.base_path", "isn't one of the gateway's own"],
  ["base_path: /docs/llm", "server.base_path", "isn't one of the gateway's own"],
  ['public_url: "https://a.example/llm"', "server.public_url", "set it to /llm"],
  [
    'base_path: /llm, public_url: "https://a.example"',
    "server.public_url",
    "must end in server.base_path, /llm",
  ],
  ['base_path: /llm, public_url: "https://a.example/other"', "server.public_url", "must end in"],
  ["idle_timeout: 10m", "server.idle_timeout", "255s"],
])("mistakes name the field and what would be right: %s", (fields, field, words) => {
  const loaded = loadText(`server: { ${fields} }`);
  const errors = loaded.ok ? [] : loaded.errors;
  expect(errors.map((one) => [one.field, one.message.includes(words)])).toEqual([[field, true]]);
});
