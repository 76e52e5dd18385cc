// `poundkey files`: lists and deletes files of clients and batches, also while a gateway runs on the same store.
import { deleteFile, type FileView, fileSchema, listFiles } from "../../admin/models/files.ts";
import type { ActingWorld } from "../../admin/world.ts";
import { findFileUse } from "../../app/batches.ts";
import { formatJson, makeCommand, printList, requireOne, type StoreCall } from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { ACCOUNT_NAMING, findId } from "../gateway/names.ts";
import { WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey files list [--account ACCOUNT] [--wide] [--json]
       poundkey files delete ID [--json]

Shows names and sizes of files that clients uploaded or batches made, never their contents. A deleted file is gone at once.

  --account ACCOUNT         only the files of this account, by its id or name
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey files list --account acct_01
  poundkey files delete file-019a7c`;

export const runFiles = makeCommand(HELP, {
  list: { run: list, flags: { account: "value", ...WIDE }, needs: "store" },
  delete: { run: remove, words: ["ID"], needs: "store" },
});

const readFile = makeReader(fileSchema);
const readPage = makePageReader(readFile);

async function list(call: StoreCall): Promise<void> {
  const named = call.values.get("account");
  const account = named && (await findId(call.ask, ACCOUNT_NAMING, named));
  const askPage = (after: string | undefined) => ({
    route: { method: "GET", path: "/files" },
    query: { account, after },
    read: readPage,
    here: (world: ActingWorld) => listFiles(world, { account, after }),
  });
  const giveWay = ["ACCOUNT", "CREATED", "PURPOSE", "EXPIRES", "BYTES"];
  return printList(call, { askPage, columns: COLUMNS, giveWay, nothing: "There are no files.", formatCells });
}

async function remove({ words, isJson, io, ask }: StoreCall): Promise<void> {
  const id = requireOne(words, "one file's id, as shown by `poundkey files list`");
  const file = await ask({
    route: { method: "DELETE", path: "/files/:id" },
    parts: { id },
    read: readFile,
    here: (world) => deleteFile(world, findFileUse(world.store), id),
  });
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
