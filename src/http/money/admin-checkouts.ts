// /admin/v1/accounts/{id}/checkout: top-ups by card.
import { Elysia } from "elysia";
import { requireInAccount } from "../../admin/money/accounts.ts";
import {
  type CheckoutParts,
  checkoutAmountsSchema,
  checkoutSchema,
  makeCheckout,
  newCheckoutSchema,
  viewAmounts,
} from "../../admin/money/checkouts.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

interface CheckoutPorts extends Pick<CheckoutParts, "pages"> {
  readonly rules: () => CheckoutParts["rules"];
}

export function checkoutRoutes(operator: WritingParts, { pages, rules }: CheckoutPorts) {
  const { world } = operator;
  const { reads, writes } = createOperatorHooks(operator, "Accounts");
  const enter = (request: Request, id: string) =>
    requireInAccount(world, readOperator(request).access, "checkouts.make", id);
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/accounts/:id/checkout",
      async ({ params: { id }, request }) => {
        await enter(request, id);
        return viewAmounts(rules());
      },
      {
        ...reads("checkouts.make", "getCheckoutAmounts", "Get the amounts that can be paid by card"),
        response: returnsBody(checkoutAmountsSchema),
      },
    )
    .post(
      "/accounts/:id/checkout",
      async ({ params: { id }, body, request, status }) => {
        await enter(request, id);
        const parts = { ...actAsSender(world, request), pages, rules: rules() };
        return status(201, await makeCheckout(parts, id, body, request.headers.get("idempotency-key")));
      },
      {
        ...writes(
          "checkouts.make",
          "createCheckout",
          "Open a page on which an account is topped up by card, once per `Idempotency-Key`",
        ),
        body: takesBody(newCheckoutSchema),
        response: { 201: returnsBody(checkoutSchema) },
      },
    );
}
