// The port of a detector: a row that says where a value can begin, and finds one there.

export const GROUP_NAMES = ["secrets", "contact", "finance", "network", "ids"] as const;
export type GroupName = (typeof GROUP_NAMES)[number];

export interface Span {
  readonly from: number;
  /** Behind the last character. */
  readonly to: number;
}

/** A run of letters and digits that begins with a digit, or two zeros, before a detector is asked there. */
export interface DigitRun {
  readonly first: number;
  readonly hasTwoZeros: boolean;
  /** Its length, at most 31. */
  readonly length: number;
  /** The character behind it, as a bit of the forms' separators; 0 for others. */
  readonly separator: number;
  /** The number of digits that follow behind a separator, at most 8. */
  readonly next: number;
}

/** The answer to whether a detector is asked at a run. `nearWord`: where a word may stand, which `find` then looks for. */
type WordNeed = "always" | "nearWord" | "afterWord" | "never";

/** A value whose end isn't known yet, when no more can be waited for. */
interface CutValue {
  /** Returns the value at `at` that goes on behind the text, if `find` doesn't find one that reaches its end. */
  begin?(text: string, at: number): Span | null;
  /** Goes on from the end of what was found, at most to `limit`. */
  goOn(text: string, at: number, limit: number): number;
}

export interface Detector {
  readonly name: string;
  /** Null if it is only used by its own name. */
  readonly group: GroupName | null;
  /** The word that replaces a masked value, in brackets. */
  readonly mark: string;
  /** A description of what it finds, for the manual and the command. */
  readonly rule: string;
  /**
   * The characters at which it is asked. Of letters and digits only the first of each run of them, since none may stand
   * directly before a value.
   */
  readonly starts: string;
  /** The ASCII characters that may follow a sign of `starts`. Without them, any. */
  readonly follows?: string;
  /** The ASCII characters that may stand before a sign of `starts`, the nearest first. Without them, any. */
  readonly leads?: readonly string[];
  /** The lengths of the run that a letter or digit of `starts` begins. Without them, any. */
  readonly runs?: readonly number[];
  /** Says for each kind of run of such a length that begins with a digit if it is asked there. Without it, always. */
  asks?(run: DigitRun): WordNeed;
  /** Returns the number of characters of the number that such a run begins, of which the last is a digit; 0 if it isn't known. */
  measure?(run: DigitRun): number;
  /**
   * Returns the value that begins at `at`, or around it. It looks at a bounded number of characters, and no further than 40
   * before the value and two behind it. `isAfterWord` says if one of `words` stands within 40 characters before `at`.
   */
  find(text: string, at: number, isAfterWord: () => boolean): Span | null;
  /** The words after which a number counts that has no written form of its own. */
  readonly words?: readonly string[];
  /** True if single spaces may stand in a value, between digits, capitals and brackets. */
  readonly hasSpaces?: true;
  /** For values of any length: goes on from the end of what was found, at most to `limit`. */
  grow?(text: string, at: number, limit: number): number;
  /** For values that may be longer than what is known of a text that comes in pieces. */
  readonly cut?: CutValue;
  /** True if what stands before a value decides without words. */
  readonly isByContext?: true;
  /** True if no value begins more than 40 characters within a run of letters, digits, `_` and `-`. */
  readonly isNearTokenStart?: true;
  /** True if its values are found in runs of base64 above 200 characters. */
  readonly isInLongRuns?: true;
}

/** The characters before a value within which its word stands. */
export const CONTEXT_CHARACTERS = 40;
