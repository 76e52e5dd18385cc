// GET /admin/v1/scim: what the company's directory sent, and which of its groups the rules name.
import { Elysia } from "elysia";
import type { DirectoryParts } from "../../admin/people/directory.ts";
import type { DirectorySeen } from "../../admin/people/directory-seen.ts";
import { directorySchema, viewDirectory } from "../../admin/people/directory-status.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody } from "../openapi/route-schema.ts";

export function directoryRoutes(
  operator: WritingParts,
  parts: DirectoryParts,
  seen: Pick<DirectorySeen, "read">,
) {
  const { reads } = createOperatorHooks(operator, "People");
  return new Elysia({ prefix: "/admin/v1" }).get("/scim", () => viewDirectory(parts, seen), {
    ...reads("directory.read", "getDirectory", "Get what the company's directory sent, and its groups"),
    response: returnsBody(directorySchema),
  });
}
