// The values that a provider's errors may not quote: those that its section takes from the environment and from files.
import { expect, test } from "bun:test";
import { loadText, requireSettings } from "../harness/settings.ts";

test("a provider's values from variables and files are redacted, but not the names of models", () => {
  const text = `
providers:
  House:
    base_url: "http://\${HOST}/a/\${file:/part}"
    keys: ["\${KEY}"]
    headers: { x-a: "a \${HEADER}" }
    models: [{ name: "\${MODEL}", context: 1000, output: 100 }]
  Other: { base_url: "http://other/v1", keys: [k] }`;
  const env = { HOST: "house.example", KEY: "the-key", HEADER: "the-header", MODEL: "the-model" };
  const settings = requireSettings(loadText(text, { env, files: { "/part": "the-part\n" } }));
  const words = settings.providers.map(({ redactedWords }) => redactedWords?.toSorted());
  expect(words).toEqual([["house.example", "the-header", "the-key", "the-part"], undefined]);
});
