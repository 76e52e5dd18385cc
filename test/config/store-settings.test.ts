// The store's address beside mistakes elsewhere in the file: read where it is certain, and never guessed.
import { describe, expect, test } from "bun:test";
import { RefusedFile } from "../../src/config/interpolate.ts";
import { loadStoreSettings } from "../../src/config/store/store-settings.ts";

const DEFAULT = "sqlite:./.poundkey/poundkey.db";

interface Read {
  readonly store: string;
  readonly daily: number | null;
  readonly charge: string;
  readonly keepDays: number;
  readonly unread: readonly string[];
}

function read(text: string, env: Readonly<Record<string, string>> = {}, store?: string): Read | null {
  const read = loadStoreSettings({
    text,
    file: "poundkey.yaml",
    known: [],
    overrides: { store },
    env: (name) => env[name],
    readFile: () => {
      throw new RefusedFile("is missing");
    },
  });
  if (read === null) return null;
  const { settings, unread } = read;
  return {
    store: settings.store,
    daily: settings.quota.requestsPerDay,
    charge: settings.billing.charge,
    keepDays: settings.log.keepMs / 86_400_000,
    unread,
  };
}

const PLAIN: Read = { store: DEFAULT, daily: 200, charge: "beyond_allowance", keepDays: 30, unread: [] };
const UNSET = `providers: { OpenAI: { keys: ["\${NOT_SET}"] } }\n`;

describe("beside mistakes in other sections", () => {
  test.each([
    ["a wrong field", "server: { prot: 1 }\n", PLAIN],
    ["a variable that isn't set", UNSET, PLAIN],
    ["the store's own line", `${UNSET}store: sqlite:./own.db\n`, { ...PLAIN, store: "sqlite:./own.db" }],
    [
      "a store in flow style",
      "{ server: { prot: 1 }, store: 'sqlite:./own.db' }",
      { ...PLAIN, store: "sqlite:./own.db" },
    ],
    [
      "the rules of days, of charging and of the log",
      `${UNSET}quota: { requests_per_day: 7 }\nbilling: { charge: always }\nlog: { keep: 7d }\n`,
      { ...PLAIN, daily: 7, charge: "always", keepDays: 7 },
    ],
    [
      "rules that are wrong themselves",
      "quota: { requests_per_day: many }\nbilling: { charge: always }\n",
      { ...PLAIN, charge: "always", unread: ["quota"] },
    ],
    [
      "an anchor of another section",
      "x: &q { requests_per_day: 7 }\nquota: *q\nstore: sqlite:a.db\n",
      { ...PLAIN, store: "sqlite:a.db", daily: 7 },
    ],
    ["a comment about stores", `# store: postgres://db\n${UNSET}`, PLAIN],
    ["another field with that word", `${UNSET}responses: { upstream_store: true }\n`, PLAIN],
  ])("%s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("the store's variable, the environment's and the flag's store count as always", () => {
    const text = `${UNSET}store: \${PLACE}\n`;
    expect(read(text, { PLACE: "sqlite:./a.db", POUNDKEY_STORE: "sqlite:./b.db" })?.store).toBe(
      "sqlite:./a.db",
    );
    expect(read(UNSET, { POUNDKEY_STORE: "sqlite:./b.db" })?.store).toBe("sqlite:./b.db");
    expect(read(text, {}, "sqlite:./c.db")?.store).toBe("sqlite:./c.db");
    expect(read("store: [", {}, "sqlite:./c.db")?.store).toBe("sqlite:./c.db");
  });

  test("a variable of another section that is wrong itself is of no account", () => {
    expect(read("", { POUNDKEY_ADMIN_TOKEN: "short" })).toEqual(PLAIN);
  });
});

describe("in a text that isn't YAML", () => {
  test.each([
    ["a bracket that isn't closed", "server: {\nquota: { requests_per_day: 7 }\n", { ...PLAIN, daily: 7 }],
    [
      "sections of several lines",
      "server: [\n# the place\nstore:\n\n  sqlite:./own.db\nquota:\n  # a day\n  requests_per_day: 7\n",
      { ...PLAIN, store: "sqlite:./own.db", daily: 7 },
    ],
    [
      "rules that are broken themselves",
      "quota: { requests_per_day: 7\nlog: {}\n",
      { ...PLAIN, unread: ["quota"] },
    ],
  ])("%s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

test.each([
  ["a variable that isn't set", `store: \${NOT_SET}\n`],
  ["an address that isn't one", "store: ./own.db\n"],
  ["a misspelt field", `stroe: \${PLACE}\n`],
  ["a capital letter", `Store: \${PLACE}\n`],
  ["another section", "server: { store: sqlite:./own.db }\n"],
  ["an address elsewhere", "server: { database: postgres://db/x }\n"],
  ["a list", "- store\n"],
  ["a text", "store sqlite:./own.db"],
  ["a doubled field", "store: sqlite:./a.db\nstore: sqlite:./b.db\n"],
  ["a broken line", "server: [\nstore: 'sqlite:./own.db\n"],
  ["an indented line", "server: [\n  store: sqlite:./own.db\n"],
  ["a misspelt field of a broken text", `server: [\nstroe: \${PLACE}\n`],
  ["a broken text in flow style", "{ server: [, stroe: x }\n"],
  ["an alias in a broken text", "server: [\nx: &s sqlite:./own.db\nstore: *s\n"],
])("a file that may name another store names none: %s", (_, text) => {
  expect(read(text)).toBeNull();
  expect(read(text, { POUNDKEY_STORE: "sqlite:./b.db" })).toBeNull();
});
