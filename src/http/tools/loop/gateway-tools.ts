// Requests whose models may call tools that the gateway runs: which they are, and what they are shown.
import type { JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { Form } from "../../../operations/form.ts";
import type { NamedServer } from "../../../surfaces/gateway-tools.ts";
import type { Surface } from "../../../surfaces/surface.ts";
import type { Arrival } from "../../door/arrival.ts";
import type { Door, GatewayTools } from "../../door/ports.ts";
import type { ToolPorts } from "../ports.ts";
import type { ToolViews } from "../view.ts";
import { LoopedRun } from "./looped-run.ts";
import { type ShownTools, showTools } from "./shown-tools.ts";

const NO_SERVERS: readonly NamedServer[] = [];

export class GatewayToolRuns implements GatewayTools {
  readonly #ports: ToolPorts;
  readonly #views: ToolViews;

  constructor(ports: ToolPorts, views: ToolViews) {
    this.#ports = ports;
    this.#views = views;
  }

  /** A request that names no such tools costs no object. */
  open<F extends Form>(
    { surface, setups }: Door<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
  ): LoopedRun<F> | null {
    const named = this.#find(surface, body);
    if (named.length === 0) return null;
    const show = () => this.#show(arrival, caller, named);
    return new LoopedRun({ ports: this.#ports, surface, setups, arrival, caller, body }, show);
  }

  fill<F extends Form>(
    surface: Surface<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
  ): Promise<JsonObject> | null {
    const named = this.#find(surface, body);
    const { gatewayTools } = surface;
    if (gatewayTools === undefined || named.length === 0) return null;
    return this.#show(arrival, caller, named).then(({ servers }) => gatewayTools.fill(body, servers));
  }

  async #show({ request }: Arrival, { key }: Caller, named: readonly NamedServer[]): Promise<ShownTools> {
    const levels = await this.#ports.toolLevels(key);
    return showTools(this.#views, { key, headers: request.headers, levels }, named);
  }

  /** Throws the Fault of a field that isn't valid. Empty if the body names no tools of the gateway. */
  #find<F extends Form>({ gatewayTools }: Surface<F>, body: unknown): readonly NamedServer[] {
    const rules = gatewayTools === undefined ? undefined : this.#ports.toolRules();
    if (gatewayTools === undefined || rules === undefined) return NO_SERVERS;
    const { publicUrl } = this.#ports.server;
    return gatewayTools.find(body, { rules, url: publicUrl === null ? null : `${publicUrl}/mcp` });
  }
}
