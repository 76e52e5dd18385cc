// The initials of a provider or a client, in its colour: a picture to find it by in a list.
import { colorOf } from "./thing-colors.ts";

const INITIALS_MAX = 2;

/** `OA` of OpenAI, `MI` of Mistral, `CC` of Claude Code. */
export function findInitials(name: string): string {
  const heads = name.match(/\p{Lu}|(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? [];
  const letters = heads.length > 1 ? heads : [...name.replace(/[^\p{L}\p{N}]/gu, "")];
  return letters.slice(0, INITIALS_MAX).join("").toUpperCase();
}

/** It stands beside the name, so that nobody needs it read. */
export function Monogram({ name }: { readonly name: string }) {
  return (
    <span class="monogram" aria-hidden="true" style={{ "--thing": `var(${colorOf(name)})` }}>
      {findInitials(name)}
    </span>
  );
}
