// Repeats of a request with an Idempotency-Key: they get the first one's answer, and nothing is made twice.
import { Fault } from "../../core/faults/fault.ts";
import { asObject, asString, isObject, parseJson } from "../../core/json/json.ts";
import {
  EarlierRequest,
  REPEAT_KEPT_MS,
  REPEAT_SECRET_MS,
  type RepeatClaim,
  type RepeatRecord,
} from "../../core/people/repeats.ts";
import type { Action } from "../../core/things/thing.ts";
import type { Clock, Vault } from "../../core/world/world.ts";
import { readIdempotencyKey } from "../input.ts";
import type { AdminWorld } from "../world.ts";
import type { Call, Outcome, Use } from "./use.ts";

export interface RepeatParts extends AdminWorld {
  readonly vault: Vault;
  readonly clock: Pick<Clock, "nowMs" | "after">;
}

/** An answer that is being made takes far less, so it is lost after that: its process was killed. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 25;
const TOKEN_BYTES = 12;
const PATH_PART = /:(\w+)/g;

/** Returns the use with repeats, if its action is one that makes something or sets it by name. */
export function makeRepeatable(parts: RepeatParts, action: Action, use: Use): Use {
  if (action.method !== "POST" && action.method !== "PUT") return use;
  return {
    ...use,
    run: (call) =>
      call.idempotencyKey === null
        ? use.run(call)
        : runOnce(parts, { action, use, call, key: call.idempotencyKey }),
  };
}

interface KeyedCall {
  readonly action: Action;
  readonly use: Use;
  readonly call: Call;
  readonly key: string;
}

async function runOnce(parts: RepeatParts, keyed: KeyedCall): Promise<Outcome> {
  const { repeats } = parts.store;
  const claim = makeClaim(parts, keyed);
  const known = await repeats.find(claim.id, claim.atMs - REPEAT_KEPT_MS);
  if (known !== null) return answerAgain(parts, claim, known);
  try {
    if (keyed.action.method !== "GET" && keyed.action.isNoted) await repeats.claim(claim);
    const outcome = await keyed.use.run({ ...keyed.call, act: { ...keyed.call.act, claim } });
    await repeats.keepAnswer(claim, sealAnswer(parts.vault, claim, outcome));
    return outcome;
  } catch (error) {
    if (error instanceof EarlierRequest) return answerAgain(parts, claim, error.earlier);
    throw error;
  }
}

function makeClaim({ vault, clock, random }: RepeatParts, { action, call, key }: KeyedCall): RepeatClaim {
  const { kind, id } = call.act.actor;
  const actor = `${kind} ${id}`;
  const path = action.path.replace(PATH_PART, (_, name: string) => encodeURIComponent(call.readPart(name)));
  const named = readIdempotencyKey(key, "Idempotency-Key");
  return {
    actor,
    atMs: clock.nowMs(),
    id: vault.digest(JSON.stringify(["repeat", actor, action.method, path, named])),
    bodyDigest: vault.digest(JSON.stringify(["repeated body", sortFields(call.body)])),
    token: Buffer.from(random.bytes(TOKEN_BYTES)).toString("hex"),
  };
}

/** The order of its fields is not part of a body. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return fields.map(([name, field]) => [name, sortFields(field)]);
}

const nameUse = (part: "answer" | "secret", { id }: Pick<RepeatClaim, "id">) => `${part} of repeat ${id}`;

function sealAnswer(vault: Vault, claim: RepeatClaim, { status, view }: Outcome) {
  const secret = "secret" in view ? asString(view.secret) : undefined;
  const shown = secret === undefined ? view : { ...view, secret: null };
  return {
    answer: vault.seal(JSON.stringify({ status, view: shown }), nameUse("answer", claim)),
    secret: secret === undefined ? null : vault.seal(secret, nameUse("secret", claim)),
  };
}

/** Throws the Faults `idempotency_mismatch` and `idempotency_unavailable`. */
async function answerAgain(parts: RepeatParts, claim: RepeatClaim, found: RepeatRecord): Promise<Outcome> {
  if (found.bodyDigest !== claim.bodyDigest) {
    const message = "This Idempotency-Key was already used with a different body.";
    throw new Fault("idempotency_mismatch", message, { param: "Idempotency-Key" });
  }
  const { answer, secret, atMs } = await waitForAnswer(parts, found);
  if (answer === null) {
    const message =
      "A request with this Idempotency-Key was carried out, but its answer was lost. Look at what is there before you send another key.";
    throw new Fault("idempotency_unavailable", message, { param: "Idempotency-Key" });
  }
  const { status, view } = asObject(parseJson(parts.vault.open(answer, nameUse("answer", found))));
  const isShown = secret !== null && claim.atMs < atMs + REPEAT_SECRET_MS;
  const shown = isShown ? { secret: parts.vault.open(secret, nameUse("secret", found)) } : {};
  return { status: Number(status), view: { ...asObject(view), ...shown } };
}

/** The first request may still be about to be answered, here or on another node. */
async function waitForAnswer({ store, clock }: RepeatParts, found: RepeatRecord): Promise<RepeatRecord> {
  let seen = found;
  const untilMs = Math.min(clock.nowMs(), found.atMs) + WAIT_MS;
  while (seen.answer === null && clock.nowMs() < untilMs) {
    await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
    seen = (await store.repeats.find(found.id, 0)) ?? seen;
  }
  return seen;
}
