// /admin/v1/files/:id/content: a file's bytes for the person whose key made it, and for nobody else.
import { Elysia } from "elysia";
import type { StoredFile } from "../../core/batches/file.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Store } from "../../core/store.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { readOperator } from "../people/operator.ts";
import type { HttpPorts } from "../ports.ts";
import { createContentResponse } from "./content.ts";

interface AdminContentPorts extends Pick<HttpPorts, "files" | "bodies" | "clock"> {
  readonly store: Pick<Store, "files">;
}

export function adminContentRoutes(operator: WritingParts, ports: AdminContentPorts) {
  const { reads } = createOperatorHooks(operator, "Files");
  return new Elysia({ prefix: "/admin/v1" }).get(
    "/files/:id/content",
    async ({ params: { id }, request }) => {
      const file = await findSenderFile(ports, id, request);
      return createContentResponse(ports, file.owner.accountId, file);
    },
    reads("files.read", "downloadAdminFile", "Get the bytes of a file that a key of your own made"),
  );
}

/** Throws the Faults `not_found` for a file beyond the sender's rows, and `not_permitted` for one of somebody else. */
async function findSenderFile(
  { store, clock }: AdminContentPorts,
  id: string,
  request: Request,
): Promise<StoredFile> {
  const { access, scope } = readOperator(request);
  const query = { id, scope, aliveMs: clock.nowMs(), order: "newest", limit: 1 } as const;
  const [file] = await store.files.list(query);
  if (file === undefined) throw new Fault("not_found", "There is no file with that id.");
  const { memberId } = file.owner;
  if (memberId !== null && memberId === access.memberId) return file;
  const message =
    "Only the person whose key made a file reads it here. Its keys read it at /v1/files/{id}/content.";
  throw new Fault("not_permitted", message);
}
