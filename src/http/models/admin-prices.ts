// /admin/v1/catalogue: the changes that a watched list of prices has, and their acceptance.
import { Elysia } from "elysia";
import {
  acceptedSchema,
  acceptPrices,
  acceptSchema,
  type PriceReviewParts,
  priceReviewSchema,
  reviewPrices,
} from "../../admin/models/price-review.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";

export function priceRoutes(operator: WritingParts, parts: PriceReviewParts) {
  const { reads, writes } = createOperatorHooks(operator, "Models");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/catalogue", () => reviewPrices(parts, operator.world), {
      ...reads(
        "settings.read",
        "getPriceChanges",
        "List what the watched list of prices would change, and what the last 30 days would have cost",
      ),
      response: returnsBody(priceReviewSchema),
    })
    .post(
      "/catalogue",
      ({ body, request }) => acceptPrices(parts, actAsSender(operator.world, request), body),
      {
        ...writes("models.write", "acceptPriceChanges", "Take the list's changes into the catalogue file"),
        body: takesBody(acceptSchema),
        response: returnsBody(acceptedSchema),
      },
    );
}
