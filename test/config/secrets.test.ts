// Configuration errors: they give the place and what would be right, and never quote a secret.
import { describe, expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import { loadText } from "../harness/settings.ts";

function errorsOf(text: string | null, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const known = [{ name: "OpenAI", keyVariables: ["OPENAI_API_KEY"], baseUrl: "https://api.openai.com/v1" }];
  const loaded = loadText(text, { env, known });
  return loaded.ok ? [] : loaded.errors.map(formatError);
}

/**
 * Mistakes whose value must never be shown. `{S}` is where the operator wrote the secret, `{OPEN}` begins a reference.
 */
const BY_PLACE: Readonly<Record<string, string>> = {
  "a key for the list of keys": "providers: { OpenAI: { keys: {S} } }",
  "keys as a mapping": "providers: { OpenAI: { keys: { first: {S} } } }",
  "a list in the list": "providers: { OpenAI: { keys: [[{S}]] } }",
  "a key as a field's name": "providers: { OpenAI: { keys: [{ {S}: 2 }] } }",
  "a key as a field's name, twice": "providers: { OpenAI: { keys: [{ {S}: 2, {S}: 3 }] } }",
  "a key with a space": 'providers: { OpenAI: { keys: ["{S} {S}"] } }',
  "a key's key with a space": 'providers: { OpenAI: { keys: [{ key: "{S} {S}" }] } }',
  "a list for a key's key": "providers: { OpenAI: { keys: [{ key: [{S}] }] } }",
  "a mapping for a key's key": "providers: { OpenAI: { keys: [{ key: { {S}: {S} } }] } }",
  "a key for a weight's mapping": "providers: { OpenAI: { keys: [{ key: a, weight: {S} }] } }",
  "a key twice": "providers: { OpenAI: { keys: [{S}, {S}] } }",
  "a key for the provider": "providers: { OpenAI: {S} }",
  "a list of keys for the provider": "providers: { OpenAI: [{S}] }",
  "a key for the providers": "providers: {S}",
  "a list of keys for the providers": "providers: [{S}]",
  "a key for the file": "{S}",
  "a key for the server": "server: {S}",
  "a token with a space": 'server: { admin_token: "{S} {S} and more of it" }',
  "a list of tokens": "server: { admin_token: [{S}] }",
  "a mapping for the token": "server: { admin_token: { {S}: {S} } }",
  "a token with an open brace": 'server: { admin_token: "{S}{OPEN}{S}" }',
  "a token in braces": 'server: { admin_token: "{OPEN}{S}-}" }',
  "a token for the metrics": "metrics: {S}",
  "a metrics token with a space": 'metrics: { token: "{S} {S}" }',
  "a list of metrics tokens": "metrics: { token: [{S}] }",
  "a store that is none": "store: {S}",
  "a store with a password": "store: mysql://u:{S}@db/x",
  "a list of stores": "store: [{S}]",
  "a mapping for the store": "store: { {S}: 1 }",
  "a text for the headers": "providers: { OpenAI: { keys: [a], headers: {S} } }",
  "a list for a header": "providers: { OpenAI: { keys: [a], headers: { x-a: [{S}] } } }",
  "a header of two lines": 'providers: { OpenAI: { keys: [a], headers: { x-a: "{S}\\n" } } }',
  "a field that isn't there":
    "providers: { OpenAI: { keys: [a], service_account: {S}, aws: { secret: {S} } } }",
  "a password in an address": "providers: { A: { base_url: 'http://u:{S}@x' } }",
  "a password with a slash in an address": "providers: { A: { base_url: 'http://u:{S}/{S}@x' } }",
  "a password in a long address": `providers: { A: { base_url: 'http://${"u".repeat(50)}:{S}@x' } }`,
  "a query of an address": "providers: { A: { base_url: 'http://x/v1?key={S}' } }",
};

/** Mistakes whose value or name is shown unless it looks like a secret. */
const BY_LOOK: Readonly<Record<string, string>> = {
  "a provider name": "providers: { {S}: {} }",
  "a provider's field": "providers: { OpenAI: { keys: [a], {S}: 1 } }",
  "a section's name": "{S}: 1",
  "a section's name, twice": "{S}: 1\n{S}: 2",
  "an odd provider's name": 'providers: { "{S} x": {} }',
  "a host": "server: { host: '{S} x' }",
  "a port": "server: { port: {S} }",
  "a duration": "server: { drain: {S} }",
  "a switch": "log: { content: {S} }",
  "an origin": "server: { cors: [{S}] }",
  "a dialect": "providers: { A: { base_url: http://x, dialect: {S} } }",
  "a model": "models: { {S}: { disabled: true } }",
  "an alias": "aliases: { a: {S} }",
  "an alias with a space": 'aliases: { a: "x {S}" }',
  "a denied model": "router: { deny: [{S}] }",
  "a variable": "server: { host: '{OPEN}{S}}' }",
  "a file": "server: { host: '{OPEN}file:{S}}' }",
  "a block's head": "a: |{S}\n  x",
  "a directive": "%YAML {S}\n---\na: 1",
  "a tag": "a: !!{S} x",
  "an alias of YAML": "a: *{S}",
  "what comes after a list": "- a\n{S}: c",
  "a name of two lines": "{S}\nfoo: bar",
};

/** In the format of the providers' own keys. */
const LOOKS: readonly string[] = [
  "sk-proj-Ab12Cd34Ef56Gh78",
  "sk-ant-api03-abcdefghijkl",
  "AIzaSyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v",
  "gsk_abcDEF123456ghiJKL7890",
  "pplx-0123456789abcdef",
  "0123456789abcdef0123456789abcdef",
  "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
  "q83vEjRWeJCrze8SNFZ4kK/N7xI0VniQ",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
];

const written = (text: string, secret: string) =>
  text.replaceAll("{S}", secret).replaceAll("{OPEN}", ["$", "{"].join(""));

describe("errors never quote", () => {
  test.each(Object.entries(BY_PLACE))("%s", (_name, text) => {
    for (const secret of ["hunter2", ...LOOKS]) {
      const errors = errorsOf(written(text, secret));
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.join("\n")).not.toContain(secret);
    }
  });

  test.each(Object.entries(BY_LOOK))("%s that looks like a secret", (_name, text) => {
    for (const secret of LOOKS) {
      const errors = errorsOf(written(text, secret));
      expect(errors.length).toBeGreaterThan(0);
      // Not even a useful part of it.
      for (let at = 0; at + 12 <= secret.length; at++)
        expect(errors.join("\n")).not.toContain(secret.slice(at, at + 12));
    }
  });

  test.each(["fifteen-letters", "a token with spaces in it"])("the environment's token %p", (token) => {
    const errors = errorsOf(null, { POUNDKEY_ADMIN_TOKEN: token });
    expect(errors).toEqual([
      "environment: POUNDKEY_ADMIN_TOKEN: expected 16 to 512 printable characters without spaces",
    ]);
  });
});

test("a text with a dollar sign that isn't a variable's name is a value like any other", () => {
  for (const secret of [
    "$hunter2-and-more-text",
    "pa$SWORD_AND_MORE_TEXT",
    "$A-LONGER-TOKEN-TEXT",
    "$$A_LONGER_TOKEN",
  ])
    expect(errorsOf(`server: { admin_token: '${secret}' }`)).toEqual([]);
});

test("values that don't look like secrets are quoted, to keep errors useful", () => {
  const names = [
    "OpenAI#gpt-5.4-mini-2026-03-17",
    "Anthropic#claude-sonnet-4-5-20250929",
    "Together#meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "OpenRouter#qwen/qwen3-235b-a22b-thinking-2507",
  ];
  for (const name of names) {
    const [error] = errorsOf(`router: { deny: ["${name}" ] }\nserver: { host: "a ${name}" }`).slice(-1);
    expect(error).toContain(name);
  }
  expect(errorsOf("server: { drain: 5 }")).toEqual([
    "poundkey.yaml:1:18: server.drain: expected a duration like 5s (ms, s, m, h or d), from 0s to 1h, got 5",
  ]);
});
