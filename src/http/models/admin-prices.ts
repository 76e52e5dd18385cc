// /admin/v1/catalogue: the changes that a watched list of prices has, and their acceptance.
import { Elysia } from "elysia";
import { acceptPrices, type PriceReviewParts, reviewPrices } from "../../admin/models/price-review.ts";
import {
  acceptedSchema,
  acceptSchema,
  priceReviewSchema,
  reviewQuery,
} from "../../admin/models/price-review-schema.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody, takesQuery } from "../openapi/route-schema.ts";

export function priceRoutes(operator: WritingParts, parts: PriceReviewParts) {
  const { reads, writes } = createOperatorHooks(operator, "Models");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/catalogue", ({ query }) => reviewPrices(parts, operator.world, query), {
      ...reads(
        "settings.read",
        "getPriceChanges",
        "List what the watched list of prices would change, and what the last 30 days would have cost",
      ),
      query: takesQuery(reviewQuery),
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
