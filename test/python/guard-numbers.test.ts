// The guard's numbers as a foreign judge knows them: python-stdnum, which makes them and says which are valid.
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { createScanner } from "../../src/guard/scanner.ts";
import recorded from "../guard/numbers.data.json" with { type: "json" };
import { GROUPS, writeGroups } from "../guard/written.ts";

const SCRIPT = join(import.meta.dir, "guard_numbers.py");
const OWN = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT_MS = 120_000;
const COUNT = 1000;
const RECORD = join(import.meta.dir, "../guard/numbers.data.json");
/** The valid numbers of each detector that are recorded, for tests without the judge. */
const RECORDED = 24;
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

/** Detectors of numbers that the judge doesn't know. */
const UNJUDGED = ["uk_nino", "au_medicare", "sg_nric"];

/** Detectors of which a number counts after a word alone, if it has no separators. */
const WORDS: Readonly<Record<string, string>> = {
  us_ssn: "ssn",
  us_itin: "itin",
  uk_nhs: "nhs",
  ca_sin: "sin",
  au_tfn: "tfn",
  in_aadhaar: "aadhaar",
  br_cpf: "cpf",
  nl_bsn: "bsn",
  fr_nir: "nir",
  pl_pesel: "pesel",
  de_steuerid: "idnr",
  kr_rrn: "rrn",
};

/** Countries whose IBANs the judge has taken up later. */
const LATER = "BI BY DJ FK HN LC LY MN NI OM RU SC SD SO ST SV TL YE".split(" ");

/** Groups of ITINs that have been given since, which the judge doesn't know. */
const LATER_ITIN = /^9\d\d(5\d|6[0-5])/;

/** True of the numbers about which the two are known to differ. */
function isOther(detector: string, number: string): boolean {
  if (detector === "us_itin") return LATER_ITIN.test(number);
  return detector === "iban" && LATER.includes(number.slice(0, 2));
}

/** The texts in which a number counts. */
function writeTexts(detector: string, number: string): readonly string[] {
  const word = WORDS[detector];
  const groups = GROUPS[detector];
  return [
    `It is ${word === undefined ? "" : `${word} `}${number}.`,
    ...(groups ? [`It is ${writeGroups(number, groups)}.`] : []),
  ];
}

interface Judged {
  readonly detector: string;
  readonly number: string;
  readonly isValid: boolean;
}

async function run(python: string, argument: string): Promise<readonly unknown[]> {
  const child = Bun.spawn([python, SCRIPT, argument], {
    env: environment,
    stdout: "pipe",
    stderr: "inherit",
  });
  return (await new Response(child.stdout).text()).trim().split("\n").map(parseJson);
}

function readJudged(line: unknown): Judged {
  const { detector, number, isValid } = asObject(line);
  return { detector: String(detector), number: String(number), isValid: isValid === true };
}

function findPython(): string | null {
  for (const python of [OWN, Bun.which("python3")]) {
    if (python === null || !existsSync(python)) continue;
    const { success } = Bun.spawnSync([python, SCRIPT, "--list"], { env: environment, stderr: "ignore" });
    if (success) return python;
  }
  return null;
}

const NUMBERED = DETECTORS.filter(
  ({ group, name }) => group === "ids" || group === "finance" || name === "mac",
)
  .map(({ name }) => name)
  .filter((name) => !UNJUDGED.includes(name));

function suite(python: string): void {
  let judged: readonly Judged[] = [];
  beforeAll(async () => {
    judged = (await run(python, JSON.stringify({ count: COUNT, seed: 1 }))).map(readJudged);
  }, SCRIPT_MS);

  test("the judge knows each detector of numbers, but those said to be without one", async () => {
    const [names] = await run(python, "--list");
    expect(asArray(names).toSorted()).toEqual(NUMBERED.toSorted());
  });

  describe.each(NUMBERED)("%s", (detector) => {
    test("its verdicts are the judge's, of a thousand valid numbers and of each with one digit changed", () => {
      const scanner = createScanner([detector], new Map(), []);
      const own = judged.filter((one) => one.detector === detector && !isOther(detector, one.number));
      const wrong = own.flatMap(({ number, isValid }) =>
        writeTexts(detector, number)
          .filter((text) => scanner.search(text).length > 0 !== isValid)
          .map((text) => `${text} ${isValid ? "is missed" : "is found"}`),
      );
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(own.filter(({ isValid }) => isValid).length).toBeGreaterThan(COUNT / 2);
    });
  });

  test("the recorded numbers are the judge's", () => {
    const numbers = Object.fromEntries(
      NUMBERED.map((detector) => {
        const own = judged.filter((one) => one.detector === detector && one.isValid);
        const known = own.map(({ number }) => number).filter((number) => !isOther(detector, number));
        return [detector, known.slice(0, RECORDED)];
      }),
    );
    if (process.env.UPDATE_NUMBERS) {
      writeFileSync(RECORD, `${JSON.stringify(numbers, null, 1)}\n`);
      return;
    }
    expect(numbers, "UPDATE_NUMBERS=1 bun test python/guard-numbers records them").toEqual(recorded);
  });

  test("an IBAN's length is the judge's for each country, but for those that it has taken up later", async () => {
    const [lengths] = await run(python, "--ibans");
    const scanner = createScanner(["iban"], new Map(), []);
    const known = new Set(
      judged
        .filter(({ detector, number, isValid }) => {
          return detector === "iban" && isValid && scanner.search(number).length > 0;
        })
        .map(({ number }) => number.slice(0, 2)),
    );
    const unknown = Object.keys(asObject(lengths)).filter((country) => !known.has(country));
    expect(unknown).toEqual(LATER);
  });
}

const python = findPython();
if (python) suite(python);
else test.skip("The judge is not there: pip install -r test/python/requirements.txt into .venv", () => {});
