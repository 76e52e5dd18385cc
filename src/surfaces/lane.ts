// The shared parts of all families' lanes: rows of fields that the gateway never passes on, each with its reason.
import { Fault } from "../core/faults/fault.ts";
import { isObject, type JsonObject } from "../core/json/json.ts";

interface LaneRow {
  readonly field: string;
  /**
   * `refuse` answers 400: dropping the field would change the meaning, or it names another client's object. `drop`
   * leaves the field out and reports it to the client.
   */
  readonly treatment: "refuse" | "drop";
  readonly reason: string;
  /** True if the operator may allow the field with `native.remote_tools`. */
  readonly isRemote?: true;
}

/** The reason for fields that make the provider call other hosts. The operator may allow them. */
export const REMOTE = "The provider would call URLs of the client's choice.";
export const OTHER_TIERS = "The card's price doesn't cover other tiers.";

/** Returns the reason for a field that names something clients share. */
export function explainShared(what: string): string {
  return `${what} belongs to the provider's account, which all clients share.`;
}

type LaneReasons = Readonly<Record<string, string>>;

/** The fields of the APIs that hold instructions for the model. */
const INSTRUCTIONS = ["system", "instructions", "system_instruction", "systemInstruction"] as const;
type InstructionsField = (typeof INSTRUCTIONS)[number];

/** Returns the reasons for other APIs' fields of instructions. Left out, they would be missed only by the model. */
export function explainInstructions(...own: readonly InstructionsField[]): LaneReasons {
  const others = INSTRUCTIONS.filter((field) => !own.includes(field));
  return Object.fromEntries(others.map((field) => [field, `Send instructions in '${own[0]}'.`]));
}

/** A table of fields that are never passed on, from the reasons by field. */
export class LaneTable {
  readonly rows: readonly LaneRow[];
  readonly #refused: ReadonlyMap<unknown, LaneRow>;

  constructor(refused: LaneReasons, dropped: LaneReasons = {}) {
    const list = (treatment: LaneRow["treatment"], reasons: LaneReasons) =>
      Object.entries(reasons).map(([field, reason]): LaneRow => {
        return { field, treatment, reason, ...(reason === REMOTE ? { isRemote: true } : {}) };
      });
    const refusing = list("refuse", refused);
    this.rows = [...refusing, ...list("drop", dropped)];
    this.#refused = new Map(refusing.map((row) => [row.field, row]));
  }

  /** Returns the row that refuses the field. Undefined if none does. */
  findRefusal(field: unknown, allowsRemote: boolean): LaneRow | undefined {
    const row = this.#refused.get(field);
    return row?.isRemote && allowsRemote ? undefined : row;
  }

  /** Removes the table's fields from a body and returns those it had. Throws a Fault if it has a refused one. */
  removeFrom(body: JsonObject, allowsRemote: boolean): string[] {
    const dropped: string[] = [];
    for (const { field, treatment, reason, isRemote } of this.rows) {
      if (body[field] === undefined || (isRemote && allowsRemote)) continue;
      const isNull = body[field] === null;
      if (treatment === "refuse" && !isNull) throw refuseField(field, reason);
      delete body[field];
      if (!isNull) dropped.push(field);
    }
    return dropped;
  }

  /** Like `removeFrom`, within an object that the body holds. */
  removeWithin(body: JsonObject, holder: string, allowsRemote: boolean): string[] {
    const held = body[holder];
    if (!isObject(held)) return [];
    const kept = { ...held };
    body[holder] = kept;
    return this.removeFrom(kept, allowsRemote).map((field) => `${holder}.${field}`);
  }
}

/** Explains a forced call of a tool that no provider runs here. Without it the model would answer something else. */
export function refuseDemand(): Fault {
  const message = "'tool_choice' demands a tool that the provider would run, and that isn't available here.";
  return new Fault("unsupported_capability", message, { param: "tool_choice" });
}

/** A request as it may be sent. */
export interface LaneResult {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  /** The most searches that the provider may run. */
  readonly searches: number;
  /** True if it asks the provider to cache the prompt for its longest time. Missing if that costs no more. */
  readonly cachesLong?: boolean;
}

export function refuseField(param: string, reason: string): Fault {
  return new Fault("unsupported_parameter", `'${param}' is not supported here. ${reason}`, { param });
}
