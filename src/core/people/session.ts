// The name of an agent's session, bounded: clients choose it.

import { hideSecret } from "../text/secret-form.ts";

const SESSION_CHARACTERS_MAX = 100;
const SESSION_SHAPE = /^[\x21-\x7e]+$/;
const DIGEST_CHARACTERS = 32;

/** Returns a session's name as rows and filters know it. A long or unusual one is replaced by its digest. */
export function nameSession(text: string): string | null {
  const given = text.trim();
  if (given === "") return null;
  if (hideSecret(given) !== given) return hideSecret(given);
  if (given.length <= SESSION_CHARACTERS_MAX && SESSION_SHAPE.test(given)) return given;
  const digest = new Bun.CryptoHasher("sha256").update(given).digest("hex");
  return `sha256:${digest.slice(0, DIGEST_CHARACTERS)}`;
}
