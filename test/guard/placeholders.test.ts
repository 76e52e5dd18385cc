// Placeholders: their codes, whose they are, and a text with its findings replaced.
import { expect, test } from "bun:test";
import { DETECTORS } from "../../src/guard/detectors.ts";
import {
  hideText,
  Placeholders,
  TooManyValues,
  writeMask,
  writePlaceholder,
} from "../../src/guard/placeholders.ts";

const ADDRESS = "ada@corp-x.de";
const FORM = /^EMAIL_[0-9A-HJKMNP-TV-Z]{8}$/;

test("a value has the same name in every request of the account", () => {
  const name = new Placeholders("key").name("email", ADDRESS);
  expect(name).toMatch(FORM);
  const later = new Placeholders(new TextEncoder().encode("key"));
  later.name("email", "bob@corp-x.de");
  expect(later.name("email", ADDRESS)).toBe(name);
  expect(later.name("email", ADDRESS)).toBe(name);
  expect([...later.values].filter(([, value]) => value === ADDRESS)).toEqual([[name, ADDRESS]]);
});

test("a name depends on the key, the detector and each character of the value", () => {
  const code = (key: string, detector: string, value: string) =>
    new Placeholders(key).name(detector, value).split("_")[1];
  const codes = [
    code("key", "email", ADDRESS),
    code("other", "email", ADDRESS),
    code("key", "phone", ADDRESS),
    code("key", "email", "Ada@corp-x.de"),
    code("key", "email", `${ADDRESS}\0`),
    code("key", "emai", `l\0${ADDRESS}`),
    code("key", "words:a", "\ud83d"),
    code("key", "words:a", "\ud83c"),
  ];
  expect(new Set(codes).size).toBe(codes.length);
});

test("the code is the first forty bits of the HMAC", () => {
  const bytes = Buffer.from(`email\u00000\0${ADDRESS}`, "utf16le");
  const digest = new Bun.CryptoHasher("sha256", "key").update(bytes).digest("hex");
  const bits = BigInt(`0x${digest.slice(0, 10)}`)
    .toString(2)
    .padStart(40, "0");
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const code = bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)));
  expect(new Placeholders("key").name("email", ADDRESS)).toBe(`EMAIL_${code}`);
});

test("of two values with the same code the later one has another", () => {
  const [one, other] = ["user751764@corp-x.de", "user1253427@corp-x.de"] as const;
  const alone = [one, other].map((value) => new Placeholders("key").name("email", value));
  expect(alone[0]).toBe(alone[1] ?? "");
  const request = new Placeholders("key");
  const names = [one, other, one, other].map((value) => request.name("email", value));
  expect(names.slice(0, 2)).toEqual(names.slice(2));
  expect(names[0]).toBe(alone[0] ?? "");
  expect(names[1]).toMatch(FORM);
  expect(names.map((name) => request.values.get(name))).toEqual([one, other, one, other]);
});

test("a request has fifty thousand different values, and not one more", () => {
  const request = new Placeholders("key");
  for (let count = 0; count < 50_000; count++) request.name("email", `user${count}@corp-x.de`);
  expect(request.values.size).toBe(50_000);
  expect(() => request.name("email", ADDRESS)).toThrow(TooManyValues);
  expect(() => request.name("phone", "user0@corp-x.de")).toThrow(TooManyValues);
  expect(request.name("email", "user0@corp-x.de")).toMatch(FORM);
});

test("every detector has a mark that a placeholder can begin with", () => {
  for (const { name } of DETECTORS) expect(writeMask(name, "name")).toMatch(/^[A-Z]{2,12}$/);
  expect(writeMask("email", "name")).toBe("EMAIL");
  expect(writeMask("words:q3plans", "name")).toBe("Q3PLANS");
});

test("placeholders and masks have brackets, but not in the name of who speaks", () => {
  expect(writePlaceholder("EMAIL_3K9P0QRT", "text")).toBe("<EMAIL_3K9P0QRT>");
  expect(writePlaceholder("EMAIL_3K9P0QRT", "name")).toBe("EMAIL_3K9P0QRT");
  expect(writeMask("words:customers", "text")).toBe("[CUSTOMERS]");
  expect(writeMask("words:customers", "name")).toBe("CUSTOMERS");
});

test("findings are replaced, and those that stay leave the text as it is", () => {
  const text = `${ADDRESS}, bob@x.de`;
  const union = (from: number, to: number, detector: string) => ({
    from,
    to,
    detector,
    detectors: [detector],
  });
  const found = [union(0, 13, "email"), union(15, 23, "email")];
  const told: string[] = [];
  const hidden = hideText(text, found, ({ detector }, value) => {
    told.push(`${detector} ${value}`);
    return value === "bob@x.de" ? null : "<>";
  });
  expect(hidden).toBe("<>, bob@x.de");
  expect(told).toEqual([`email ${ADDRESS}`, "email bob@x.de"]);
  expect(hideText(text, found, () => "")).toBe(", ");
  expect(hideText(text, [], () => "")).toBe(text);
  expect(hideText("", [], () => "")).toBe("");
});
