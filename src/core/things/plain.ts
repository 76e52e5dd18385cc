// Plain things: their fields, who sees them and who changes them. Every room makes its part from the row alone.
import type { PlainAction, PlainName, PlainPrefix } from "../audit/audit-log.ts";
import type { Fields, Value } from "../fields/field.ts";
import type { Scope } from "../people/people.ts";
import type { Permission } from "../people/permissions.ts";
import type { Page } from "../world/page.ts";
import type { ChangeAction, ReadAction, Thing } from "./thing.ts";

/** A plain thing of an account, in an operator's words. Routes, table, command, page and records follow from it. */
interface PlainRow {
  /** In lower case, such as `notice`. Its table has the same name, so no word that SQL reserves. */
  readonly name: string;
  /** The last part of its paths, its command, its export, and its section of a state file, such as `notices`. */
  readonly plural: string;
  /** Begins its ids, such as `not`. */
  readonly idPrefix: string;
  /** Says what it is for, in one sentence. */
  readonly about: string;
  /** Says what its end brings, to the one who confirms it. */
  readonly ending: string;
  /** Shows its page, and lets one read and export it. */
  readonly sees: Permission;
  /** Lets one make, change and end it. */
  readonly changes: Permission;
  /** The most that an account has at a time, without those that have ended. */
  readonly mostPerAccount: number;
  /** The first of them, of the kind `name`, names it. None ends it: a time in one is only shown. */
  readonly fields: Fields;
}

export interface PlainThing extends Thing, Omit<PlainRow, "name" | "idPrefix"> {
  readonly name: PlainName;
  readonly idPrefix: PlainPrefix;
  readonly fields: Fields;
  readonly actions: {
    readonly list: ReadAction;
    readonly read: ReadAction;
    readonly make: ChangeAction;
    readonly change: ChangeAction;
    readonly end: ChangeAction;
  };
}

/** A plain thing in the store. */
export interface PlainEntity {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** Null while it lasts. */
  readonly endedAtMs: number | null;
  /** By the fields' properties. */
  readonly values: Readonly<Record<string, Value>>;
}

export interface PlainFilter {
  readonly accountId?: string | undefined;
  readonly hasEnded?: boolean | undefined;
  readonly scope?: Scope | undefined;
}

/** The store's methods on plain things. Each is one transaction, as in `Store`. */
export interface PlainStore {
  /** Newest first. */
  list(thing: PlainThing, page: Page, filter?: PlainFilter): Promise<readonly PlainEntity[]>;
  find(thing: PlainThing, id: string, scope?: Scope): Promise<PlainEntity | null>;
}

const NAME_SHAPE = /^[a-z]+(_[a-z]+)*$/;
const isName = (name: string): name is PlainName => NAME_SHAPE.test(name);
const isPrefix = (prefix: string): prefix is PlainPrefix => /^[a-z]+$/.test(prefix);
const isAction = (action: string): action is PlainAction => action.includes(".");

/** Makes the thing of a row. */
export function makePlainThing(row: PlainRow): PlainThing {
  const { name, plural, idPrefix, sees, changes } = row;
  if (!isName(name) || !isPrefix(idPrefix))
    throw new Error(`The names of a thing are in lower case: '${name}'.`);
  const path = `/${plural}` as const;
  const one = `${path}/:id` as const;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const titles = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
  return {
    ...row,
    name,
    idPrefix,
    tag: titles,
    actions: {
      list: {
        id: `list${titles}`,
        method: "GET",
        path,
        permission: sees,
        summary: `List the ${plural}, newest first`,
      },
      read: { id: `get${title}`, method: "GET", path: one, permission: sees, summary: `Get a ${name}` },
      make: {
        id: `create${title}`,
        method: "POST",
        path,
        permission: changes,
        summary: `Create a ${name} of an account`,
        audit: nameAction(name, "created"),
      },
      change: {
        id: `change${title}`,
        method: "PATCH",
        path: one,
        permission: changes,
        summary: `Change the given fields of a ${name}`,
        audit: nameAction(name, "changed"),
      },
      end: {
        id: `end${title}`,
        method: "DELETE",
        path: one,
        permission: changes,
        summary: `End a ${name} for good`,
        audit: nameAction(name, "ended"),
      },
    },
  };
}

function nameAction(name: PlainName, verb: "created" | "changed" | "ended"): PlainAction {
  const action = `${name}.${verb}`;
  if (isAction(action)) return action;
  throw new Error(`${action} names no action.`);
}
