// The pages and actions that the search finds by their words.
import { listPages } from "./navigation.tsx";
import { may, type SessionPermission } from "./session.ts";

/** Something that the search opens. */
export interface Place {
  readonly kind: string;
  readonly name: string;
  /** The part of the address after the `#`; of the manual's places, the whole address. */
  readonly path: string;
}

/** The kind of the manual's places, which lie outside of the console. */
export const MANUAL = "manual";

interface ActionRow {
  readonly name: string;
  readonly path: string;
  readonly needs: SessionPermission;
}

const ACTIONS: readonly ActionRow[] = [
  { name: "Add a key", path: "/settings/router?add=yes", needs: "own.keys.write" },
  { name: "Add an account", path: "/settings/accounts?add=yes", needs: "accounts.create" },
  { name: "Add a provider's key", path: "/settings/providers?add=yes", needs: "providers.write" },
  { name: "Add an alias with fallbacks", path: "/settings/limits?add=alias", needs: "aliases.write" },
  { name: "Ask for more of my limits", path: "/settings/requests", needs: "limit_requests.make" },
  { name: "Last month of all accounts", path: "/settings/statements", needs: "journal.read" },
];

/** Returns the pages, then the actions, that have all words of the text in any order. */
export function findPlaces(text: string): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const pages = listPages().filter(({ name }) => isMatch(name));
  const actions = ACTIONS.filter(({ name, needs }) => may(needs) && isMatch(name));
  return [...pages, ...actions.map(({ name, path }) => ({ kind: "action", name, path }))];
}
