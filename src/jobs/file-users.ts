// The answers of batches about files: those that they read, and the objects that are theirs.
import { type Batch, hasEnded } from "../core/batches/batch.ts";
import type { StoredObject } from "../core/batches/file.ts";
import type { FileUsers } from "../files/files-ports.ts";
import { listAll } from "./kept-batches.ts";
import { countLeft } from "./lines.ts";
import { listObjects } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

export function makeFileUsers({ store }: Pick<JobPorts, "store">): FileUsers {
  return {
    async isFileInUse(id) {
      for await (const batch of listAll({ store }, { inputFileId: id, isUnfinished: true }))
        if (readsInput(batch)) return true;
      return false;
    },
    async listLiveObjects() {
      const objects: StoredObject[] = [];
      for await (const batch of listAll({ store }, {})) objects.push(...listObjects(batch));
      return objects;
    },
    countBytes: (accountId) => store.batches.countBytes(accountId),
  };
}

/** Lines that have ended need no input any more, even if their results wait for room. */
function readsInput(batch: Batch): boolean {
  const { status, detail } = batch;
  return !hasEnded(batch) && (status === "validating" || countLeft(detail.counts) > 0);
}
