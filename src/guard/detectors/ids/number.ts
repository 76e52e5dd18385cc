// Makes a detector of an id in digits: its written forms, and the form without separators, which counts after a word.
import { DIGITS } from "../../characters.ts";
import type { Detector, DigitRun } from "../../detector.ts";
import { type Form, makeForm, readForm } from "../../forms.ts";

interface NumberRow {
  readonly name: string;
  readonly mark: string;
  readonly rule: string;
  /** The written forms. */
  readonly forms?: readonly Form[];
  /** The lengths of the number without separators, which counts after one of the words. */
  readonly bare?: readonly number[];
  /** The digits that it begins with, if not with all. */
  readonly firsts?: string;
  readonly words: readonly string[];
  /** Checks the digits that were read. */
  readonly check: (count: number) => boolean;
  /** Numbers that are known not to be anybody's, without separators. */
  readonly fakes?: ReadonlySet<string>;
}

export function makeNumber({
  forms = [],
  bare = [],
  firsts = DIGITS,
  check,
  fakes,
  ...row
}: NumberRow): Detector {
  // The form without separators is looked at last.
  const all = [...forms, ...bare.map((count) => makeForm([count], 0))];
  const isForm = ({ groups, separators }: Form, { length, next, separator }: DigitRun): boolean =>
    groups[0] === length && groups[1] === next && (separators & separator) !== 0;
  const isFake = (text: string, at: number, to: number): boolean =>
    fakes?.has(text.slice(at, to).replaceAll(/\D/g, "")) === true;
  return {
    ...row,
    group: "ids",
    hasSpaces: true,
    starts: firsts,
    runs: [...new Set([...forms.map(({ groups }) => groups[0] ?? 0), ...bare])],
    asks: (run) => {
      if (forms.some((form) => isForm(form, run))) return "always";
      return bare.includes(run.length) ? "afterWord" : "never";
    },
    // A run that begins a written form is shorter than the number without separators.
    measure: (run) => forms.find((form) => isForm(form, run))?.characters ?? run.length,
    find: (text, at, isAfterWord) => {
      for (let place = 0; place < all.length; place++) {
        const form = all[place];
        if (form === undefined) break;
        const to = readForm(text, at, form);
        if (to === -1 || !check(form.count) || isFake(text, at, to)) continue;
        // The word is looked for last, since few numbers have a checksum.
        if (form.groups.length > 1 || isAfterWord()) return { from: at, to };
      }
      return null;
    },
  };
}
