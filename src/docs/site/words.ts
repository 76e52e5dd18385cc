// Splits texts and queries into words, and reduces each to its stem, so that "restoring" finds "restore" and "backups" "backup".

export interface Word {
  /** In lower case. */
  readonly word: string;
  readonly stem: string;
  /** The index of its first character in the text. */
  readonly at: number;
}

/** A word, or a name such as `body_limit` or `x-poundkey-dropped`. */
const WORD = /[a-z0-9]+(?:[_.'’-]+[a-z0-9]+)*/g;

/** The beginning of a URL, which isn't about HTTPS. */
const SCHEME = /https?:\/\//g;

/** Returns the words in order, each name followed by its parts. */
export function splitWords(text: string): readonly Word[] {
  const lower = text.toLowerCase().replace(SCHEME, (scheme) => " ".repeat(scheme.length));
  return [...lower.matchAll(WORD)].flatMap(({ 0: found, index: at }) => {
    const word = found.replace(/['’]/g, "");
    const whole = { word, stem: findStem(word), at };
    return /[_.-]/.test(word) ? [whole, ...splitName(word, at)] : [whole];
  });
}

function splitName(name: string, at: number): readonly Word[] {
  return [...name.matchAll(/[a-z0-9]+/g)].map(({ 0: word, index }) => {
    return { word, stem: findStem(word), at: at + index };
  });
}

const NO_STEM_BELOW = 4;
/** No plurals: without their ends, they would be a processor's core and a span of time. */
const WHOLE: ReadonlySet<string> = new Set(["cors", "windows"]);
/** Endings with their replacements, tried in this order. */
const ENDINGS: readonly (readonly [ending: RegExp, replacement: string])[] = [
  [/(ss|us|is)$/, "$1"],
  [/ies$/, "y"],
  [/(x|ch|sh|ss)es$/, "$1"],
  [/s$/, ""],
];
const VOWEL = /[aeiouy]/;
const VERB_ENDING = /(at(e|ed|er|ing|ion|or)|ing|ed|er|ment|al)$/;

/** Returns a word without its common endings. Only equality of stems means anything: a stem need not be a word. */
export function findStem(word: string): string {
  if (word.length < NO_STEM_BELOW || !/^[a-z]+$/.test(word) || WHOLE.has(word)) return word;
  const [ending, replacement] = ENDINGS.find(([one]) => one.test(word)) ?? [/$/, ""];
  const singular = word.replace(ending, replacement);
  const root = singular.replace(VERB_ENDING, "");
  const isRoot = root.length >= NO_STEM_BELOW - 1 && VOWEL.test(root);
  return dropDoubled(isRoot ? root : singular).replace(/(?<=...)[ey]$/, "");
}

/** "planned" and "plan" share "plan", but "full" keeps its end. */
function dropDoubled(root: string): string {
  return root.replace(/([bdgmnprt])\1$/, "$1");
}
