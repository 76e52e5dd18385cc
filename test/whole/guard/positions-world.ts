// A gateway that says which canaries were found in a request.
import type { Call } from "../../../src/gateway/call.ts";
import type { Step } from "../../../src/gateway/step.ts";
import type { Form } from "../../../src/operations/form.ts";
import { collectAsked } from "../../../src/steps/hooks/texts.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { CANARY, type ReadFound } from "./positions-sent.ts";

export interface PositionWorld {
  readonly world: UnderTest;
  /** What was found in the latest request. */
  readonly readFound: ReadFound;
}

export async function startPositions(): Promise<PositionWorld> {
  let latest: { readonly texts: readonly string[] } | null = null;
  const step: Step = {
    before<F extends Form>(call: Call<F>) {
      latest = { texts: collectAsked(call) };
      return null;
    },
    around: () => null,
  };
  const world = await startUnderTest({ steps: [step] });
  return {
    world,
    readFound() {
      const seen = latest;
      latest = null;
      if (seen === null) return null;
      return seen.texts.some((text) => text.includes(CANARY)) ? ["email"] : [];
    },
  };
}
