// The vendors' names (betas, blocks, tools) that the gateway knows, and its treatment of each: rows with a reason.
import { Fault } from "../core/faults/fault.ts";
import type { Limits } from "../core/settings.ts";

/**
 * `pass` passes the name on. `hold` passes a tool that the provider runs, once its worst cost is held. `drop` leaves it
 * out and reports it. `refuse` answers 400. `remote` passes only if the operator set `native.remote_tools`.
 */
type Treatment = "pass" | "hold" | "drop" | "refuse" | "remote";

interface KnownRow {
  readonly treatment: Treatment;
  readonly reason: string;
  readonly names: readonly string[];
}

/** A closed list of a vendor's names. */
export class KnownNames {
  readonly rows: readonly KnownRow[];
  readonly #byName: ReadonlyMap<string, KnownRow>;

  constructor(rows: readonly KnownRow[]) {
    this.rows = rows;
    this.#byName = new Map(rows.flatMap((row) => row.names.map((name) => [name, row] as const)));
  }

  /** Undefined for a name that the vendor added later, or that doesn't exist. */
  find(name: string): KnownRow | undefined {
    return this.#byName.get(name);
  }
}

/** The operator's settings that decide about names. */
export type LaneRules = Pick<Limits, "remoteTools" | "known" | "constraints">;

/** True if a row or the operator lets the name pass. */
export function passes(
  row: KnownRow | undefined,
  name: string,
  list: "betas" | "blocks" | "tools",
  { remoteTools, known }: LaneRules,
): boolean {
  if (known?.[list].has(name)) return true;
  if (row?.treatment === "remote") return remoteTools === true;
  return row?.treatment === "pass" || row?.treatment === "hold";
}

/** A surface's own blocks, by the types that other APIs have instead. */
export type OwnForms = Readonly<Record<string, string>>;

/** A block or item that the gateway doesn't know, which may cost more than is held or name another client's object. */
export function refuseUnknown(param: string, type: string, forms: OwnForms = {}): Fault {
  const own = Object.hasOwn(forms, type) ? forms[type] : undefined;
  if (own !== undefined) {
    const message = `'${param}' has the type '${type}', which belongs to another API. Here, send ${own}.`;
    return new Fault("invalid_value", message, { param });
  }
  const name = type.replace(/[^\w.-]/g, "?").slice(0, 64);
  const message = `'${param}' has the type '${name}', which the gateway doesn't know. The operator can allow it with native.known.blocks.`;
  return new Fault("unsupported_capability", message, { param });
}
