// `poundkey files`: lists and deletes files of clients and batches, also while a gateway runs on the same store.
import { deleteFile, type FileView, listFiles } from "../../admin/models/files.ts";
import type { FileUse } from "../../core/models/file.ts";
import { formatJson, makeCommand, printList, requireOne, type StoreCall } from "../administration.ts";

const HELP = `usage: poundkey files list [--account ID] [--json]
       poundkey files delete ID [--json]

Shows names and sizes of files that clients uploaded or batches made, never their contents. A deleted file is gone at once.

  --account ID              only the files of this account
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey files list --account acct_01
  poundkey files delete file-019a7c`;

export const runFiles = makeCommand(HELP, {
  list: { run: list, flags: { account: "value" }, needs: "store" },
  delete: { run: remove, words: ["ID"], needs: "store" },
});

/** There are no batches yet. */
const NO_BATCHES: FileUse = { isFileInUse: async () => false };

function list(call: StoreCall): Promise<void> {
  const account = call.values.get("account");
  const list: Parameters<typeof printList<FileView>>[1]["list"] = (world, page) =>
    listFiles(world, { ...page, ...(account === undefined ? {} : { account }) });
  return printList(call, { list, columns: COLUMNS, formatCells });
}

async function remove({ words, isJson, io, open }: StoreCall): Promise<void> {
  const id = requireOne(words, "one file's id, as shown by `poundkey files list`");
  const file = await deleteFile(await open(), NO_BATCHES, id);
  io.out(isJson ? formatJson(file) : `Deleted ${file.id} (${file.name}, ${file.bytes} bytes).`);
}

const COLUMNS = ["ID", "NAME", "PURPOSE", "ACCOUNT", "BYTES", "CREATED", "EXPIRES"];

function formatCells({
  id,
  name,
  purpose,
  account_id,
  bytes,
  created_at,
  expires_at,
}: FileView): readonly string[] {
  return [id, name, purpose, account_id, String(bytes), created_at, expires_at];
}
