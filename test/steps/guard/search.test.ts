// The guard's searches share what clients could otherwise make without bound: scanners, and the places that are remembered.
import { expect, test } from "bun:test";
import type { GuardRule, GuardSettings } from "../../../src/core/models/guard.ts";
import type { PlacedText } from "../../../src/operations/ordered-texts.ts";
import { KnownPlaces } from "../../../src/steps/guard/known.ts";
import { GuardSearch } from "../../../src/steps/guard/search.ts";

const VALUES = {
  email: "ada@corp-x.de",
  phone: "+49 30 901820",
  card: "4532 0151 1283 0366",
  iban: "GB82WEST12345698765432",
  ip: "93.184.216.34",
  mac: "3c:22:fb:1a:2b:3c",
  uk_nhs: "943 476 5870",
} as const;
const WORDS = "words:projects";
const RULES = [...Object.keys(VALUES), WORDS].map(
  (name): GuardRule => ({
    name: name.replace(":", "_"),
    detect: [name],
    action: "report",
    at: ["request"],
    keys: [],
    accounts: ["*"],
    models: ["*"],
    providers: ["*"],
    refusesAttachments: false,
  }),
);
const SETTINGS: GuardSettings = {
  version: "1",
  rules: RULES,
  words: new Map([["projects", [`Kestrel ${VALUES.card}`]]]),
  allow: [],
};
/** A project's name has a card's number in it. */
const TEXT = `${Object.values(VALUES).join(", ")}. Kestrel ${VALUES.card}`;
/** Long enough to be remembered. */
const LONG = `${"Lorem ipsum dolor sit amet. ".repeat(20)}${TEXT}`;

const makeKnown = () => new KnownPlaces(new Uint8Array(32).fill(7));

function find(search: GuardSearch, rules: readonly GuardRule[]) {
  const texts = [TEXT, LONG].map(
    (text): PlacedText => ({ text, place: { kind: "text", isSealed: false, isPiece: false, path: "" } }),
  );
  const running = search.count(rules, "request", texts);
  for (;;) {
    const next = running.next();
    if (next.done) return next.value.map(({ detector, count }) => [detector, count]);
  }
}

test("any choice of rules finds what its own detectors find, however many were chosen before", () => {
  const search = new GuardSearch(SETTINGS, { known: makeKnown(), nowMs: () => 0 });
  const choices = Array.from({ length: 2 ** RULES.length }, (_, bits) =>
    RULES.filter((__, at) => (bits & (1 << at)) !== 0),
  ).slice(1);
  for (const rules of [...choices, ...choices]) {
    const alone = new GuardSearch(SETTINGS, { known: makeKnown(), nowMs: () => 0 });
    expect(find(search, rules)).toEqual(find(alone, rules));
  }
  expect(find(search, RULES)).toHaveLength(RULES.length);
});

test("the places that are remembered are bounded in all, and the oldest are forgotten", () => {
  const known = makeKnown();
  const found = Array.from({ length: 1000 }, (_, from) => ({ from, to: from + 1, detector: "email" }));
  for (let text = 0; text < 600; text++) known.add(`${text}`, [found], 0);
  expect(known.find("99", 0)).toBeNull();
  expect(known.find("100", 0)).toEqual([found]);
  expect(known.find("599", 0)).toEqual([found]);
  known.add("599", [found.slice(0, 1)], 0);
  known.add("600", [found.slice(0, 500), found.slice(0, 499)], 0);
  expect(known.find("100", 0)).not.toBeNull();
});
