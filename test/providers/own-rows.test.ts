// An operator's own row at the address of a known provider has that provider's traits, unless it names another dialect.
import { describe, expect, test } from "bun:test";
import { chooseDialects } from "../../src/app/models/dialects.ts";
import { DIALECTS, type DialectName } from "../../src/core/models/dialect-names.ts";
import { findDialect, PROVIDERS } from "../../src/providers/index.ts";
import { readSettings } from "../harness/settings.ts";

function chooseFor(address: string, dialect: DialectName) {
  const { providers } = readSettings(
    `providers: { Mine: { base_url: "${address}", keys: [a], dialect: ${dialect}, unlisted_models: true } }`,
  );
  return providers.flatMap(chooseDialects);
}

const VENDORS = PROVIDERS.filter(({ baseUrl, discovers }) => baseUrl !== "" && !discovers);

describe.each(VENDORS)("$name", ({ baseUrl, dialects, otherHosts = [] }) => {
  const { protocol, host, pathname } = new URL(baseUrl);
  const hosts = [host, `eu.${host}`, ...otherHosts];

  test.each(hosts)("at %s an own row speaks as the provider does", (one) => {
    for (const dialect of dialects)
      expect(chooseFor(`${protocol}//${one}${pathname}`, dialect.name)).toEqual([dialect]);
  });

  test("another dialect is the row's own, and so is any at another host", () => {
    const others = DIALECTS.filter((name) => dialects.every((dialect) => dialect.name !== name));
    for (const name of others.filter((one) => one !== "bedrock"))
      expect(chooseFor(baseUrl, name)).toEqual([findDialect(name)]);
    for (const one of [`not-${host}`, `${host}.example`, "127.0.0.1:8000"])
      expect(chooseFor(`${protocol}//${one}${pathname}`, "openai")).toEqual([findDialect("openai")]);
  });
});

test("no two providers share a host", () => {
  const hosts = VENDORS.flatMap(({ baseUrl, otherHosts = [] }) => [new URL(baseUrl).host, ...otherHosts]);
  expect(new Set(hosts).size).toBe(hosts.length);
});
