// A gateway with a rule of each action, whose provider says in its answer what it got in a value's place.
import type { Call } from "../../../../src/gateway/call.ts";
import type { Step } from "../../../../src/gateway/step.ts";
import type { Form } from "../../../../src/operations/form.ts";
import { startUnderTest, type UnderTest } from "../../../harness/harness.ts";
import { ACTIONS, type Action, CANARY, CARD, REPEATED } from "./values.ts";

const RULES = ACTIONS.map(
  (action) => `{ name: ${action}, detect: [email, card], action: ${action}, keys: [] }`,
);
const NUMBERED = /canary-(\d+)@/;
const PLACEHOLDER = /<?\b(EMAIL|CARD)_[0-9A-HJKMNP-TV-Z]{8}\b>?/g;
/** Words of the simulator's answers to a completed body. */
const ANSWERED = /hello|and so on/;

export interface PositionWorld {
  readonly world: UnderTest;
  /** A key for each action, whose only rule has it. */
  readonly secrets: Readonly<Record<Action, string>>;
  /** The canaries' placeholders, by detector. */
  readonly placeholders: Readonly<Record<"email" | "card", string>>;
  /** The detectors that found something in the latest request. Null if none came as far as the steps. */
  readonly readFound: () => readonly string[] | null;
  /** The same of all requests whose canaries have numbers, by number. */
  readonly numbered: Map<number, readonly string[]>;
}

interface Seen {
  readonly guard?: readonly { readonly detector: string }[];
}

/** Findings are read of the calls themselves, behind the guard. */
export async function startPositions(): Promise<PositionWorld> {
  const numbered = new Map<number, readonly string[]>();
  let latest: Seen | null = null;
  const step: Step = {
    before<F extends Form>(call: Call<F>) {
      latest = call;
      const [, number] = NUMBERED.exec(JSON.stringify([call.raw?.body, call.ask])) ?? [];
      if (number !== undefined) numbered.set(Number(number), listDetectors(call));
      return null;
    },
    around: () => null,
  };
  const said = new Set<string>();
  const world = await startUnderTest({
    steps: [step],
    more: `guard: { rules: [${RULES.join(", ")}] }`,
    fetch: (url, init) => echo(url, init, said),
  });
  const keys = ACTIONS.map(
    async (action) =>
      [
        action,
        (await world.newKey({ name: action, guard: [action], requests_per_day: null })).secret,
      ] as const,
  );
  const secrets = Object.fromEntries(await Promise.all(keys)) as Record<Action, string>;
  const placeholders = await findPlaceholders(world, secrets.swap);
  for (const one of Object.values(placeholders)) said.add(one);
  return {
    world,
    secrets,
    placeholders,
    numbered,
    readFound() {
      const seen = latest;
      latest = null;
      return seen && listDetectors(seen);
    },
  };
}

/** An account has one placeholder for a value in all its requests. */
async function findPlaceholders(world: UnderTest, secret: string) {
  const content = `${CANARY} ${CARD}`;
  await world.chat({ model: "Local#sim", messages: [{ role: "user", content }] }, { secret });
  const sent = JSON.stringify(world.simulator.calls.last()?.body);
  const find = (mark: string) => sent.match(PLACEHOLDER)?.find((one) => one.includes(`${mark}_`)) ?? "";
  return { email: find("EMAIL"), card: find("CARD") };
}

/** Calls the provider, and writes into its answer the placeholders that it got, and those that it is said to know. */
async function echo(url: string, init: RequestInit, known: ReadonlySet<string>): Promise<Response> {
  const response = await fetch(url, init);
  const got = typeof init.body === "string" ? init.body : new TextDecoder().decode(readBytes(init.body));
  const said = new Set([...known, ...(got.match(PLACEHOLDER) ?? [])]);
  const type = response.headers.get("content-type") ?? "";
  if (said.size === 0 || !/json|event-stream/.test(type)) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  const text = (await response.text()).replace(ANSWERED, `${REPEATED} ${[...said].join(" ")}`);
  return new Response(text, { status: response.status, headers });
}

function readBytes(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function listDetectors({ guard = [] }: Seen): readonly string[] {
  return guard.map(({ detector }) => detector);
}
