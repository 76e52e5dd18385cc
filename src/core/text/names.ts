// Names that people read: the characters that none may have, and which names look alike.

/** Characters that show nothing, or turn the direction of what follows, so that another name looks the same. */
const INVISIBLE = "\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";
const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`, "u");
const ALL_INVISIBLE = new RegExp(`[${INVISIBLE}]+`, "gu");

export function hasInvisible(text: string): boolean {
  return ANY_INVISIBLE.test(text);
}

export function removeInvisible(text: string): string {
  return text.replace(ALL_INVISIBLE, "");
}

/** Returns the same text for names that people take for one: by form, case, spaces at the ends and what is invisible. */
export function foldName(name: string): string {
  return removeInvisible(name.normalize("NFKC")).trim().toLowerCase();
}
