// A file that a client uploaded or a batch made. Clients make them, at routes of their own.
import type { Thing } from "./thing.ts";

export const FILE = {
  name: "file",
  tag: "Files",
  actions: {
    list: {
      id: "listStoredFiles",
      method: "GET",
      path: "/files",
      permission: "files.read",
      summary: "List files with their names and sizes, newest first",
    },
    end: {
      id: "deleteStoredFile",
      method: "DELETE",
      path: "/files/:id",
      permission: "files.write",
      summary: "Delete a file",
      audit: "file.deleted",
    },
  },
} as const satisfies Thing;
