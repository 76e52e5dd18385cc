// The port to requests whose models may call tools that the gateway itself runs.
import type { JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { AnswerFlow } from "../../../gateway/answer/flow.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import type { Form } from "../../../operations/form.ts";
import type { StreamWriter, Surface } from "../../../surfaces/surface.ts";
import type { FoundEarlier } from "../../conversations/earlier.ts";
import type { HttpPorts } from "../../ports.ts";
import type { Arrival } from "../../serve/arrival.ts";
import type { ClientCall } from "../../serve/client-call.ts";
import type { Setups } from "../../serve/setups.ts";

export interface OwnToolsRequest<F extends Form> {
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly body: unknown;
  readonly earlier: FoundEarlier;
}

/** Events that are texts already. */
interface TextWriter extends StreamWriter<string> {
  write(pieces: readonly string[]): string;
}

/** The answer to it as a stream of events, which writes itself. */
export interface OwnStream<F extends Form> {
  readonly flow: AnswerFlow<readonly string[]> & TextWriter;
  /** The first question to the model, which stands for the request. */
  readonly call: ClientCall<F>;
  readonly context: RequestContext<F>;
  /** Returns the whole answer, once the flow has been poured. */
  finish(): JsonObject;
}

export interface OwnToolsPort {
  /**
   * Answers it, also with the refusal of what can't be answered. Null for a request that names no tools of the gateway, which
   * has cost no object. Throws the Fault of a field that isn't valid.
   */
  answer<F extends Form>(
    surface: Surface<F>,
    setups: Setups<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
    earlier: FoundEarlier,
  ): Promise<Response> | null;
  /**
   * Returns the body with functions in the place of the gateway's own tools, as the model would get it. Null for one that names
   * none. Throws the Fault of a field that isn't valid.
   */
  fill<F extends Form>(
    surface: Surface<F>,
    arrival: Arrival,
    caller: Caller,
    body: unknown,
  ): Promise<JsonObject> | null;
  /** Answers it as a stream. Null as above. Rejects with the Fault of a request that can't be asked. */
  stream<F extends Form>(request: OwnToolsRequest<F>): Promise<OwnStream<F>> | null;
}

export interface ServePorts extends HttpPorts {
  /** Missing where such tools aren't run. */
  readonly ownTools?: OwnToolsPort;
}
