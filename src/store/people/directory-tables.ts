// The tables of what a company's directory says by SCIM.
import { asArray, asObject, asString, parseJson } from "../../core/json/json.ts";
import type {
  DirectoryEmail,
  DirectoryGroup,
  DirectoryUser,
  GroupPart,
  ReviewedUser,
} from "../../core/people/directory.ts";
import {
  allowNull,
  type Column,
  type Columns,
  FLAG,
  INTEGER,
  makeJson,
  nameColumn,
  TEXT,
  TIME,
} from "../columns/columns.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { table } from "../schema/tables.ts";

/** The attributes that no list is narrowed by. */
type Attributes = Pick<
  DirectoryUser,
  | "displayName"
  | "formattedName"
  | "givenName"
  | "familyName"
  | "emails"
  | "department"
  | "costCenter"
  | "employeeNumber"
>;

interface UserRow
  extends Pick<DirectoryUser, "id" | "memberId" | "isActive" | "isLinked" | "createdAtMs" | "changedAtMs"> {
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayFolded: string | null;
  readonly attributes: Attributes;
}

/** Returns a text as it is compared where case doesn't count. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}

const NAME: Columns<string> = {
  columns: {
    user_name: { type: "text", write: (name) => name },
    name_folded: { type: "text", write: foldCase },
  },
  read: (found) => readText(found, "user_name"),
};

const ATTRIBUTES: Column<Attributes> = {
  type: "text",
  write: (attributes) => JSON.stringify(attributes),
  read: (found, column) => readAttributes(asObject(parseJson(readText(found, column)))),
};

function readEmails(stored: Readonly<Record<string, unknown>>): readonly DirectoryEmail[] {
  return asArray(stored.emails).map(asObject).flatMap(readEmail);
}

function readAttributes(stored: Readonly<Record<string, unknown>>): Attributes {
  const read = (name: string) => asString(stored[name]) ?? null;
  return {
    displayName: read("displayName"),
    formattedName: read("formattedName"),
    givenName: read("givenName"),
    familyName: read("familyName"),
    emails: readEmails(stored),
    department: read("department"),
    costCenter: read("costCenter"),
    employeeNumber: read("employeeNumber"),
  };
}

function readEmail({ value, type, isPrimary }: Readonly<Record<string, unknown>>): readonly DirectoryEmail[] {
  if (typeof value !== "string") return [];
  return [{ value, type: asString(type) ?? null, isPrimary: isPrimary === true }];
}

export const USER = table<UserRow>("directory_user", ["id"], {
  id: TEXT,
  memberId: TEXT,
  userName: NAME,
  externalId: allowNull(TEXT),
  displayFolded: allowNull(TEXT),
  attributes: ATTRIBUTES,
  isActive: FLAG,
  isLinked: FLAG,
  createdAtMs: TIME,
  changedAtMs: TIME,
});

export function toUserRow(user: DirectoryUser): UserRow {
  const { id, memberId, userName, externalId, isActive, isLinked, createdAtMs, changedAtMs } = user;
  const {
    displayName,
    formattedName,
    givenName,
    familyName,
    emails,
    department,
    costCenter,
    employeeNumber,
  } = user;
  const names = { displayName, formattedName, givenName, familyName };
  return {
    id,
    memberId,
    userName,
    externalId,
    displayFolded: displayName === null ? null : foldCase(displayName),
    attributes: { ...names, emails, department, costCenter, employeeNumber },
    isActive,
    isLinked,
    createdAtMs,
    changedAtMs,
  };
}

export function readUser(found: Parameters<typeof USER.rowOf>[0]): DirectoryUser {
  const { attributes, displayFolded: _, ...row } = USER.rowOf(found);
  return { ...row, ...attributes };
}

export const SELECT_REVIEWED = "SELECT id, member_id, user_name, attributes, is_active FROM directory_user";

/** A change of a large group reads thousands of them. */
export function readReviewedUser(row: FoundRow): ReviewedUser {
  return {
    id: readText(row, "id"),
    memberId: readText(row, "member_id"),
    userName: readText(row, "user_name"),
    emails: readEmails(asObject(parseJson(readText(row, "attributes")))),
    isActive: FLAG.read(row, "is_active"),
  };
}

const IDS = makeJson<readonly string[]>((json) =>
  asArray(parseJson(json)).filter((one) => typeof one === "string"),
);

export const GROUP_PART = table<GroupPart>("directory_part", ["group_id", "part"], {
  groupId: TEXT,
  part: INTEGER,
  came: IDS,
  went: IDS,
  others: IDS,
  names: IDS,
  after: nameColumn("after_id", TEXT),
});

const GROUP_NAME: Columns<string> = {
  columns: {
    display_name: { type: "text", write: (name) => name },
    name_folded: { type: "text", write: foldCase },
  },
  read: (found) => readText(found, "display_name"),
};

export const GROUP = table<DirectoryGroup>("directory_group", ["id"], {
  id: TEXT,
  displayName: GROUP_NAME,
  externalId: allowNull(TEXT),
  isFilled: FLAG,
  createdAtMs: TIME,
  changedAtMs: TIME,
  deletedAtMs: nameColumn("deleted_at_ms", allowNull(TIME)),
});
