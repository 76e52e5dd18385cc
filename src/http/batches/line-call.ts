// A line of a batch: the same request as one by HTTP, through the same door, without a connection.
import { NOWHERE } from "../../core/batches/line-pace.ts";
import type { Offer } from "../../core/demand.ts";
import { errorBody, toFault } from "../../core/faults/fault.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { Ending } from "../../core/world/ending.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import type { Vault } from "../../core/world/world.ts";
import type { Call, LineMark } from "../../gateway/call.ts";
import { type ExpectedOutput, expectCost } from "../../gateway/plan/expected-cost.ts";
import { findUsualOutput, type MeanOutputs } from "../../jobs/outputs.ts";
import type { AnsweredLine, LineCall, LineEstimate, LineResult, UnsentLine } from "../../jobs/ports.ts";
import { worstCost } from "../../ledger/worst.ts";
import type { Form } from "../../operations/form.ts";
import { SURFACES } from "../../surfaces/index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { Arrival } from "../door/arrival.ts";
import { CountingLimit } from "../door/counting.ts";
import { answerRequest, openDoor } from "../door/door.ts";
import { readCall } from "../door/plain-run.ts";
import type { HttpPorts } from "../ports.ts";
import { replayLine } from "./kept-line.ts";
import { LineOutlet } from "./line-outlet.ts";

/** A surface, as lines use it. */
interface LineDoor {
  readonly answer: (arrival: Arrival) => Promise<Omit<LineResult, "requestId">>;
  readonly estimate: (arrival: Arrival, line: UnsentLine, outputs: MeanOutputs) => Promise<LineEstimate>;
  readonly replay: (line: AnsweredLine) => Promise<Pick<LineResult, "status" | "body">>;
}

const DECODER = new TextDecoder();

/** Where a model names no limit, and neither does the line. */
const OUTPUT_TOKENS = 4096;

/** A line has no connection: its mark says what ends it. */
const NEVER = new AbortController().signal;

/** Answers lines. The settings of models are kept from line to line, as a route keeps them. */
export class LineCaller {
  readonly #ports: HttpPorts;
  readonly #counting = new CountingLimit();
  readonly #doors = new Map<string, LineDoor>();
  /** Lines with the same headers share a request, which has neither their bodies nor their ends. */
  readonly #requests = new WeakMap<LineCall["headers"], Map<string, Request>>();

  readonly #vault: Vault;

  constructor(ports: HttpPorts, vault: Vault) {
    this.#ports = ports;
    this.#vault = vault;
  }

  async call(line: LineCall): Promise<LineResult> {
    const arrival = this.#arrive(line, line);
    const answer = await this.#findDoor(line.path).answer(arrival).catch(explainThrown);
    return { requestId: arrival.requestId, ...answer };
  }

  /** Writes a line's stored answer. Throws the Faults of a line that can't be read any more. */
  replay(line: AnsweredLine): Promise<Pick<LineResult, "status" | "body">> {
    return this.#findDoor(line.path).replay(line);
  }

  /** Returns what the line would cost, as if it were asked now. Null if it would be refused. */
  async estimate(line: UnsentLine, outputs: MeanOutputs): Promise<LineEstimate | null> {
    const arrival = this.#arrive(line, makeUnsentMark(line));
    try {
      return await this.#findDoor(line.path).estimate(arrival, line, outputs);
    } catch {
      return null;
    } finally {
      arrival.held.discard();
    }
  }

  #arrive({ key, path, headers, body }: UnsentLine, mark: LineMark): Arrival {
    const requestId = `req_${mintOrderedId(this.#ports.random, this.#ports.clock.nowMs())}`;
    const own = {
      route: path,
      counting: this.#counting,
      sender: { key, proof: null },
      line: mark,
      given: body,
      signal: NEVER,
    };
    const request = this.#findRequest(path, headers);
    return new Arrival(this.#ports, request, null, { headers: { "x-request-id": requestId } }, own);
  }

  #findRequest(path: string, headers: LineCall["headers"]): Request {
    const byPath = this.#requests.getOrInsertComputed(headers, () => new Map<string, Request>());
    return byPath.getOrInsertComputed(
      path,
      () =>
        new Request(`http://localhost${path}`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
        }),
    );
  }

  #findDoor(path: string): LineDoor {
    return this.#doors.getOrInsertComputed(path, () =>
      findSurface(path).use((surface) => openLines(this.#ports, this.#vault, surface)),
    );
  }
}

/** Returns the name under which the log has an endpoint's requests. */
export function findSurfaceName(path: string): string {
  return findSurface(path).use(({ name }) => name);
}

function findSurface(path: string) {
  const found = SURFACES.find((one) => one.path === path);
  if (found === undefined) throw new Error(`No surface serves ${path}.`);
  return found.surface;
}

function openLines<F extends Form>(ports: HttpPorts, vault: Vault, surface: Surface<F>): LineDoor {
  const door = openDoor(ports, surface);
  const outlet = new LineOutlet(ports, surface);
  return {
    answer: (arrival) => answerRequest(door, arrival, outlet),
    replay: (line) => replayLine(door, vault, line),
    async estimate(arrival, { key, body: bytes }, outputs) {
      const body = parseReceived(DECODER.decode(bytes));
      const caller = { key, proof: null };
      const placed = await door.placeFiles?.(arrival, key, body);
      const call = readCall(door, arrival, caller, placed ?? body);
      const { plan, ticket } = ports.gateway.begin(call);
      const offers = ticket.ask.offers(false);
      const worstNanoUsd = Math.max(0, ...offers.map((offer) => findWorst(offer, call.markup)));
      const [first] = offers;
      const card = plan.attempts[0]?.card;
      if (first === undefined || card === undefined) return { expectedNanoUsd: 0, worstNanoUsd };
      const output = expectOutput(call, first, outputs);
      const expectedNanoUsd = expectCost(call, card, output, ports.clock.nowMs());
      return { expectedNanoUsd: Math.min(expectedNanoUsd, worstNanoUsd), worstNanoUsd };
    },
  };
}

/** Returns the most output tokens of an answer. */
function findMost({ outputTokensAsked, outputTokensMax }: Offer): number {
  return outputTokensAsked ?? outputTokensMax ?? OUTPUT_TOKENS;
}

function findWorst(offer: Offer, markup: number): NanoUsd {
  return worstCost(offer, offer.lines, findMost(offer), markup);
}

function expectOutput<F extends Form>(
  { operation, ask }: Call<F>,
  offer: Offer,
  means: MeanOutputs,
): ExpectedOutput {
  // Operations without a limit on output have it among the lines of their offers.
  const most = offer.outputTokensMax === 0 ? Number.POSITIVE_INFINITY : findMost(offer) * offer.choices;
  const usual = findUsualOutput(operation.name, operation.estimatePrompt(ask)) * operation.countAnswers(ask);
  const mean = means.get(offer.card);
  return {
    usualTokens: Math.min(most, usual),
    meanTokens: mean === undefined ? null : Math.min(most, mean),
  };
}

function makeUnsentMark({ terms, line, customId }: UnsentLine): LineMark {
  return { terms, line, customId, placing: NOWHERE, waitsFor: () => false, ending: new Ending() };
}

/** A bug here ends the line as it would end a request. */
function explainThrown(thrown: unknown): Omit<LineResult, "requestId"> {
  const fault = toFault(thrown);
  const body = JSON.stringify(errorBody(fault));
  return { status: fault.row.status, body, fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}
