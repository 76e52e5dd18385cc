// A new secret of a key, with what is stored of it.
import { digestSecret, mintSecret } from "../../keys/secret.ts";
import type { AdminWorld } from "../world.ts";

const LAST_CHARACTERS_SHOWN = 4;

export function makeSecret({ random, pepper }: Pick<AdminWorld, "random" | "pepper">) {
  const secret = mintSecret(random);
  return { secret, last4: secret.slice(-LAST_CHARACTERS_SHOWN), digest: digestSecret(secret, pepper) };
}
