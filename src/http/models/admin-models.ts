// /admin/v1/models/{id}: shows and changes what a model refuses, at run time.
import { Elysia } from "elysia";
import {
  changeModelRules,
  getModelRules,
  type ModelRulesParts,
  modelChangeSchema,
  modelRulesSchema,
} from "../../admin/models/model-rules.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";

export function modelRulesRoutes(operator: WritingParts, parts: ModelRulesParts) {
  const { reads, writes } = createOperatorHooks(operator, "Models");
  const rules = returnsBody(modelRulesSchema);
  const as = (request: Request) => ({ ...parts, changes: actAsSender(operator.world, request).changes });
  return new Elysia({ prefix: "/admin/v1" })
    .get("/models/:id", ({ params: { id } }) => getModelRules(parts, decode(id)), {
      ...reads("models.read", "getModelRules", "Get what a model refuses, and what its provider has refused"),
      response: rules,
    })
    .patch(
      "/models/:id",
      ({ params: { id }, body, request }) => changeModelRules(as(request), decode(id), body),
      {
        ...writes("models.write", "changeModelRules", "Change what a model refuses"),
        body: takesBody(modelChangeSchema),
        response: rules,
      },
    );
}

/** Ids contain `#` and often `/`, so they are percent-encoded, by some clients twice. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
