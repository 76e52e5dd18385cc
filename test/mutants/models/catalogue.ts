// Mutants of the catalogue file: which of the program and the file counts.
import type { Mutant } from "../mutant.ts";

const FOLD = ["test/catalogue/file/fold.test.ts"];
const COUNTS = 'const counts = whole.kind === "own" || !isOvertaken(whole.taken, "model", known, day);';

export const CATALOGUE_MUTANTS: readonly Mutant[] = [
  {
    name: "what a field replaced is ignored",
    file: "src/catalogue/file/fold.ts",
    find: "day > on && digestField(known, field) !== was[field];",
    replace: "day > on;",
    tests: FOLD,
  },
  {
    name: "the days of program and list are compared the wrong way",
    file: "src/catalogue/file/fold.ts",
    find: "known !== undefined && day > on",
    replace: "known !== undefined && day < on",
    tests: FOLD,
  },
  {
    name: "a program of the same day counts",
    file: "src/catalogue/file/fold.ts",
    find: "known !== undefined && day > on",
    replace: "known !== undefined && day >= on",
    tests: FOLD,
  },
  {
    name: "the whole row is taken",
    file: "src/catalogue/file/take.ts",
    find: "const fields = SINGLE_FIELDS.filter((field) => accepted.some((one) => nameTaken(one.field) === field));",
    replace: "const fields = SINGLE_FIELDS;",
    tests: FOLD,
  },
  {
    name: "an own row is overtaken",
    file: "src/catalogue/file/fold.ts",
    find: COUNTS,
    replace:
      'const counts = whole.kind === "own" ? known === undefined || (whole.asOf ?? day) >= day : !isOvertaken(whole.taken, "model", known, day);',
    tests: FOLD,
  },
  {
    name: "an older list counts over a newer program",
    file: "src/catalogue/file/fold.ts",
    find: COUNTS,
    replace: "const counts = true;",
    tests: FOLD,
  },
  {
    name: "an overtaken field comes back with the next list",
    file: "src/catalogue/file/take.ts",
    find: "return keepFields(row, (field) => !isOvertaken(row.taken, field, known, builtIn.day));",
    replace: "return [row];",
    tests: FOLD,
  },
  {
    name: "a rebased row gives way to an older program",
    file: "src/catalogue/file/rebase.ts",
    find: "const on = asOf !== undefined && asOf > day ? asOf : day;",
    replace: "const on = asOf ?? day;",
    tests: FOLD,
  },
  {
    name: "a rebase drops a field that differs",
    file: "src/catalogue/file/rebase.ts",
    find: "return keepFields(one, (field) => fields.includes(field));",
    replace: "return keepFields(one, (field) => !fields.includes(field));",
    tests: FOLD,
  },
];
