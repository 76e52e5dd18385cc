// A user's attributes: what a directory may write, step by step.

import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { UserAttributes } from "../../core/people/directory.ts";
import { changeEmails } from "./emails.ts";
import { ENTERPRISE } from "./names.ts";
import { listSteps, readFlag, readText, type Step } from "./operations.ts";
import { DirectoryRefusal } from "./refusal.ts";

export const TEXT_CHARACTERS_MAX = 256;

type TextField = Exclude<keyof UserAttributes, "emails" | "isActive" | "userName">;

/** The texts that may be missing, by attribute and part. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, TextField>>>> = {
  externalid: { "": "externalId" },
  displayname: { "": "displayName" },
  name: { formatted: "formattedName", givenname: "givenName", familyname: "familyName" },
  [ENTERPRISE]: { department: "department", costcenter: "costCenter", employeenumber: "employeeNumber" },
};

const NOTHING: UserAttributes = {
  userName: "",
  externalId: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  emails: [],
  isActive: true,
  department: null,
  costCenter: null,
  employeeNumber: null,
};

/** Returns the attributes of a POST or PUT. An absent `active` is `isActive`. */
export function readUser(body: JsonObject, isActive = true): UserAttributes {
  const user = listSteps("add", body).reduce(applyUserStep, { ...NOTHING, isActive });
  if (user.userName === "") throw new DirectoryRefusal("invalidValue", "'userName' is required");
  return user;
}

/** Returns the attributes after a step of a PATCH. Attributes that the gateway doesn't keep change nothing. */
export function applyUserStep(user: UserAttributes, step: Step): UserAttributes {
  const { verb, path, value } = step;
  switch (path.attribute) {
    case "username":
      return { ...user, userName: readUserName(step) };
    case "active":
      if (verb === "remove") throw cannotRemove("active");
      return { ...user, isActive: readFlag("active", value) };
    case "emails":
      return { ...user, emails: changeEmails(user.emails, step) };
    default:
      return Object.hasOwn(TEXTS, path.attribute) ? applyText(user, step) : user;
  }
}

function readUserName({ verb, value }: Step): string {
  if (verb === "remove") throw cannotRemove("userName");
  const name = readText("userName", value, TEXT_CHARACTERS_MAX);
  if (name !== null) return name;
  throw new DirectoryRefusal("invalidValue", "'userName' must be a text of 1 to 256 characters");
}

export function cannotRemove(name: string): DirectoryRefusal {
  return new DirectoryRefusal("mutability", `'${name}' can't be removed`);
}

/** A whole attribute with parts takes the parts that its value names, and `null` or `remove` empties it. */
function applyText(user: UserAttributes, { verb, path, value }: Step): UserAttributes {
  const { attribute, part, matches } = path;
  const parts = TEXTS[attribute] ?? {};
  if (matches !== null) throw new DirectoryRefusal("invalidPath", `'${attribute}' has no elements`);
  const whole = part ?? "";
  if (Object.hasOwn(parts, whole)) {
    const field = parts[whole];
    return field === undefined ? user : setText(user, field, verb === "remove" ? null : value);
  }
  if (part !== null || "" in parts) return user;
  if (verb === "remove" || value === null) {
    return Object.values(parts).reduce((left, field) => setText(left, field, null), user);
  }
  if (!isObject(value)) throw new DirectoryRefusal("invalidValue", `'${attribute}' must be an object`);
  return Object.entries(value).reduce((left, [name, given]) => {
    const field = Object.hasOwn(parts, name.toLowerCase()) ? parts[name.toLowerCase()] : undefined;
    return field === undefined ? left : setText(left, field, given);
  }, user);
}

function setText(user: UserAttributes, field: TextField, value: unknown): UserAttributes {
  return { ...user, [field]: readText(field, value, TEXT_CHARACTERS_MAX) };
}

/** Returns the address that speaks for a user: the primary one, else the user name. */
export function findAddress({ emails, userName }: Pick<UserAttributes, "emails" | "userName">): string {
  return (emails.find(({ isPrimary }) => isPrimary) ?? emails[0])?.value ?? userName;
}

/** Returns the name that people read. */
export function findDisplayName(user: UserAttributes): string {
  const full = [user.givenName, user.familyName].filter((one) => one !== null).join(" ");
  return user.displayName ?? user.formattedName ?? (full === "" ? user.userName : full);
}

/** True if nothing would be written. */
export function isSameUser(one: UserAttributes, other: UserAttributes): boolean {
  const names = Object.keys(NOTHING).filter(isField);
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

function isField(name: string): name is keyof UserAttributes {
  return Object.hasOwn(NOTHING, name);
}
