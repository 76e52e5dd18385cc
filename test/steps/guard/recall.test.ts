// A conversation's texts that are remembered never stand for others: whatever changes in it, all is found as if nothing were known.
import { expect, test } from "bun:test";
import type { GuardRule, GuardSettings } from "../../../src/core/models/guard.ts";
import type { PlacedText } from "../../../src/operations/ordered-texts.ts";
import { KnownPlaces } from "../../../src/steps/guard/known.ts";
import { GuardSearch } from "../../../src/steps/guard/search.ts";
import { makeChance } from "../../guard/texts.ts";
import { IS_LONG } from "../../harness/long.ts";

const ROUNDS = IS_LONG ? 1000 : 60;
const RULE: GuardRule = {
  name: "all",
  detect: ["email", "nl_bsn", "us_ssn"],
  action: "report",
  at: ["request"],
  keys: ["*"],
  accounts: ["*"],
  models: ["*"],
  providers: ["*"],
  refusesAttachments: false,
};
const SETTINGS: GuardSettings = { version: "1", rules: [RULE], words: new Map(), allow: [] };
const PARTS = ["ada@corp-x.de", "bsn", "111222333", "536904399", "a", "b", "and so it went on ".repeat(60)];
const FIELDS = [undefined, undefined, "bsn", "ssn", "1 a"];

function makeSearch(): GuardSearch {
  const known = new KnownPlaces(new Uint8Array(32).fill(7));
  return new GuardSearch(SETTINGS, { known, nowMs: () => 0 });
}

function find(search: GuardSearch, texts: readonly PlacedText[]) {
  const running = search.find([RULE], texts);
  for (;;) {
    const next = running.next();
    if (next.done) return next.value;
  }
}

function makeText(chance: (most: number) => number): PlacedText {
  const text = Array.from({ length: 1 + chance(6) }, () => PARTS[chance(PARTS.length)]).join(" ");
  const field = FIELDS[chance(FIELDS.length)];
  const place = { kind: "text", isSealed: false, isPiece: false, path: "" } as const;
  return { text, place: field === undefined ? place : { ...place, field } };
}

test("of a random conversation that grows and changes", () => {
  const chance = makeChance(3);
  const remembering = makeSearch();
  let texts: PlacedText[] = [];
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 20 === 0) texts = [];
    for (let more = chance(40); more > 0; more--) texts.push(makeText(chance));
    const now = find(remembering, texts);
    expect(now).toEqual(find(makeSearch(), texts));
    found += now.flat().length;
    if (chance(3) > 0 || texts.length < 2) continue;
    const at = chance(texts.length - 1);
    const [one, other] = texts.slice(at, at + 2);
    if (!one || !other) continue;
    // A turn is left out, written again, put behind the next, or cut elsewhere.
    const cut = chance(one.text.length);
    const changes: readonly (readonly PlacedText[])[] = [
      [other],
      [makeText(chance), other],
      [other, one],
      [
        { ...one, text: one.text.slice(0, cut) },
        { ...other, text: one.text.slice(cut) + other.text },
      ],
      [
        { ...one, place: other.place },
        { ...other, place: one.place },
      ],
    ];
    texts.splice(at, 2, ...(changes[chance(changes.length)] ?? []));
  }
  expect(found).toBeGreaterThan(ROUNDS * 10);
});

test("the names of texts say where each of them ends, and in which field it stands", () => {
  const known = new KnownPlaces(new Uint8Array(32).fill(7));
  const key = known.deriveKey("rules");
  const names = [
    known.name(key, [{ text: "ab" }, { text: "c" }]),
    known.name(key, [{ text: "a" }, { text: "bc" }]),
    known.name(key, [{ text: "abc" }]),
    known.name(key, [{ text: "bc", before: "a" }]),
    known.name(key, [{ text: "c", before: "ab" }]),
    known.name(key, [{ text: "a" }, { text: "b", before: "c" }]),
    known.name(key, [{ text: "a", before: "b" }, { text: "c" }]),
    known.name(known.deriveKey("others"), [{ text: "abc" }]),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(known.name(key, [{ text: "ab" }, { text: "c" }])).toBe(names[0] ?? null);
  expect(known.name(key, [{ text: "x".repeat(1_000_001) }])).toBeNull();
});
