// The port to requests whose models may call tools that the gateway itself runs.
import type { Caller } from "../../core/keys/key.ts";
import type { Form } from "../../operations/form.ts";
import type { NamedServer } from "../../surfaces/own-tools.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { FoundEarlier } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "./arrival.ts";
import type { Setups } from "./setups.ts";

export interface OwnToolsRequest<F extends Form> {
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly body: unknown;
  readonly earlier: FoundEarlier;
  readonly named: readonly NamedServer[];
}

export interface OwnToolsPort {
  /** Throws the Fault of a field that isn't valid. Empty if the body names no tools of the gateway. */
  find<F extends Form>(surface: Surface<F>, body: unknown): readonly NamedServer[];
  /** Answers it, also with the refusal of what can't be answered. */
  answer<F extends Form>(request: OwnToolsRequest<F>): Promise<Response>;
}

export interface ServePorts extends HttpPorts {
  /** Missing where such tools aren't run. */
  readonly ownTools?: OwnToolsPort;
}
