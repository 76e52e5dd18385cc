// The common parts of all families' tables: rows of fields that the gateway never passes on, each with its reason.
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";

export interface LaneRow {
  readonly field: string;
  /**
   * `refuse`: 400, since to leave it out would change the meaning, or it names what another client made. `drop`: it is left
   * out, and named to the client.
   */
  readonly treatment: "refuse" | "drop";
  readonly reason: string;
  /** The operator may allow it, by `native.remote_tools`. */
  readonly isRemote?: true;
}

/** The reason for a field that makes the provider call somebody: the operator may allow it. */
export const REMOTE = "The provider would call addresses of the client's choice.";
export const OTHER_TIERS = "The card's price doesn't cover other tiers.";

/** Returns the reason for a field that names what is not the client's alone. */
export function explainShared(what: string): string {
  return `${what} lies in the provider's account, which all clients share.`;
}

type Reasons = Readonly<Record<string, string>>;

/** Returns the rows of a table, from the reasons by field. */
export function listRows(refused: Reasons, dropped: Reasons = {}): readonly LaneRow[] {
  const list = (treatment: LaneRow["treatment"], reasons: Reasons) =>
    Object.entries(reasons).map(([field, reason]): LaneRow => {
      return { field, treatment, reason, ...(reason === REMOTE ? { isRemote: true } : {}) };
    });
  return [...list("refuse", refused), ...list("drop", dropped)];
}

/** A request as it may leave. */
export interface LaneResult {
  readonly body: JsonObject;
  /** Fields that were left out. */
  readonly dropped: readonly string[];
  /** The most searches that the provider may run. */
  readonly searches: number;
}

/** Takes the rows' fields out of a body; gives those that it had. Throws the Fault of one that is refused. */
export function takeOut(body: JsonObject, rows: readonly LaneRow[], allowsRemote: boolean): string[] {
  const dropped: string[] = [];
  for (const { field, treatment, reason, isRemote } of rows) {
    if (body[field] === undefined || (isRemote && allowsRemote)) continue;
    if (treatment === "refuse") throw refuseField(field, reason);
    delete body[field];
    dropped.push(field);
  }
  return dropped;
}

export function refuseField(param: string, reason: string): Fault {
  return new Fault("unsupported_parameter", `'${param}' is not supported here. ${reason}`, { param });
}
