// The answers of batches about files: those that they read, and the objects that are theirs.
import type { StoredObject } from "../core/batches/file.ts";
import type { FileUsers } from "../files/files-ports.ts";
import { listAll } from "./kept-batches.ts";
import { listLiveObjects } from "./objects.ts";
import type { JobPorts } from "./ports.ts";

export function makeFileUsers({ store }: Pick<JobPorts, "store">): FileUsers {
  return {
    async isFileInUse(id) {
      const page = { limit: 1, after: null };
      return (await store.batches.list({ inputFileId: id, isUnfinished: true }, page)).length > 0;
    },
    async listLiveObjects() {
      const objects: StoredObject[] = [];
      for await (const batch of listAll({ store }, {})) objects.push(...listLiveObjects(batch));
      return objects;
    },
    countBytes: (accountId) => store.batches.countBytes(accountId),
  };
}
