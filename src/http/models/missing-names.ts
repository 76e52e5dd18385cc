// The admin routes about names that no card has, or had when they were charged.
import { Elysia } from "elysia";
import {
  listMissingModels,
  type MissingModelsParts,
  missingModelSchema,
} from "../../admin/models/unlisted-models.ts";
import { type FamilyPriced, familyPricedSchema } from "../../admin/models/unlisted-prices.ts";
import { wrapRows } from "../../admin/schema.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function missingNameRoutes(operator: WritingParts, parts: MissingModelsParts, priced: FamilyPriced) {
  const { reads } = createOperatorHooks(operator, "Models");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/models/missing", ({ request }) => listMissingModels(parts, readOperator(request).scope), {
      ...reads(
        "requests.read",
        "listMissingModels",
        "List the names that clients asked for in the last 24 hours and that no list has",
      ),
      response: returnsBody(wrapRows(missingModelSchema)),
    })
    .get("/models/family-priced", () => priced.list(), {
      ...reads(
        "reconciliation.read",
        "listFamilyPriced",
        "List the models that were charged at the price of their family and have a price by now",
      ),
      response: returnsBody(wrapRows(familyPricedSchema)),
    });
}
