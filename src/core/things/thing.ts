// The things that an operator handles, as rows of plain data: each room renders its part from a thing's row.
import type { AuditAction, AuditTarget } from "../audit/audit-log.ts";
import type { Fields } from "../fields/field.ts";
import type { Permission } from "../people/permissions.ts";

/** The route by which an action is asked for. */
interface ActionRoute {
  /** The route's id. */
  readonly id: string;
  /** Below `/admin/v1`. A part that varies begins with a colon. */
  readonly path: `/${string}`;
  readonly permission: Permission;
  /** In OpenAPI. */
  readonly summary: string;
}

export interface ReadAction extends ActionRoute {
  readonly method: "GET";
  readonly audit?: undefined;
}

export interface ChangeAction extends ActionRoute {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** The name under which it is on record. */
  readonly audit: AuditAction;
  /** True if success has no transaction of its own that would put it on record. */
  readonly isNoted?: true;
  /** True if it may set what programs from before wouldn't keep, so that it takes `stop_older`. */
  readonly mayStopOlder?: true;
}

export type Action = ReadAction | ChangeAction;

/** A thing, and what is done with it: `list`, `read`, `make`, `change`, `end`, and what only it has. */
export interface Thing {
  /** In the audit log, and in events. */
  readonly name: AuditTarget["type"];
  /** The group of its routes in OpenAPI. */
  readonly tag: string;
  /** The fields that an operator sets. Missing if there are none. */
  readonly fields?: Fields;
  readonly actions: Readonly<Record<string, Action>>;
}
