// The files of a batch, to download for the person whose key made them.

import type { BatchDetailView } from "../../admin/models/batches.ts";
import { makeGatewayUrl } from "../browser.ts";
import { formatBytes, formatFullTime } from "../frame/format.ts";
import { session } from "../frame/session.ts";
import { Card } from "../parts/page.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";

type BatchFile = BatchDetailView["files"][number];

const FILE_WORDS: Readonly<Record<BatchFile["of"], string>> = {
  input: "Input",
  output: "Answers",
  errors: "Errors",
};

const FILE_COLUMNS: readonly Column<BatchFile>[] = [
  makeHeadColumn("File", (file) => (
    <div>
      {FILE_WORDS[file.of]}
      <div class="small faint own-words">{file.name}</div>
    </div>
  )),
  makeNumberColumn("Size", ({ bytes }) => formatBytes(bytes)),
  makeColumn("Kept until", ({ expires_at }) => formatFullTime(expires_at)),
  makeColumn("", (file) => <Download file={file} />),
];

/** Contents are only for the person whose key made them. */
function Download({ file: { id, member_id, of } }: { readonly file: BatchFile }) {
  if (member_id === null || member_id !== session.value?.actor.id) return null;
  return (
    <a
      class="button tiny"
      href={makeGatewayUrl(`/admin/v1/files/${id}/content`)}
      download={`${id}.jsonl`}
      aria-label={`Download ${FILE_WORDS[of].toLowerCase()}`}
    >
      Download
    </a>
  );
}

export function FilesCard({ batch }: { readonly batch: BatchDetailView }) {
  const { files, surface, id } = batch;
  if (surface === "anthropic-batches")
    return (
      <Card title="Results">
        <p class="soft">
          The key that made it reads them at <code>/v1/messages/batches/{id}/results</code> once it has ended.
        </p>
      </Card>
    );
  if (files.length === 0)
    return (
      <Card title="Files">
        <p class="soft">None of its files is kept any more.</p>
      </Card>
    );
  return (
    <Card title="Files" note="Read by the keys that made them, and by their person here" isFlush>
      <Table label="Files" columns={FILE_COLUMNS} rows={files} keyOf={({ id: file }) => file} />
    </Card>
  );
}
