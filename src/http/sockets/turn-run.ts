// The request of a turn as it runs: one to a model, or one whose model may call tools that the gateway runs.
import { Fault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Caller } from "../../core/keys/key.ts";
import type { AnswerFlow } from "../../gateway/answer/flow.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { ChatForm } from "../../operations/chat/decoder.ts";
import { OPENAI_RESPONSES } from "../../surfaces/openai-responses/surface.ts";
import type { StreamWriter } from "../../surfaces/surface.ts";
import type { FoundEarlier } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "../serve/arrival.ts";
import type { ClientCall } from "../serve/client-call.ts";
import type { Setups } from "../serve/setups.ts";
import { AnswerStamp } from "../serve/stamp.ts";
import type { ServePorts } from "../tools/loop/port.ts";

interface RunPorts {
  readonly ports: ServePorts;
  readonly setups: Setups<ChatForm>;
}

/** The part of a turn that decides how it runs. */
interface OpeningTurn {
  readonly arrival: Arrival;
  readonly body: JsonObject;
  readonly isWarmUp: boolean;
}

/** A request that runs. */
export interface TurnRun extends RunParts {
  /** Resolves once the answer has begun. */
  begin(): Promise<unknown>;
  /** Hands over the events of the answer as they come. */
  pour(write: WriteEvents): Promise<void>;
  end(): string;
  fail(fault: Fault, requestId: string): string | null;
}

type WriteEvents = (text: string) => Promise<void> | null;

interface RunParts {
  readonly call: ClientCall<ChatForm>;
  readonly context: RequestContext<ChatForm>;
  /** Ends it for a client that has left. */
  leave(): void;
  /** Returns the whole answer at its end. */
  finish(): JsonObject | undefined;
}

function makeRun<Piece>(
  parts: RunParts,
  flow: AnswerFlow<readonly Piece[]>,
  writer: Omit<StreamWriter<Piece>, "write"> & { write(pieces: readonly Piece[]): string },
): TurnRun {
  return {
    ...parts,
    begin: () => flow.begin(),
    pour: (write) => flow.pour((pieces) => write(writer.write(pieces))),
    end: () => writer.end(),
    fail: (fault, requestId) => writer.fail(fault, requestId),
  };
}

export async function beginRun(ports: HttpPorts, call: ClientCall<ChatForm>): Promise<TurnRun> {
  if (call.selection.kind === "selector") await ports.learned();
  const context = ports.gateway.begin(call);
  const writer = call.exchange.writer(() => new AnswerStamp(ports, context));
  const flow = ports.gateway.stream(context);
  const leave = () => {
    call.ending.end();
    flow.leave();
  };
  return makeRun({ call, context, leave, finish: () => writer.finish?.() }, flow, writer);
}

/** Null for a turn without tools of the gateway's own. A warm-up asks nobody, so that there is nothing to list either. */
export async function openOwnTools(
  { ports: { ownTools }, setups }: RunPorts,
  { arrival, body, isWarmUp }: OpeningTurn,
  caller: Caller,
  earlier: FoundEarlier,
): Promise<TurnRun | null> {
  const opening = ownTools?.stream({ surface: OPENAI_RESPONSES, setups, arrival, caller, body, earlier });
  if (!opening) return null;
  const own = await opening;
  const leave = () => own.flow.leave();
  if (!isWarmUp) return makeRun({ ...own, leave }, own.flow, own.flow);
  leave();
  const message = "'generate' can't be false with tools of the gateway's own tool servers.";
  throw new Fault("unsupported_parameter", message, { param: "generate" });
}
