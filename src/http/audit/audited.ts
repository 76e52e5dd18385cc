// Puts on record what admin routes do outside a transaction of their own: refused changes, and uses of the admin token.
import { findOnlyAccount, recordAct } from "../../admin/audit/audit-trail.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { AuditFields, AuditOutcome, AuditTarget } from "../../core/audit/audit-log.ts";
import { SECRET_WORDS } from "../../core/faults/failure.ts";
import { type Fault, toFault } from "../../core/faults/fault.ts";
import { findOperator, readOperator } from "../people/operator.ts";
import { findRouteAction } from "./route-actions.ts";

interface ActOutcome {
  readonly outcome: AuditOutcome;
  readonly reason: string | null;
}

type Params = Readonly<Record<string, unknown>>;

/** The changes that requests ask for, by request, until they have failed or the request is gone. */
const asked = new WeakMap<Request, (ended: ActOutcome) => Promise<void>>();

/** Remembers the change that a request to this route asks for. A route that only reads has none. */
export function expectChange(world: AdminWorld, request: Request, routeId: string, params: Params): void {
  const about = findRouteAction(routeId);
  if (about === null) return;
  asked.set(request, async ({ outcome, reason }) => {
    const { action, type } = about;
    const operator = findOperator(request);
    // Without a known sender, a sign-in was refused, not a change.
    if (operator === null) return;
    const { act, access } = operator;
    if (outcome !== "success" && !countFailed(world, act.actor.id)) return;
    const target: AuditTarget = { type, id: findTargetId(params), name: "" };
    const accountId = findOnlyAccount(access.grants) ?? (await findAccountId(world, target));
    await recordAct(world, act, { action, target, outcome, reason, accountId });
  });
}

const MINUTE_MS = 60_000;
/** More of one sender in a minute tell nothing new, and a script could fill the store with them. */
const FAILED_A_MINUTE_MAX = 60;

/** The failed changes of this minute by their sender, by the world that they were meant for. */
const failed = new WeakMap<AdminWorld, { readonly minute: number; readonly counts: Map<string, number> }>();

/** Counts a refused or failed change. Returns false if the sender has had too many on record within the minute. */
function countFailed(world: AdminWorld, actorId: string): boolean {
  const minute = Math.floor(world.clock.nowMs() / MINUTE_MS);
  const known = failed.get(world);
  const { counts } = known?.minute === minute ? known : { counts: new Map<string, number>() };
  if (known?.minute !== minute) failed.set(world, { minute, counts });
  const count = (counts.get(actorId) ?? 0) + 1;
  counts.set(actorId, count);
  return count <= FAILED_A_MINUTE_MAX;
}

/** Returns the account of an account or key. Null if there is no such one. */
async function findAccountId({ store }: AdminWorld, { type, id }: AuditTarget): Promise<string | null> {
  if (type === "account") return (await store.account(id))?.id ?? null;
  return type === "key" ? ((await store.key(id))?.accountId ?? null) : null;
}

/** Puts a change on record that was refused or failed. Null if the request asked for none. */
export function noteFailedChange(request: Request, { code, row }: Fault): Promise<void> | null {
  const add = asked.get(request);
  if (add === undefined || row.status === 401) return null;
  // If the store is away, the client hears so of its change, and not of this.
  return add({ outcome: row.status >= 500 ? "failed" : "refused", reason: code }).catch(() => {});
}

/** Returns the hook that puts a route's success on record if no transaction of its own does. */
export function createSuccessHook(routeId: string) {
  const add = async ({ request }: { readonly request: Request }) => {
    await asked.get(request)?.({ outcome: "success", reason: null });
  };
  return { afterHandle: findRouteAction(routeId)?.isNoted === true ? [add] : [] };
}

const ID_CHARACTERS_MAX = 200;

/** Rows are never changed, so a secret that was sent in place of an id must not be in one. */
function findTargetId({ device, id, name }: Params): string {
  const given = device ?? id ?? name;
  if (typeof given !== "string") return "";
  return given.slice(0, ID_CHARACTERS_MAX).replace(SECRET_WORDS, "[redacted]");
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
  try {
    const target: AuditTarget = { type: "admin_token", id: "", name: "" };
    await recordAct(world, act, { action: "admin_token.used", target });
  } catch (error) {
    // Routes that need no store are how an operator learns that it fails. A later use is put on record.
    addresses.delete(act.address);
    if (toFault(error).code !== "store_unavailable") throw error;
  }
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
    await recordAct(world, act, { action: "content.read", target, accountId: shown.account_id });
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
  const { act, access } = readOperator(request);
  const accountId = findOnlyAccount(access.grants);
  return recordAct(world, act, { action: "export.made", target, accountId, after: filters });
}
