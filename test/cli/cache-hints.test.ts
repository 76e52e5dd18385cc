// The hint of `poundkey check` about Claude's prompt cache.
import { expect, test } from "bun:test";
import { type CheckPorts, runCheck } from "../../src/cli/start/check.ts";
import { readFrom } from "../harness/settings.ts";

async function check(text: string, ...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const read = readFrom({ "poundkey.yaml": text });
  const ports: CheckPorts = {
    env: () => undefined,
    readConfig: read,
    readFile: read,
    known: [],
    probe: async () => [],
    probeIssuer: async () => "",
    accountNames: async () => null,
    exposedFiles: () => [],
    schema: async () => null,
    version: async () => "1.1.0",
  };
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  return { code: await runCheck(args, io, ports), out, err };
}

const write = (more: string, model = "claude-sonnet-5", dialect = "anthropic") =>
  `providers: { House: { dialect: ${dialect}, base_url: "http://127.0.0.1:9/v1", models: [{ name: ${model} }]${more} } }\n`;

test("a provider of Claude that marks no prompts is named, with what marks save", async () => {
  const { code, out, err } = await check(write(", cache_marks: off"));
  expect([code, err, out.length]).toEqual([0, [], 3]);
  expect(out[1]).toMatch(
    /^hint: providers\.House\.cache_marks: .*with cache_marks: conversations, .* a seventh/,
  );
  const { hints, warnings } = JSON.parse((await check(write(", cache_marks: off"), "--json")).out.join(""));
  expect([hints, warnings]).toMatchObject([
    [{ provider: "House", field: "providers.House.cache_marks" }],
    [],
  ]);
});

test.each([
  ["that marks them all", write(", cache_marks: auto")],
  ["that marks conversations", write("")],
  ["without Claude", write(", cache_marks: off", "glm-5.3")],
  ["whose API has no marks", write("", "anthropic/claude-sonnet-5", "openai")],
])("a provider %s isn't", async (_which, text) => {
  const { code, out } = await check(text);
  expect([code, out.length]).toEqual([0, 2]);
});
