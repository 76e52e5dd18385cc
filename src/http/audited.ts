// Puts on record what admin routes do outside a transaction of their own: refused changes, and uses of the admin token.
import { note } from "../admin/audit-trail.ts";
import type { AdminWorld } from "../admin/world.ts";
import type { AuditFields, AuditOutcome, AuditTarget } from "../core/audit-log.ts";
import { toFault } from "../core/fault.ts";
import { findOperator, readOperator } from "./operator.ts";
import { findRouteAction } from "./route-actions.ts";

interface Ended {
  readonly outcome: AuditOutcome;
  readonly reason: string | null;
}

type Params = Readonly<Record<string, unknown>>;

/** Returns the hooks that follow a route's handler. A route that only reads has none. */
export function createAuditHooks({ world }: { readonly world: AdminWorld }, routeId: string) {
  const about = findRouteAction(routeId);
  if (about === null) return {};
  const { action, type, isNoted = false } = about;
  // A route without any has no params.
  const add = async (request: Request, params: Params | undefined, { outcome, reason }: Ended) => {
    const operator = findOperator(request);
    if (operator === null) return;
    const target: AuditTarget = { type, id: findTargetId(params ?? {}), name: "" };
    await note(world, operator.act, { action, target, outcome, reason });
  };
  const success = async ({ request, params }: { readonly request: Request; readonly params?: Params }) => {
    await add(request, params, { outcome: "success", reason: null });
  };
  return {
    ...(isNoted ? { afterHandle: success } : {}),
    error: async ({ request, params, error, code }: Failed) => {
      const ended = describeEnd(code === "PARSE" && error instanceof Error ? error.cause : error);
      // If the store is away, the client hears so of its change, and not of this.
      if (ended !== null) await add(request, params, ended).catch(() => {});
    },
  };
}

interface Failed {
  readonly request: Request;
  readonly params?: Params;
  readonly error: unknown;
  readonly code: unknown;
}

/** Null if the sender wasn't known: then a sign-in was refused, not a change. */
function describeEnd(error: unknown): Ended | null {
  const { code, row } = toFault(error);
  if (row.status === 401) return null;
  return { outcome: row.status >= 500 ? "failed" : "refused", reason: code };
}

const ID_CHARACTERS_MAX = 200;

function findTargetId({ id, name }: Params): string {
  const given = id ?? name;
  return typeof given === "string" ? given.slice(0, ID_CHARACTERS_MAX) : "";
}

const HOUR_MS = 3_600_000;
/** Addresses within an hour; beyond it, each further one is on record at each request. */
const ADDRESSES_MAX = 10_000;

/** The addresses whose use of the admin token is on record for this hour, by the world that is read. */
const seen = new WeakMap<AdminWorld, { readonly hour: number; readonly addresses: Set<string> }>();

/** Puts a use of the admin token to read on record, once an hour by address and node. */
export async function noteUse(world: AdminWorld, request: Request): Promise<void> {
  const { act } = readOperator(request);
  if (act.actor.kind !== "admin" || !request.headers.has("authorization")) return;
  const hour = Math.floor(world.clock.nowMs() / HOUR_MS);
  const known = seen.get(world);
  const { addresses } = known?.hour === hour ? known : { addresses: new Set<string>() };
  if (known?.hour !== hour) seen.set(world, { hour, addresses });
  if (addresses.has(act.address)) return;
  if (addresses.size < ADDRESSES_MAX) addresses.add(act.address);
  await note(world, act, {
    action: "admin_token.used",
    target: { type: "admin_token", id: "", name: "" },
  });
}

/** Puts on record that an operator saw a request's prompt and answer, if there were any to see. */
export async function noteContent<Shown extends { readonly id: string; readonly account_id: string }>(
  world: AdminWorld,
  request: Request,
  shown: Shown & { readonly content: unknown },
): Promise<Shown> {
  if (shown.content !== null) {
    const { act } = readOperator(request);
    const target: AuditTarget = { type: "request", id: shown.id, name: "" };
    await note(world, act, { action: "content.read", target, accountId: shown.account_id });
  }
  return shown;
}

/** Puts an export on record, with its filters, before it begins. */
export function noteExport(
  world: AdminWorld,
  request: Request,
  name: string,
  filters: AuditFields,
): Promise<void> {
  const target: AuditTarget = { type: "export", id: name, name: "" };
  return note(world, readOperator(request).act, { action: "export.made", target, after: filters });
}
