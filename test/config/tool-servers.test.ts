// `mcp` in the configuration: its defaults, and mistakes by field and line.
import { describe, expect, test } from "bun:test";
import { loadSettings } from "../../src/config/load.ts";

function load(text: string) {
  const environment = {
    env: (name: string) => (name === "TOKEN" ? "hush-hush-hush" : undefined),
    readFile: () => "",
  };
  return loadSettings({ text, file: "poundkey.yaml", ...environment, known: [], overrides: {} });
}

function explain(text: string): string {
  const loaded = load(text);
  return loaded.ok
    ? "fine"
    : loaded.errors.map(({ line, field, message }) => `${line} ${field}: ${message}`).join("\n");
}

const one = (fields: string, name = "github") => `mcp:\n  servers:\n    ${name}: { ${fields} }`;
const URL = 'url: "https://mcp.example.com/mcp"';

describe("tool servers", () => {
  test("have defaults", () => {
    const loaded = load(one(`${URL}, auth: { bearer: "\${TOKEN}" }`));
    expect(loaded.ok ? loaded.settings.tools : null).toEqual({
      streamsMax: 1000,
      loop: { roundsMax: 10, callsMax: 20, totalMs: 300_000 },
      servers: [
        {
          name: "github",
          url: "https://mcp.example.com/mcp",
          auth: { kind: "bearer", token: "hush-hush-hush" },
          tools: ["*"],
          timeoutMs: 60_000,
          parallel: 32,
          pricePerCall: 0,
          prices: new Map(),
          resources: false,
          prompts: false,
        },
      ],
    });
  });

  test("are off without any", () => {
    const loaded = load("mcp: { streams: 3 }");
    expect(loaded.ok && loaded.settings.tools).toBeUndefined();
  });

  test("take prices in USD, exact to a nano-dollar", () => {
    const loaded = load(one(`${URL}, price_per_call: 0.002, prices: { search_code: 0.01 }`));
    const server = loaded.ok ? loaded.settings.tools?.servers[0] : undefined;
    expect(server).toMatchObject({ pricePerCall: 2_000_000, prices: new Map([["search_code", 10_000_000]]) });
  });

  test.each([
    [
      "a name with capitals",
      one(URL, "GitHub"),
      "3 mcp.servers.GitHub: expected a name of 1 to 15 lower-case letters",
    ],
    ["a name that is too long", one(URL, "a-very-long-name-x"), "a name of 1 to 15 lower-case letters"],
    ["no address", one("timeout: 5s"), "3 mcp.servers.github.url: this field is missing"],
    ["http to the world", one('url: "http://mcp.example.com/"'), "3 mcp.servers.github.url: must be https"],
    ["two credentials", one(`${URL}, auth: { bearer: a, pass: x-b }`), "mcp.servers.github.auth"],
    [
      "client credentials without a secret",
      one(`${URL}, auth: { oauth: { token_url: "https://a.example/t", client_id: a } }`),
      "3 mcp.servers.github.auth.oauth.client_secret: this field is missing",
    ],
    [
      "a header whose name isn't one",
      one(`${URL}, auth: { pass: "x token" }`),
      "3 mcp.servers.github.auth.pass: expected the name of a header",
    ],
    [
      "a key's header that would be passed on",
      one(`${URL}, auth: { pass: X-Api-Key }`),
      "auth.pass: must not be x-api-key",
    ],
    [
      "a cookie that would be passed on",
      one(`${URL}, auth: { pass: cookie }`),
      "auth.pass: must not be cookie",
    ],
    [
      "a header of the protocol",
      one(`${URL}, auth: { header: { Mcp-Session-Id: a } }`),
      "this header can't be set",
    ],
    ["a long timeout", one(`${URL}, timeout: 2h`), "mcp.servers.github.timeout: expected a duration"],
    [
      "too many calls at once",
      one(`${URL}, parallel: 2000`),
      "mcp.servers.github.parallel: expected an integer",
    ],
    [
      "a negative price",
      one(`${URL}, price_per_call: -1`),
      "mcp.servers.github.price_per_call: expected a number",
    ],
    [
      "a token's address over http",
      one(`${URL}, auth: { oauth: { token_url: "http://a.example/t", client_id: i, client_secret: s } }`),
      "oauth.token_url: must be https",
    ],
    ["a response of one question", "mcp: { loop: { rounds: 1 } }", "mcp.loop.rounds"],
    ["a response without end", "mcp: { loop: { total: 1d } }", "mcp.loop.total"],
  ])("refuse %s", (_what, text, words) => expect(explain(text)).toContain(words));

  test("show no credential in an error", () => {
    expect(explain(one(`${URL}, auth: { bearer: "s e c r e t" }`))).not.toContain("s e c r e t");
  });
});

describe("a file of another client's", () => {
  test.each([
    ["mcpServers: { fs: { command: npx } }", /^1 mcpServers: unknown field; tool servers stand in `mcp: /],
    [
      "mcp: { mcpServers: { fs: { command: npx } } }",
      /mcp\.mcpServers: unknown field; tool servers stand in/,
    ],
    [one("command: npx, args: [a]"), /command: unknown field; .*\(stdio\).*streamable HTTP.*`url`/],
    [one(`${URL}, type: http`), /type: unknown field; .*leave it out/],
    [one(`${URL}, headers: { X-Key: a }`), /headers: unknown field; .*`auth: \{ header: /],
    [one('httpUrl: "https://mcp.example.com/mcp"'), /httpUrl: unknown field; the server's address is `url`/],
  ])("%s is told what to write here", (text, words) => {
    expect(explain(text)).toMatch(words);
  });
});

test("credentials that are too short to be told from words are warned of", () => {
  const servers = [
    'a: { url: "https://a.example.com", auth: { bearer: short } }',
    'b: { url: "https://b.example.com", auth: { header: { X-Key: seven77, X-Other: "12345678" } } }',
    'c: { url: "https://c.example.com", auth: { pass: x-own } }',
  ];
  const loaded = load(`mcp: { servers: { ${servers.join(", ")} } }`);
  const warnings = loaded.ok ? loaded.warnings : [];
  const fields = warnings.filter(({ message }) => message.includes("8 characters"));
  expect(fields.map(({ field }) => field)).toEqual([
    "mcp.servers.a.auth.bearer",
    "mcp.servers.b.auth.header.x-key",
  ]);
});
