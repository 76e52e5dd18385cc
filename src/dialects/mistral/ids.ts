// Tool-call ids as Mistral takes them: nine letters and digits, the same for a call and its result.

const ACCEPTED = /^[A-Za-z0-9]{9}$/;
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LENGTH = 9;
const FNV_PRIME = 0x100000001b3n;
const FNV_OFFSET = 0xcbf29ce484222325n;
const MASK = 0xffffffffffffffffn;

/**
 * Rewrites the ids of one request. An id is rewritten the same way in each request, so that prompts stay cacheable;
 * one that another turn has used already (Moonshot's `name_0`) becomes a new one, which results then follow.
 */
export class MistralIds {
  readonly #current = new Map<string, string>();
  readonly #used = new Set<string>();

  /** The id for a call of the assistant. */
  forCall(id: string): string {
    let taken = ACCEPTED.test(id) ? id : hashId(id);
    for (let turn = 1; this.#used.has(taken); turn++) taken = hashId(`${id}/${turn}`);
    this.#used.add(taken);
    this.#current.set(id, taken);
    return taken;
  }

  /** The id for a result: that of the latest call under the client's id. */
  forResult(id: string): string {
    return this.#current.get(id) ?? (ACCEPTED.test(id) ? id : hashId(id));
  }
}

/** FNV-1a over the characters, written in nine digits of base 62. */
function hashId(id: string): string {
  let hash = FNV_OFFSET;
  for (const character of id) {
    hash = ((hash ^ BigInt(character.codePointAt(0) ?? 0)) * FNV_PRIME) & MASK;
  }
  let text = "";
  for (let position = 0; position < LENGTH; position++) {
    text += ALPHABET[Number(hash % BigInt(ALPHABET.length))];
    hash /= BigInt(ALPHABET.length);
  }
  return text;
}
