// Makes a detector of an id in digits: its written forms, and the form without separators, which counts after a word.
import { DIGITS } from "../../characters.ts";
import type { Detector, Span } from "../../detector.ts";
import { readForm, type Separates } from "../../forms.ts";

interface NumberRow {
  readonly name: string;
  readonly mark: string;
  readonly rule: string;
  /** The written forms: lengths of groups, and what parts them. */
  readonly forms?: readonly { readonly groups: readonly number[]; readonly separates: Separates }[];
  /** The lengths of the number without separators, which counts after one of the words. */
  readonly bare?: readonly number[];
  readonly words: readonly string[];
  /** Checks the digits that were read. */
  readonly check: (count: number) => boolean;
  /** Numbers that are known not to be anybody's, without separators. */
  readonly fakes?: ReadonlySet<string>;
}

export function makeNumber({ forms = [], bare = [], check, fakes, ...row }: NumberRow): Detector {
  const accepts = (text: string, at: number, to: number, count: number): boolean =>
    to !== -1 && check(count) && fakes?.has(text.slice(at, to).replaceAll(/\D/g, "")) !== true;
  const find = (text: string, at: number, isAfterWord: boolean): Span | null => {
    for (const { groups, separates } of forms) {
      const to = readForm(text, at, groups, separates);
      const count = groups.reduce((sum, group) => sum + group);
      if (accepts(text, at, to, count)) return { from: at, to };
    }
    if (!isAfterWord) return null;
    for (const count of bare) {
      const to = readForm(text, at, [count], NOTHING);
      if (accepts(text, at, to, count)) return { from: at, to };
    }
    return null;
  };
  const runs = [...new Set([...forms.map(({ groups }) => groups[0] ?? 0), ...bare])];
  return { ...row, group: "ids", starts: DIGITS, runs, find };
}

const NOTHING: Separates = () => false;
