// Betas that a server of Anthropic's form refuses: the sentence that names them, and the word that leaves one out.

/** A beta that is left out of the header `anthropic-beta`, by its name. */
export type BetaWord = `beta:${string}`;

const NAME = String.raw`[a-z][a-z0-9]*(?:-[a-z0-9]+){0,9}-20\d\d-\d\d-\d\d`;
const WORD = new RegExp(`^beta:${NAME}$`);
const CHARACTERS_MAX = 100;

/** The form in which the operator writes such a word, for the schema. */
export const BETA_WORDS = {
  pattern: new RegExp(`^-?beta:${NAME}$`),
  example: "beta:effort-2025-11-24",
  meaning: "a beta by its name: it is left out of the header `anthropic-beta`",
} as const;

/**
 * Anthropic's and Vertex AI's, and of the servers in front of them (new-api, issue 2975; claude-code, issues 13770, 46105 and
 * 53855; April 2026).
 */
const REFUSED =
  /^Unexpected value\(s\) (?<betas>`[\w-]{1,100}`(?:, `[\w-]{1,100}`){0,20}) for the `anthropic-beta` header/;
/** The gateway asks for these itself, and has a word for each form that they let pass. */
const OWN = /^(mid-conversation-tool-changes|inline-tools|thinking-binding-controls)-/;

export function isBetaWord(text: string): text is BetaWord {
  return text.length <= CHARACTERS_MAX && WORD.test(text);
}

export function readBeta(word: BetaWord): string {
  return word.slice("beta:".length);
}

/** Returns the betas that a server refuses. Empty if its words are about something else. */
export function readBetaRefusals(said: string): readonly BetaWord[] {
  const names = REFUSED.exec(said)?.groups?.betas?.match(/[\w-]+/g) ?? [];
  return names
    .filter((name) => !OWN.test(name))
    .map((name) => `beta:${name}` as const)
    .filter(isBetaWord);
}
