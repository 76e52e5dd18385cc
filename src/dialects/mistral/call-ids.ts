// Call ids as Mistral accepts them: nine letters and digits, another for each call of a conversation.
import type { CallIdRule } from "../_chat/call-ids.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LENGTH = 9;
const FNV_PRIME = 0x100000001b3n;
const FNV_OFFSET = 0xcbf29ce484222325n;
const MASK = 0xffffffffffffffffn;

export const CALL_IDS: CallIdRule = {
  accepts: /^[A-Za-z0-9]{9}$/,
  isUnique: true,
  write: (id, use) => hashId(use === 0 ? id : `${id}/${use}`),
};

/** Hashing an id of 30 MB would take seconds. Its ends distinguish it: two ids with the same hash stay two. */
const HASHED_CHARACTERS_MAX = 1000;

/** FNV-1a over the characters, as nine digits in base 62. */
function hashId(id: string): string {
  const half = HASHED_CHARACTERS_MAX / 2;
  const hashed = id.length > HASHED_CHARACTERS_MAX ? id.slice(0, half) + id.slice(-half) : id;
  let hash = FNV_OFFSET;
  for (const character of hashed) {
    hash = ((hash ^ BigInt(character.codePointAt(0) ?? 0)) * FNV_PRIME) & MASK;
  }
  let text = "";
  for (let position = 0; position < LENGTH; position++) {
    text += ALPHABET[Number(hash % BigInt(ALPHABET.length))];
    hash /= BigInt(ALPHABET.length);
  }
  return text;
}
