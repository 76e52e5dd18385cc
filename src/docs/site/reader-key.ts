// Names a key of the reader's in the examples, for somebody who is signed in to the console. Its secret isn't kept anywhere,
// so a shell's variable stands in its place.

import { loadData } from "./load-data.ts";

/** The gateway that serves the page. */
interface ServingGateway {
  /** Its address in the examples. */
  readonly address: string;
  /** Returns the URL of an admin route. */
  readonly place: (path: string) => string;
}

interface PageActor {
  readonly kind: string;
  readonly id: string;
}

interface ReaderKey {
  readonly name: string;
  readonly last4: string;
}

/** The console remembers a sign-in by it. Nobody else is asked about a session. */
const SIGNED_IN = "poundkey.signed-in";
const PLACEHOLDER = "sk-…";
const VARIABLE = "$POUNDKEY_KEY";
const SHELL = /\blanguage-(sh|bash)\b/;

export async function nameReaderKey({ address, place }: ServingGateway): Promise<void> {
  const blocks = [...document.querySelectorAll<HTMLElement>("pre code")].filter(
    ({ textContent: text }) =>
      (text.includes(PLACEHOLDER) || text.includes(VARIABLE)) &&
      // Keys of providers look alike, and belong to other addresses.
      (text.includes(address) || text.includes("POUNDKEY_")),
  );
  if (blocks.length === 0 || !hasSignedIn()) return;
  const key = await findReaderKey(place).catch(() => null);
  if (key !== null) for (const block of blocks) addName(block, key);
}

function hasSignedIn(): boolean {
  try {
    return localStorage.getItem(SIGNED_IN) === "yes";
  } catch {
    return false;
  }
}

/** Returns a person's newest key that works; for others, the newest that they see. Null if the session is over. */
async function findReaderKey(place: ServingGateway["place"]): Promise<ReaderKey | null> {
  const { actor } = await loadData<{ readonly actor?: PageActor }>(place("/admin/v1/session"));
  if (actor === undefined) return null;
  const own = actor.kind === "person" ? `&member=${encodeURIComponent(actor.id)}` : "";
  const url = place(`/admin/v1/keys?state=active&limit=1${own}`);
  const { data = [] } = await loadData<{ readonly data?: readonly ReaderKey[] }>(url);
  return data[0] ?? null;
}

/** Only shells put a variable's value in its place. */
function addName(block: HTMLElement, { name, last4 }: ReaderKey): void {
  const isShell = SHELL.test(block.className);
  if (isShell) block.textContent = block.textContent.replaceAll(PLACEHOLDER, VARIABLE);
  const word = document.createElement("code");
  word.textContent = isShell ? VARIABLE : PLACEHOLDER;
  const note = document.createElement("p");
  note.className = "own-key";
  // A word joiner keeps the last characters on one line.
  note.append(word, ` is the secret of the key ${name} (…\u2060${last4}).`);
  block.closest("pre")?.after(note);
}
