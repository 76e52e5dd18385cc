// A request that was refused before any call, as the log's line, the metrics and the table of refusals know it.

import { Fault } from "../../core/faults/fault.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import { LIMIT_KINDS } from "../../core/limits/limit.ts";
import { findOutcome, readProvider } from "../../core/log/outcome.ts";
import type { SurfaceName } from "../../core/log/record.ts";
import type { Refusal } from "../../core/log/refusal.ts";
import { countAs, type ModelCard } from "../../core/models/card.ts";
import type { AddressRule } from "../../core/settings.ts";
import type { Log, LogEvent } from "../../core/world/world.ts";
import { shortenModel } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { SecretShapes } from "../../keys/secret-shape.ts";
import type { Form } from "../../operations/form.ts";
import { findLone, type Mistake } from "../../surfaces/asked/lone-results.ts";
import { findWrongMark } from "../../surfaces/asked/wrong-marks.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { Arrival } from "../door/arrival.ts";
import { describeSender } from "../serve/auth.ts";
import type { ReadAddress } from "../serve/client-address.ts";
import { keepAddress } from "../serve/origin.ts";
import { findPath } from "../serve/paths.ts";

const ROUTE_CHARACTERS_MAX = 100;

/** The surface that a refused request came to. */
type RefusingSurface = {
  readonly name: string;
  readonly operation: { readonly name: string };
};

interface RefusalPorts {
  readonly secretShapes: SecretShapes;
  readonly readAddress: ReadAddress;
  readonly addressRule: () => AddressRule;
  readonly log: Log;
}

/** Returns the fault with the client's own name of the field that it is about, in its message, too. */
export function nameForClient(fault: Fault, names: Readonly<Record<string, string>> = {}): Fault {
  const { param } = fault.details;
  const name = typeof param === "string" && Object.hasOwn(names, param) ? names[param] : undefined;
  if (name === undefined) return fault;
  const message = fault.message.replace(`'${param}'`, () => `'${name}'`);
  return new Fault(fault.code, message, { ...fault.details, param: name });
}

/** Mistakes that providers refuse at places of their own forms: the words of such a refusal, and what finds the mistake. */
const MISTAKES: readonly (readonly [
  words: RegExp,
  find: (surface: SurfaceName, body: JsonObject) => Mistake | null,
])[] = [
  [/cache_control/, (_, body) => findWrongMark(body)],
  [/tool_use|tool_result|tool_call|tool call|role 'tool'|function (response|call)|call_id/i, findLone],
];

/** Returns a provider's refusal with the mistake's place in the client's own form, if it is found. */
export function explainRejected<F extends Form>(
  fault: Fault,
  { name }: Pick<Surface<F>, "name">,
  context: RequestContext<F> | null,
): Fault {
  if (fault.code !== "upstream_rejected" || context === null) return fault;
  const find = MISTAKES.find(([words]) => words.test(fault.message))?.[1];
  const { ask, raw } = context.original ?? context;
  const mistake = find?.(name, name === "openai-chat" ? asObject(ask) : (raw?.body ?? {})) ?? null;
  if (mistake === null) return fault;
  return new Fault(fault.code, mistake.message, { ...fault.details, param: mistake.param });
}

/** `context` is null if the request was refused before it had a plan. */
export function logRefusal<F extends Form>(
  ports: RefusalPorts,
  arrival: Arrival,
  surface: RefusingSurface,
  context: RequestContext<F> | null,
  fault: Fault,
): void {
  const modelPlanned = context?.ticket.ask.modelPlanned ?? nameSelected(arrival.selection);
  const hasRow = context !== null && context.settlement !== null;
  const refusal = buildRefusal(ports, arrival, surface, { modelPlanned, hasRow }, fault);
  ports.log({ ...describeRefusal(arrival, refusal), ...describeTrouble(fault) });
}

/** A refusal for the gateway's own trouble, such as its store's, is an error and says why. */
function describeTrouble({
  row,
  details: { reason },
}: Fault): Pick<LogEvent, "level"> & { readonly cause?: unknown } {
  return row.blame === "gateway" ? { level: "error", cause: reason ?? null } : {};
}

function describeRefusal({ requestId, trace }: Arrival, refusal: Refusal): LogEvent {
  const { keyId, accountId, last4, shape, modelAsked, modelPlanned, limit } = refusal;
  const { route, address, code, status, outcome, hasRow } = refusal;
  // The gateway's own limits, such as its memory for bodies, are no owner's.
  const isOwners = LIMIT_KINDS.some((kind) => kind === limit?.kind);
  return {
    event: "refused",
    request_id: requestId,
    key_id: keyId,
    account_id: accountId,
    ...(trace === null ? {} : { trace_id: trace.traceId }),
    ...(last4 === null && shape === null ? {} : { last4, shape }),
    model_asked: modelAsked,
    route,
    address,
    code,
    status,
    ...(limit ? { limit } : {}),
    ...(limit && isOwners ? { limit_kind: limit.kind, limit_scope: limit.scope } : {}),
    // A request with a row is counted by that.
    ...(modelPlanned === null || hasRow
      ? {}
      : { model: modelPlanned, provider: readProvider(modelPlanned), outcome }),
    refusal,
  };
}

function buildRefusal(
  { readAddress, addressRule, secretShapes }: RefusalPorts,
  arrival: Arrival,
  surface: RefusingSurface,
  { modelPlanned, hasRow }: Pick<Refusal, "modelPlanned" | "hasRow">,
  { code, details, row: { status } }: Fault,
): Refusal {
  const { request, server, modelAsked } = arrival;
  const { limit = null } = details;
  const key = arrival.key ?? details.key ?? null;
  const isUnknown = key === null && code === "invalid_api_key";
  const address = server === null ? null : readAddress(request, server);
  return {
    keyId: key?.id ?? null,
    accountId: key?.accountId ?? null,
    memberId: key?.memberId ?? null,
    ...(isUnknown ? describeSender(secretShapes, request.headers) : { last4: null, shape: null }),
    modelAsked: modelAsked === null ? null : shortenModel(modelAsked),
    route: `${request.method} ${findPath(request.url).slice(0, ROUTE_CHARACTERS_MAX)}`,
    address: address && keepAddress(address, addressRule()),
    code,
    status,
    limit,
    hasRow,
    modelPlanned,
    operation: surface.operation.name,
    surface: surface.name,
    resetAtMs: details.resetAtMs ?? limit?.resetsAtMs ?? null,
    outcome: findOutcome({ status, attempts: 0, faultCode: code }),
  };
}

/** Returns the model that counts a request whose plan couldn't be made. Null if it named no model of its own. */
function nameSelected(selection: Selection | null): string | null {
  const card = selection && findFirstCard(selection);
  return card ? countAs(card) : null;
}

function findFirstCard(selection: Selection): ModelCard | undefined {
  if (selection.kind === "card") return selection.card;
  return selection.kind === "group" ? selection.members[0]?.card : undefined;
}
