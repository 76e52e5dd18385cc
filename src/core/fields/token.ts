// The fields of a named token, all of which are set when it is created.
import { ROLES } from "../people/people.ts";
import type { Fields } from "./field.ts";

const ACCOUNTS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;
const CONTACT_CHARACTERS_MAX = 200;

export const TOKEN_FIELDS = {
  name: {
    kind: "name",
    property: "name",
    charactersMax: NAME_CHARACTERS_MAX,
    manual: `1 to ${NAME_CHARACTERS_MAX} characters`,
    flag: { name: "name", value: "NAME", help: "the token's name" },
    control: { label: "Name", placeholder: "nightly-report" },
  },
  role: {
    kind: "role",
    property: "role",
    options: ROLES,
    manual: "what it may do: one of the [roles](people.md#roles)",
    flag: { name: "role", value: "ROLE", help: "admin, operator, billing, manager, viewer or member" },
    control: { label: "Role" },
  },
  accounts: {
    kind: "accounts",
    property: "accounts",
    initial: null,
    elementsMax: ACCOUNTS_MAX,
    manual: `up to ${ACCOUNTS_MAX} names or ids of its accounts; null for all, later ones too`,
    flag: { name: "accounts", value: "A,B", help: "names or ids of the accounts in which it has the role" },
    control: { label: "Accounts", hint: "Names or ids, one a line; empty means all" },
  },
  content: {
    kind: "flag",
    property: "readsContent",
    initial: false,
    manual: "if true, it may read logged prompts and answers (`false`)",
    flag: { name: "content", value: "yes", help: "it may read prompts and answers in the log" },
    control: { label: "May read prompts and answers" },
  },
  contact: {
    kind: "text",
    property: "contact",
    initial: null,
    charactersMax: CONTACT_CHARACTERS_MAX,
    manual: `who looks after it, up to ${CONTACT_CHARACTERS_MAX} characters, for people to read; or null`,
    flag: { name: "contact", value: "TEXT", help: "who looks after it" },
    control: { label: "Contact" },
  },
  expires_at: {
    kind: "expiry",
    property: "expiresAtMs",
    initial: null,
    manual: "ISO 8601, a year ahead at most (in a year)",
    flag: {
      name: "expires",
      value: "TIME",
      help: "when it expires, a year ahead at most: 2027-01-31, tomorrow (in 24 hours) or 30d (12h, 2w)",
    },
    control: { label: "Expires" },
  },
} as const satisfies Fields;
