// The store's address: the servers that it lists, and its parts in files, which are read again.
import { describe, expect, test } from "bun:test";
import { readStoreAddress } from "../../src/app/start/configuration.ts";
import { findAddressMistake, parsePostgresAddress } from "../../src/core/world/postgres-address.ts";
import { redactAddress } from "../../src/store/engine/address.ts";
import { loadText, readFrom, requireSettings } from "../harness/settings.ts";

describe("hosts", () => {
  test.each([
    ["postgres://db/app", [["db", ""]], false],
    ["postgres://me:p%40ss@db:6432/app?target_session_attrs=primary", [["db", "6432"]], true],
    [
      "postgresql://a:5432,b,[::1]:7/app",
      [
        ["a", "5432"],
        ["b", ""],
        ["::1", "7"],
      ],
      true,
    ],
    [
      "postgres://a,b/app?target_session_attrs=any",
      [
        ["a", ""],
        ["b", ""],
      ],
      false,
    ],
    ["postgres://%2Frun%2Fpostgresql/app", [[null, ""]], false],
    ["postgres://db/app?host=/run/postgresql", [[null, ""]], false],
  ])("of %s", (address, hosts, needsWritable) => {
    const parsed = parsePostgresAddress(address);
    const found = parsed?.hosts.map(({ name, url }) => [name, new URL(url).port]);
    expect({ found, needsWritable: parsed?.needsWritable }).toEqual({ found: hosts, needsWritable });
  });

  test.each([
    ["postgres://db/app?sslmode=verify-full", null],
    ["postgres://db/app?sslmode=verify", expect.stringContaining("expected sslmode to be one of disable,")],
    [
      "postgres://a,b/app?target_session_attrs=standby",
      expect.stringContaining("to be read-write, primary or any"),
    ],
  ])("%s: its parameters are checked before a start", (address, mistake) => {
    expect(findAddressMistake(address)).toEqual(mistake);
  });

  test("are shown without the credentials", () => {
    expect(redactAddress("postgres://me:secret@a:5432,b/app?sslmode=require")).toBe(
      "postgres://a:5432,b/app",
    );
  });
});

describe("an address in a file", () => {
  const text = `store: "postgres://me:\${file:/run/password}@db/app"\n`;
  const environment = (password: string | null) => ({
    env: () => undefined,
    readFile: readFrom(password === null ? {} : { "/run/password": `${password}\n` }),
  });
  const files = { "/run/password": "first" };

  test("an address with a password from a file is read again as the file is now, and is unknown while that can't be read", () => {
    const settings = requireSettings(loadText(text, { files }));
    expect(settings.store).toBe("postgres://me:first@db/app");
    expect(readStoreAddress(settings, environment("second"))).toBe("postgres://me:second@db/app");
    expect(readStoreAddress(settings, environment(null))).toBeNull();
    expect(readStoreAddress(settings, environment(""))).toBeNull();
  });

  test("the command line's store takes the place of an address with a password from a file", () => {
    const settings = requireSettings(loadText(text, { files, overrides: { store: "postgres://flag/app" } }));
    expect(readStoreAddress(settings, environment("second"))).toBe("postgres://flag/app");
  });

  test("the store of the first start holds for its workers, even if the configuration names another by then", () => {
    const overrides = { store: "postgres://me:first@db/app", storeSource: text.slice(8, -2) };
    const settings = requireSettings(loadText("store: sqlite:other.db", { files, overrides }));
    expect(settings.store).toBe("postgres://me:first@db/app");
    expect(readStoreAddress(settings, environment("second"))).toBe("postgres://me:second@db/app");
  });
});
