// Names that people read: the characters that none may have, and which names look alike.

/** Characters that show nothing, or turn the direction of what follows, so that another name looks the same. */
const INVISIBLE = "\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";
const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`, "u");
const UNSEEN = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${INVISIBLE}]`, "gu");
const ALL_INVISIBLE = new RegExp(`[${INVISIBLE}]+`, "gu");

export function hasInvisible(text: string): boolean {
  return ANY_INVISIBLE.test(text);
}

/** Returns the text with each of them, and each control character, as `\u202e`. */
export function showInvisible(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function removeInvisible(text: string): string {
  return text.replace(ALL_INVISIBLE, "");
}

/** Returns the same text for names that people take for one: by form, case, spaces at the ends and what is invisible. */
export function foldName(name: string): string {
  return removeInvisible(name.normalize("NFKC")).trim().toLowerCase();
}
