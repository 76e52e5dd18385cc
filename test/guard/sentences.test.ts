// Sentences of several languages, in the forms that people write, each with one value: none is missed.
import { expect, test } from "bun:test";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { joinFound, rankDetector } from "../../src/guard/join.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import { makeChance } from "./texts.ts";
import { drawValue, type Value } from "./values.ts";

const SENTENCES = 1000;

interface Language {
  readonly before: string;
  readonly after: string;
  /** The name of a field. */
  readonly label: string;
  readonly quotes: readonly [open: string, close: string];
  readonly comma: string;
  readonly stop: string;
}

function makeLanguage(line: string): Language {
  const [before = "", after = "", label = "", open = "", close = "", comma = "", stop = ""] = line.split("|");
  return { before, after, label, quotes: [open, close], comma, stop };
}

/** In each: the text before the value and behind it, a field's name, quotes, comma and full stop. */
const LANGUAGES = [
  "Please note | before Friday|Number|“|”|,|.",
  "Bitte notieren Sie | bis Freitag|Nummer|„|“|,|.",
  "Merci de noter | avant vendredi|Numéro|« | »|,|.",
  "Anote | antes del viernes|Número|«|»|,|.",
  "Proszę zapisać | do piątku|Numer|„|”|,|.",
  "Запишите | до пятницы|Номер|«|»|,|.",
  "يرجى تسجيل | قبل يوم الجمعة|الرقم|«|»|،|.",
  'कृपया | नोट करें|संख्या|"|"|,|।',
  "请记下|然后回复|号码|“|”|，|。",
  "次の番号を控えて：|と伝えてください|番号|「|」|、|。",
].map(makeLanguage);

interface Written extends Language {
  /** The value with what belongs around it. */
  readonly it: string;
  /** Its word and a space, or nothing. */
  readonly lead: string;
  /** `after` where a line of its own begins. */
  readonly rest: string;
}

/** Whole sentences. Where a field has a name, the word is its name. */
const FORMS: readonly ((written: Written) => string)[] = [
  ({ before, lead, it, after }) => `${before}${lead}${it}${after}`,
  ({ before, lead, it, stop }) => `${before}${lead}${it}${stop}`,
  ({ before, lead, it, comma, after }) => `${before}${lead}${it}${comma}${after}`,
  ({ before, lead, it, quotes: [open, close], after }) => `${before}${lead}${open}${it}${close}${after}`,
  ({ before, lead, it, after }) => `${before}${lead}(${it})${after}`,
  ({ before, lead, it, after }) => `${before}${lead}**${it}**${after}`,
  ({ before, lead, it, after }) => `${before}${lead}\`${it}\`${after}`,
  ({ before, lead, it, rest }) => `${before}\n\n- ${lead}${it}\n- ${rest}`,
  ({ label, it, rest }) => `| 1 | ${label} | ${it} | ${rest} |`,
  ({ label, it, rest }) => `${label}: ${it}\n${rest}`,
  ({ label, it, rest }) => JSON.stringify({ [label]: it, more: rest }),
];

function write(
  { value, word, around: [front, back] = ["", ""] }: Value,
  form: number,
  language: Language,
): string {
  const named = word === undefined ? { lead: "" } : { lead: `${word} `, label: word };
  const it = `${front}${value}${back}`;
  return FORMS[form % FORMS.length]?.({ ...language, ...named, it, rest: language.after.trim() }) ?? "";
}

test(`of ${SENTENCES} sentences with values none is missed`, () => {
  const chance = makeChance(87);
  const scanner = createScanner(
    DETECTORS.map(({ name }) => name),
    new Map(),
    [],
  );
  const missed: string[] = [];
  for (let at = 0; at < SENTENCES; at++) {
    const detector = DETECTORS[at % DETECTORS.length]?.name ?? "";
    const drawn = drawValue(detector, chance);
    const language = LANGUAGES[chance(LANGUAGES.length)] ?? makeLanguage("");
    const sentence = write(drawn, Math.floor(at / DETECTORS.length), language);
    const value = sentence.includes(drawn.value) ? drawn.value : JSON.stringify(drawn.value).slice(1, -1);
    const [found, ...more] = joinFound(scanner.search(sentence));
    // Of several detectors that find the same value, the first of the list counts.
    const isFound =
      found?.detectors.includes(detector) &&
      rankDetector(found.detector) <= rankDetector(detector) &&
      sentence.slice(found.from, found.to) === value;
    if (!isFound || more.length > 0) missed.push(`${detector}: ${sentence}`);
  }
  expect(missed).toEqual([]);
});
