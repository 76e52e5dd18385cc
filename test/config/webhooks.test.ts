// `webhooks` in the configuration: only receivers that are safe to tell, and events that exist.
import { describe, expect, test } from "bun:test";
import { loadSettings } from "../../src/config/load.ts";
import { SECRET } from "../webhooks/receiver.ts";

function load(rows: string) {
  const text = `webhooks: [${rows}]`;
  const input = {
    text,
    file: "poundkey.yaml",
    env: () => undefined,
    readFile: () => "",
    known: [],
    overrides: {},
  };
  const loaded = loadSettings(input);
  return loaded.ok
    ? loaded.settings.webhooks
    : loaded.errors.map(({ field, message }) => `${field}: ${message}`).join("\n");
}

const signed = `secret: ${SECRET}`;

describe("webhooks", () => {
  test("have defaults, and an id that says nothing of the URL", () => {
    const [one, twin, other] = load(
      `{ url: "https://a.example/x?token=hush", ${signed} }, { url: "https://a.example/x?token=hush", ${signed} }, { url: "https://b.example", form: slack }`,
    );
    expect(one).toMatchObject({ form: "standard", events: ["*"], accounts: ["*"] });
    expect([twin, other]).toMatchObject([{ form: "standard" }, { form: "slack", key: null }]);
    expect(
      new Set([one, twin, other].map((row) => JSON.stringify(row).match(/"id":"[0-9a-f]{16}"/)?.[0])).size,
    ).toBe(3);
  });

  test.each([
    "http://127.0.0.1:9/x",
    "http://10.1.2.3/x",
    "http://[::1]:9/x",
    "http://[fd00::1]/x",
    "http://siem:9/x",
    "http://siem.corp.internal/x",
    "https://93.184.216.34/x",
  ])("may go to %s", (url) => expect(load(`{ url: "${url}", ${signed} }`)).toHaveLength(1));

  test.each([
    ["http://example.com/x", "http is for private addresses only"],
    ["http://8.8.8.8/x", "http is for private addresses only"],
    ["http://169.254.169.254/x", "http is for private addresses only"],
    ["http://[2001:db8::1]/x", "http is for private addresses only"],
    ["http://0x08080808/x", "http is for private addresses only"],
    ["ftp://10.0.0.1/x", "an http or https URL"],
    ["https://user:word@example.com/x", "an http or https URL"],
  ])("may not go to %s", (url, words) => expect(load(`{ url: "${url}", ${signed} }`)).toContain(words));

  test.each([
    ['{ url: "https://a.example" }', "needs a secret"],
    ['{ url: "https://a.example", secret: hush }', "whsec_"],
    ['{ url: "https://a.example", secret: whsec_c2hvcnQ= }', "24 to 64 bytes"],
    [`{ url: "https://a.example", form: slack, ${signed} }`, "signs nothing"],
    [`{ url: "https://a.example", ${signed}, events: [bugdet.warned] }`, "matches no event"],
    [`{ url: "https://a.example", ${signed}, events: [audit.key.maed] }`, "matches no event"],
    [`{ url: "https://a.example", ${signed}, retries: 3 }`, "retries"],
    [`{ url: "https://a.example", ${signed}, events: ["account.*"] }`, "matches no event"],
    [`{ url: "https://a.example", ${signed}, people: true }`, "needs account.digest"],
  ])("%s is refused", (row, words) => expect(load(row)).toContain(words));

  test("name people in digests alone", () => {
    const digest = `{ url: "https://a.example", ${signed}, events: ["*", account.digest]`;
    expect(load(`${digest}, people: true }, ${digest} }`)).toMatchObject([{ showsPeople: true }, {}]);
    expect(load(`${digest} }`)).not.toMatchObject([{ showsPeople: true }]);
  });

  test("know the audit log's actions, and patterns of them", () => {
    expect(
      load(`{ url: "https://a.example", ${signed}, events: [audit.key.created, "audit.session.*", "*"] }`),
    ).toHaveLength(1);
  });
});
