// /admin/v1/guard: the guard's rules, and a trial of them.
import { Elysia } from "elysia";
import {
  GUARD_TRY_BYTES_MAX,
  type GuardParts,
  guardSchema,
  guardTriedSchema,
  guardTrySchema,
  tryGuard,
  viewGuard,
} from "../../admin/models/guard.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function guardRoutes(operator: WritingParts, parts: GuardParts) {
  const { reads, readsBody } = createOperatorHooks(operator, "Guard");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/guard", () => viewGuard(parts), {
      ...reads("settings.read", "getGuard", "Get the guard's rules, and how many words its lists have"),
      response: returnsBody(guardSchema),
    })
    .post("/guard/try", ({ body, request }) => tryGuard(parts, body, readOperator(request).access), {
      ...readsBody(
        "settings.check",
        "tryGuard",
        "Try the guard's rules on a text or a body, which is sent to nobody and kept nowhere",
        { bytesMax: GUARD_TRY_BYTES_MAX },
      ),
      body: takesBody(guardTrySchema),
      response: returnsBody(guardTriedSchema),
    });
}
