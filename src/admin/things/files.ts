// The actions on files.
import type { FileUse } from "../../core/batches/file.ts";
import type { FILE } from "../../core/things/file.ts";
import { actAs } from "../audit/audit-trail.ts";
import { deleteFile, fileSchema, filesQuery, listFiles } from "../models/files.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { showView, takePath, takeQuery, type Uses } from "./use.ts";

export function makeFileUses(world: AdminWorld, use: FileUse): Uses<typeof FILE> {
  return {
    list: takeQuery(filesQuery, showView(wrapRows(fileSchema)), (query, { scope }) =>
      listFiles(world, query, scope),
    ),
    end: takePath(showView(fileSchema), ({ act, id, scope }) =>
      deleteFile(actAs(world, act), use, id, scope),
    ),
  };
}
