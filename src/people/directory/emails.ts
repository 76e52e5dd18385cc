// The e-mail addresses of a user: a list whose elements are found by their type or value.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { DirectoryEmail } from "../../core/people/directory.ts";
import { foldCase } from "./names.ts";
import { readFlag, readText, type Step } from "./operations.ts";
import type { Match } from "./path.ts";
import { DirectoryRefusal } from "./refusal.ts";

const EMAILS_MAX = 20;
const EMAIL_CHARACTERS_MAX = 256;

type Emails = readonly DirectoryEmail[];
/** An address that may still lack its value. */
type EmailDraft = Omit<DirectoryEmail, "value"> & { readonly value: string | null };

const PARTS = ["value", "type", "primary"] as const;
type EmailPart = (typeof PARTS)[number];

/** Returns the list after a step. Throws `DirectoryRefusal`. */
export function changeEmails(emails: Emails, step: Step): Emails {
  const { verb, path, value } = step;
  const isWhole = path.matches === null && path.part === null;
  if (!isWhole) return keepMost(changeSome(emails, step));
  if (verb === "remove") return removeGiven(emails, value);
  const given = readEmails(value);
  return keepMost(joinEmails(verb === "add" ? emails : [], given));
}

/** Reads a list, or a single one. */
function readEmails(value: unknown): Emails {
  if (value === null || value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  keepMost(list);
  const drafts = list.map((one) => {
    if (!isObject(one))
      throw new DirectoryRefusal("invalidValue", "an element of 'emails' must be an object");
    return setParts({ value: null, type: null, isPrimary: false }, one);
  });
  return joinEmails([], drafts.flatMap(complete));
}

/** An address without a value is none. */
function complete({ value, type, isPrimary }: EmailDraft): Emails {
  return value === null ? [] : [{ value, type, isPrimary }];
}

/** Later ones replace those of the same value and type. The last primary one is the only one. */
function joinEmails(emails: Emails, added: Emails): Emails {
  const isSame = (one: DirectoryEmail, other: DirectoryEmail) =>
    foldCase(one.value) === foldCase(other.value) && isSameType(one.type, other.type);
  const joined = added.reduce<Emails>(
    (list, one) => [...list.filter((other) => !isSame(one, other)), one],
    emails,
  );
  return keepPrimary(joined);
}

function keepPrimary(emails: Emails): Emails {
  const primary = emails.findLastIndex(({ isPrimary }) => isPrimary);
  return emails.map((one, at) => (one.isPrimary && at !== primary ? { ...one, isPrimary: false } : one));
}

function isSameType(one: string | null, other: string | null): boolean {
  return foldCase(one ?? "") === foldCase(other ?? "");
}

function keepMost<List extends readonly unknown[]>(emails: List): List {
  if (emails.length <= EMAILS_MAX) return emails;
  throw new DirectoryRefusal("invalidValue", `a user has at most ${EMAILS_MAX} 'emails'`);
}

/** Without values, all go; with values, those. */
function removeGiven(emails: Emails, value: unknown): Emails {
  if (value === undefined || value === null) return [];
  const gone = new Set(readEmails(value).map((one) => foldCase(one.value)));
  return emails.filter((one) => !gone.has(foldCase(one.value)));
}

/** Applies a step to some elements, or to a part of them. A filter that matches nothing makes the element. */
function changeSome(emails: Emails, { verb, path, value }: Step): Emails {
  const part = path.part === null ? null : findPart(path.part);
  if (part === undefined) return emails;
  const matches = path.matches ?? [];
  const isMeant = (one: DirectoryEmail) => matches.every((match) => hasValue(one, match));
  if (verb === "remove") return removeSome(emails, isMeant, part);
  const given = part === null ? value : { [part]: value };
  if (!isObject(given)) {
    throw new DirectoryRefusal("invalidValue", "an element of 'emails' must be an object");
  }
  const changed = emails.some(isMeant)
    ? emails.flatMap((one) => (isMeant(one) ? complete(setParts(one, given)) : [one]))
    : [...emails, ...complete(setParts(makeMatching(matches), given))];
  return isPrimaryGiven(given) ? movePrimary(changed, emails) : keepPrimary(changed);
}

function isPrimaryGiven(given: JsonObject): boolean {
  return Object.keys(given).some((name) => name.toLowerCase() === "primary");
}

/** The address that has become primary is the only one, wherever it stands. */
function movePrimary(changed: Emails, before: Emails): Emails {
  const fresh = changed.findLastIndex((one, at) => one.isPrimary && before[at]?.isPrimary !== true);
  if (fresh < 0) return keepPrimary(changed);
  return changed.map((one, at) => ({ ...one, isPrimary: at === fresh }));
}

function removeSome(
  emails: Emails,
  isMeant: (one: DirectoryEmail) => boolean,
  part: EmailPart | null,
): Emails {
  if (part === null || part === "value") return emails.filter((one) => !isMeant(one));
  return emails.map((one) => {
    if (!isMeant(one)) return one;
    return part === "type" ? { ...one, type: null } : { ...one, isPrimary: false };
  });
}

function findPart(name: string): EmailPart | undefined {
  return PARTS.find((one) => one === name);
}

function hasValue({ value, type, isPrimary }: DirectoryEmail, match: Match): boolean {
  const wanted = match.value;
  if (match.part === "primary")
    return isPrimary === (wanted === true || wanted === "true" || wanted === "True");
  if (typeof wanted !== "string") return false;
  if (match.part === "value") return foldCase(value) === foldCase(wanted);
  return match.part === "type" && isSameType(type, wanted);
}

function makeMatching(matches: readonly Match[]): EmailDraft {
  const parts = Object.fromEntries(matches.map(({ part, value }) => [part, value]));
  return setParts({ value: null, type: null, isPrimary: false }, parts);
}

function setParts(email: EmailDraft, given: JsonObject): EmailDraft {
  let { value, type, isPrimary } = email;
  for (const [name, part] of Object.entries(given)) {
    switch (findPart(name.toLowerCase())) {
      case "value":
        value = readText("emails.value", part, EMAIL_CHARACTERS_MAX);
        break;
      case "type":
        type = readText("emails.type", part, EMAIL_CHARACTERS_MAX);
        break;
      case "primary":
        isPrimary = part !== null && readFlag("emails.primary", part);
        break;
    }
  }
  return { value, type, isPrimary };
}
