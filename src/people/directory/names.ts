// The names of schemas and attributes, which a directory writes in any case and with or without the schema's URN.

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const ENTERPRISE_SCHEMA = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** The attribute that holds the extension's own, in the names of this room. */
export const ENTERPRISE = "enterprise";

/** An attribute, and the part of it that is meant. In lower case; a part of the extension belongs to `enterprise`. */
export interface AttributeName {
  readonly attribute: string;
  /** Null for the whole attribute. */
  readonly part: string | null;
}

const CORE_PREFIXES = [USER_SCHEMA, GROUP_SCHEMA].map((urn) => urn.toLowerCase());
const ENTERPRISE_PREFIX = ENTERPRISE_SCHEMA.toLowerCase();

/** Reads `name.givenName`, or the same behind a URN. A name that nobody knows is returned as it is. */
export function readName(text: string): AttributeName {
  const name = text.toLowerCase();
  if (name === ENTERPRISE_PREFIX) return { attribute: ENTERPRISE, part: null };
  if (name.startsWith(`${ENTERPRISE_PREFIX}:`)) {
    return { attribute: ENTERPRISE, part: name.slice(ENTERPRISE_PREFIX.length + 1) };
  }
  const prefix = CORE_PREFIXES.find((urn) => name.startsWith(`${urn}:`));
  return splitName(prefix === undefined ? name : name.slice(prefix.length + 1));
}

function splitName(name: string): AttributeName {
  const dot = name.startsWith("urn:") ? -1 : name.indexOf(".");
  return dot < 0
    ? { attribute: name, part: null }
    : { attribute: name.slice(0, dot), part: name.slice(dot + 1) };
}

/** Returns a text as it is compared where case doesn't count. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}
