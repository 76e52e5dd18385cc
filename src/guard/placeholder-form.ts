// The form of placeholders: `<EMAIL_3K9P0QRT>`.

/** Crockford's: without I, L, O and U. */
export const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const CODE_CHARACTERS = 8;
/** Marks have at most 12 characters. */
const FORM = /<[A-Z][A-Z\d]{1,11}_[\dA-HJKMNP-TV-Z]{8}>/y;
const CHARACTERS_MAX = 23;
const BRACKET = 60;

/** True if that part of a text lies within a placeholder: it says nothing of a person. */
export function isInPlaceholder(text: string, from: number, to: number): boolean {
  const first = Math.max(0, to - CHARACTERS_MAX);
  let at = from;
  while (at > first && text.charCodeAt(at) !== BRACKET) at--;
  FORM.lastIndex = at;
  return at >= first && FORM.test(text) && to <= FORM.lastIndex;
}
