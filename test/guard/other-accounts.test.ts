// Codes that a request's own values don't have: of another account, of another request, guessed or nearly right. None is ever
// turned into a value.
import { expect, test } from "bun:test";
import { Placeholders } from "../../src/guard/placeholders.ts";
import { Restorer } from "../../src/guard/restorer.ts";
import { filterText } from "../../src/guard/text-filter.ts";
import { IS_LONG } from "../harness/long.ts";
import { makeChance } from "./texts.ts";

/** As published. */
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARACTERS = 8;
const CASES = IS_LONG ? 100_000 : 5000;
const DETECTORS = ["email", "card", "phone", "openai_key", "words:customers"];
const BRACKETS = [
  ["<", ">"],
  ["", ""],
  ["&lt;", "&gt;"],
  ["\\u003c", "\\u003e"],
  ["%3C", "%3E"],
] as const;

type Chance = ReturnType<typeof makeChance>;
const pick = <One>(chance: Chance, list: readonly One[]): One => list[chance(list.length)] as One;

interface Values {
  readonly detector: string;
  readonly value: string;
}

const makeValues = (chance: Chance, count: number): readonly Values[] =>
  Array.from({ length: count }, () => ({
    detector: pick(chance, DETECTORS),
    value: `value-${chance(1_000_000)}-end`,
  }));

function makeCode(chance: Chance): string {
  return Array.from({ length: CODE_CHARACTERS }, () =>
    CODE_ALPHABET.charAt(chance(CODE_ALPHABET.length)),
  ).join("");
}

/** Changes one character of a name's code. */
function misspell(chance: Chance, name: string): string {
  const at = name.length - 1 - chance(CODE_CHARACTERS);
  return name.slice(0, at) + CODE_ALPHABET.charAt(chance(CODE_ALPHABET.length)) + name.slice(at + 1);
}

function restoreInPieces(chance: Chance, restorer: Restorer, text: string): string {
  const stream = filterText(restorer.begin());
  let restored = "";
  for (let at = 0; at < text.length; ) {
    const to = at + 1 + chance(30);
    restored += stream.push(text.slice(at, to));
    at = to;
  }
  return restored + stream.end();
}

test(`no code but a request's own becomes a value, in ${CASES} seeded texts`, () => {
  const chance = makeChance(7);
  for (let round = 0; round < CASES; round++) {
    const shared = makeValues(chance, 3);
    const own = new Placeholders(`account ${round}`);
    const brought = [...shared, ...makeValues(chance, 2)];
    const names = brought.map(({ detector, value }) => [own.name(detector, value), value] as const);
    const another = new Placeholders(`account ${round + 1}`);
    const elsewhere = new Placeholders(`account ${round}`);
    const foreign = [
      ...shared.map(({ detector, value }) => another.name(detector, value)),
      ...makeValues(chance, 3).map(({ detector, value }) => elsewhere.name(detector, value)),
      ...names.map(([name]) => misspell(chance, name)),
      ...names.map(([name]) => name.replace(/^[A-Z]+/, pick(chance, ["EMAIL", "CARD", "IBAN", "SECRET"]))),
      `${pick(chance, ["EMAIL", "CARD", "CUSTOMERS"])}_${makeCode(chance)}`,
    ].filter((name) => !own.values.has(name));
    const parts = Array.from({ length: 10 }, () => {
      const [open, close] = pick(chance, BRACKETS);
      if (chance(3) > 0) {
        const stays = open + pick(chance, foreign) + close;
        return [stays, stays] as const;
      }
      const [name, value] = pick(chance, names);
      return [open + name + close, value] as const;
    });
    const text = parts.map(([written]) => written).join(" ");
    const expected = parts.map(([, shown]) => shown).join(" ");
    const restored = restoreInPieces(chance, new Restorer(own.values), text);
    if (restored !== expected) expect({ round, restored }).toEqual({ round, restored: expected });
  }
  expect(CASES).toBeGreaterThan(0);
});
