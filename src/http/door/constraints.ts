// Meets the constraints of a request before its plan is made, or refuses them: they stand in fields of other gateways and
// vendors. A field that is only misspelt is refused too.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, changeFields } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import {
  type ConstraintField,
  type ConstraintOutcome,
  formatConstraints,
  type NamedGuardrail,
} from "../../core/log/constraint.ts";
import type { Call } from "../../gateway/call.ts";
import { listSelected } from "../../gateway/plan/narrow.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { Form } from "../../operations/form.ts";
import {
  type AskedConstraint,
  type AskedFields,
  findAsked,
  isOmitted,
  nameGuardrail,
} from "../../surfaces/asked/constraints.ts";
import { findMisspelt, refuseMisspelt } from "../../surfaces/asked/misspelt.ts";
import { toDocumented } from "../../surfaces/gemini/spelling.ts";
import type { Exchange, Incoming, Surface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import type { Arrival } from "./arrival.ts";
import { type Fulfilment, meetConstraint, takesField } from "./meeting.ts";
import { showName } from "./selection.ts";
import type { CallSetup, ModelSetup } from "./setups.ts";

const FORM = /^multipart\/form-data/i;

/** The request that asks. */
interface AskingRequest<F extends Form> {
  readonly ports: HttpPorts;
  readonly surface: Surface<F>;
  readonly arrival: Arrival;
  readonly key: GatewayKey;
}

/**
 * Returns what a body asks for beyond its surface's plain fields. Null if that is nothing, or if the operator has it left
 * out. Throws the Fault of a field that surely means something else.
 */
export function openConstraints<F extends Form>(
  asking: AskingRequest<F>,
  body: unknown,
): Constraints<F> | null {
  const { ports, surface, arrival } = asking;
  const isForm = FORM.test(arrival.request.headers.get("content-type") ?? "");
  const { unknown, ...asked } = findAsked(surface, body, isForm);
  if (ports.snapshot().limits.constraints === "drop") return null;
  // A form's fields may be files.
  const names = isForm ? [] : unknown;
  const isIdle = names.length + asked.constraints.length === 0 && !asked.holders.some(isOmitted);
  return isIdle ? null : new Constraints(asking, { ...asked, unknown: names });
}

export class Constraints<F extends Form> {
  readonly #asking: AskingRequest<F>;
  readonly #asked: AskedFields;
  /** True if nothing is refused, and what would be is only noted. */
  readonly #isReported: boolean;
  /** Those that were met, or under `report` those that would be refused. */
  readonly #noted = new Set<ConstraintField>();
  readonly #met: Fulfilment[] = [];
  /** The fields that the provider of a model that may answer takes. */
  readonly #taken = new Set<string>();
  #isTold = false;

  constructor(asking: AskingRequest<F>, asked: AskedFields) {
    this.#asking = asking;
    this.#asked = asked;
    this.#isReported = asking.ports.snapshot().limits.constraints === "report";
  }

  /** Reads a body as its surface does. */
  readonly reader = (incoming: Incoming): Exchange<F> => this.read(() => this.#asking.surface.read(incoming));

  /** Calls what reads the body. That a field is misspelt says more than that the meant one is missing. */
  read<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (thrown) {
      const isMissing = thrown instanceof Fault && thrown.code === "missing_required_parameter";
      if (isMissing && !this.#isReported)
        this.#refuseMisspelt(this.#asking.ports.snapshot().upstreams.keys());
      throw thrown;
    }
  }

  /** Returns the setup with the models that meet all of it. Throws the Fault of what nothing meets. */
  narrow(setup: ModelSetup<F>, exchange: Exchange<F>): CallSetup<F> {
    let { named } = setup;
    this.#refuseMisspelt(listSelected(named).map(({ provider }) => provider));
    this.#met.length = 0;
    for (const constraint of this.#asked.constraints)
      named = this.#meet(constraint, named, setup, exchange)?.selection ?? named;
    return this.#isReported || named === setup.named ? setup : setup.narrow(named);
  }

  /**
   * Refuses a misspelt field of a request that the gateway answers itself. Its constraints are met, since it reaches no
   * provider.
   */
  checkSpelling(named: Selection): void {
    this.#refuseMisspelt(listSelected(named).map(({ provider }) => provider));
    for (const field of this.#noted) this.#tell(field, "dropped");
  }

  /** Puts what was met into the call: whom it may ask, what its provider doesn't get, and what its row says. */
  mark(call: Call<F>): void {
    if (!this.#isReported) {
      this.#limit(call);
      this.#omit(call);
    }
    call.origin = { ...call.origin, constraints: formatConstraints(this.#noted) };
    if (this.#isTold) return;
    this.#isTold = true;
    for (const field of this.#noted) this.#tell(field, this.#isReported ? "dropped" : "met");
  }

  #refuseMisspelt(providers: Iterable<string>): void {
    const { ports, surface } = this.#asking;
    const { upstreams, limits, documentedFields } = ports.snapshot();
    const named = new Set(
      [...new Set(providers)].flatMap((name) => upstreams.get(name)?.setup.extraFields ?? []),
    );
    const { betas, blocks, tools } = limits.known ?? {};
    const others = [named, documentedFields, betas, blocks, tools];
    const isKnown = (field: string) => others.some((names) => names?.has(field));
    const misspelt = findMisspelt(this.#asked.unknown, surface.fields, isKnown);
    if (misspelt !== null) this.#refuse("misspelt", refuseMisspelt(misspelt));
  }

  #meet(
    constraint: AskedConstraint,
    selection: Selection,
    setup: ModelSetup<F>,
    exchange: Exchange<F>,
  ): Fulfilment | null {
    const { row, value, param } = constraint;
    const [holder = ""] = row.path;
    const { ports, surface } = this.#asking;
    const isOwn = row.field.split(".")[0] === holder;
    const operation = surface.operation.name;
    const met = meetConstraint(
      constraint,
      selection,
      (card) => isOwn && takesField(holder, operation, card, setup, exchange),
      ports.snapshot().guardrailNames,
    );
    if (met === null) {
      const model = selection.kind === "card" ? selection.card.id : showName(exchange.ask.model);
      const what = row.meets === "hook" ? nameGuardrail(value) : model;
      this.#refuse(
        row.field,
        new Fault("unsupported_parameter", row.explain?.(param, what) ?? "", { param }),
      );
      return null;
    }
    this.#met.push(met);
    if (met.isTaken) this.#taken.add(holder);
    if (!this.#isReported) this.#noted.add(row.field);
    return met;
  }

  #refuse(field: ConstraintField, fault: Fault): void {
    if (this.#isReported) {
      this.#noted.add(field);
      return;
    }
    this.#tell(field, "refused");
    throw fault;
  }

  #tell(field: ConstraintField, outcome: ConstraintOutcome): void {
    const { ports, arrival, key } = this.#asking;
    const about = { request_id: arrival.requestId, key_id: key.id, account_id: key.accountId };
    ports.log({ event: "constraint", level: "debug", ...about, field, outcome });
  }

  #limit(call: Call<F>): void {
    if (this.#met.some(({ isFirstOnly }) => isFirstOnly)) call.isFirstOnly = true;
    const guardrails = this.#met.flatMap(({ guardrail }) => guardrail ?? []);
    if (guardrails.length > 0) call.guardrails = guardrails;
    const asked = this.#asked.constraints.find(({ row }) => row.meets === "cache");
    if (asked === undefined || call.caching === null) return;
    // An answer is kept for the same request without the field, too.
    call.ask = { ...call.ask, cache: undefined };
    call.dropped = [...call.dropped, "cache"];
    const { "no-cache": noCache, "no-store": noStore } = asObject(asked.value);
    const { ttlMs, ageMaxMs } = call.caching;
    call.caching = {
      ...call.caching,
      ttlMs: noStore === true ? 0 : ttlMs,
      ageMaxMs: noCache === true ? 0 : ageMaxMs,
    };
  }

  /** Leaves out what the gateway meets itself, and what asks for nothing: no provider has to know it. */
  #omit(call: Call<F>): void {
    const names = call.guardrails ?? [];
    const { raw, ask } = call;
    const left = this.#asked.holders.filter((field) => isOmitted(field) && !this.#taken.has(field));
    // Google's surface has put them in its own spelling.
    const sent = [...left, ...left.map(toDocumented)].filter((field) => raw?.body[field] !== undefined);
    if (raw !== null && sent.length > 0) {
      const changes = Object.fromEntries(sent.map((field) => [field, undefined]));
      call.raw = { ...raw, body: changeFields(raw.body, changes) };
      const named = sent.filter((field) => raw.body[field] !== null);
      call.dropped = [...new Set([...call.dropped, ...named])];
    }
    if (names.length > 0 && this.#taken.has("guardrails")) call.ask = { ...ask, ...withoutNamed(ask, names) };
  }
}

/** Hooks of the gateway's own are none of the provider's guardrails. */
function withoutNamed(ask: object, names: readonly NamedGuardrail[]) {
  const own = new Set(names.map(({ param }) => param));
  const { guardrails } = asObject(ask);
  return { guardrails: asArray(guardrails).filter((_one, at) => !own.has(`guardrails[${at}]`)) };
}
