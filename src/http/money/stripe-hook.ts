// POST /hooks/stripe: Stripe's events, known by their signature alone.
import { Elysia } from "elysia";
import { Fault } from "../../core/faults/fault.ts";
import { type HookParts, takeStripeEvent } from "../../payments/hook.ts";
import { type ArrivedBody, type BodyPorts, readHeld } from "../body/body.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import { createJsonResponse } from "../serve/answers.ts";

const BODY = { owner: "stripe", bytesMax: 256 * 1024 } as const;

const ANSWERS = {
  200: { description: "It is in the books, or concerns nothing here." },
  400: { description: "It isn't signed by Stripe within 5 minutes, too large, or of the wrong mode." },
  500: { description: "It can't be booked now: Stripe sends it again." },
} as const;

export function stripeHookRoutes(bodies: BodyPorts, parts: HookParts) {
  return new Elysia().post(
    "/hooks/stripe",
    async ({ request }) => {
      await takeStripeEvent(parts, {
        signature: request.headers.get("stripe-signature"),
        bytes: await readBody(request, bodies),
      });
      return createJsonResponse(200, { received: true });
    },
    {
      parse: "none",
      ...describeRoute("Accounts", "takeStripeEvent", "Take an event from Stripe, signed by it", ANSWERS, {
        type: "object",
      }),
    },
  );
}

/** A signature is over the bytes as they came. */
async function readBody(request: Request, ports: BodyPorts): Promise<Uint8Array> {
  const held = ports.bodies.open();
  try {
    const kind = { checkType: () => {}, parse: ({ bytes }: ArrivedBody) => bytes };
    return await readHeld(request, ports, { ...BODY, held }, kind);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "request_too_large")) throw error;
    throw new Fault("invalid_value", "The body is larger than 256 KB, so it isn't an event from Stripe.");
  } finally {
    held.release();
  }
}
