// The door of a surface with its features, and the port to tools that the gateway runs.
import type { Caller, GatewayKey } from "../../core/keys/key.ts";
import type { Form } from "../../operations/form.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { FoundEarlier } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "./arrival.ts";
import type { Run } from "./run.ts";
import type { Setups } from "./setups.ts";

/** Tools that the gateway itself runs for a model. */
export interface GatewayTools {
  /** Returns the run of a request that names such tools. Null for any other. Throws the Fault of a field that isn't valid. */
  open<F extends Form>(door: Door<F>, arrival: Arrival, caller: Caller, body: unknown): Run<F> | null;
  /**
   * Returns the body with functions in the place of these tools, as the model would get it. Null for one that names none.
   * Throws the Fault of a field that isn't valid.
   */
  fill<F extends Form>(
    surface: Surface<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
  ): Promise<object> | null;
}

export interface DoorPorts extends HttpPorts {
  /** Missing where such tools aren't run. */
  readonly gatewayTools?: GatewayTools;
}

/** The way in of one surface. A feature that the surface or the gateway doesn't have is null. */
export interface Door<F extends Form> {
  readonly ports: DoorPorts;
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  /** The fields of a body that ask for nothing but what the surface reads. */
  readonly plainFields: ReadonlySet<string>;
  readonly findEarlier: ((arrival: Arrival, key: GatewayKey, body: unknown) => Promise<FoundEarlier>) | null;
  /** Returns the body with files in the places of their ids, before anything else reads it. */
  readonly placeFiles:
    | ((arrival: Arrival, key: GatewayKey, body: unknown) => unknown | Promise<unknown>)
    | null;
  readonly gatewayTools: GatewayTools | null;
}
