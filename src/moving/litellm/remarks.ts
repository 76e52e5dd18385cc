// The user of a key of LiteLLM's and the plain texts of its metadata, as notes and contact here.
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { type ForeignRow, readObject, readText } from "../columns.ts";

/** Names of fields that may hold a secret, such as those of a callback. */
const SECRET = /key|secret|token|password|credential|auth/i;
const LINE_CHARACTERS_MAX = 200;

interface Remarks {
  readonly notes: string | null;
  readonly contact: string | null;
}

export function readRemarks(key: ForeignRow, user: ForeignRow | undefined): Remarks {
  const id = readText(key, "user_id");
  const texts = Object.entries(readObject(key, "metadata")).flatMap(([name, value]) =>
    SECRET.test(name) || (typeof value !== "string" && typeof value !== "number")
      ? []
      : [`${name}: ${value}`.slice(0, LINE_CHARACTERS_MAX)],
  );
  const lines = [...(id === null ? [] : [`User: ${id}`]), ...texts];
  const notes = lines.join("\n").slice(0, KEY_FIELDS.notes.charactersMax);
  const email = (user && readText(user, "user_email")) ?? null;
  return {
    notes: notes === "" ? null : notes,
    contact: email === null ? null : email.slice(0, KEY_FIELDS.contact.charactersMax),
  };
}
