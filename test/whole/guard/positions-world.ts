// A gateway that says which canaries were found in a request.
import type { Call } from "../../../src/gateway/call.ts";
import type { Step } from "../../../src/gateway/step.ts";
import type { Form } from "../../../src/operations/form.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import type { ReadFound } from "./positions-sent.ts";

const RULE = "{ name: all, detect: [email, card] }";
const NUMBERED = /canary-(\d+)@/;

export interface PositionWorld {
  readonly world: UnderTest;
  /** The detectors that found something in the latest request. */
  readonly readFound: ReadFound;
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
  const world = await startUnderTest({ steps: [step], more: `guard: { rules: [${RULE}] }` });
  return {
    world,
    numbered,
    readFound() {
      const seen = latest;
      latest = null;
      return seen && listDetectors(seen);
    },
  };
}

function listDetectors({ guard = [] }: Seen): readonly string[] {
  return guard.map(({ detector }) => detector);
}
