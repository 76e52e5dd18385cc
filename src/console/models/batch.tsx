// One batch: its lines by outcome, why it waits, mistakes by line, costs against the ceiling, files, and its requests.

import { useState } from "preact/hooks";
import type { BatchDetailView } from "../../admin/models/batches.ts";
import { MISTAKES_KEPT } from "../../core/things/line-outcomes.ts";
import {
  formatCount,
  formatFullTime,
  formatPercent,
  formatRelativeTime,
  formatUsd,
} from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button, CopyButton } from "../parts/button.tsx";
import { type Fact, Facts } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Loaded, Meter, Notice } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { FilesCard } from "./batch-files.tsx";
import {
  CancelBatch,
  describePace,
  describeWait,
  EVERY_MS,
  OutcomeBar,
  OutcomeLegend,
  StatusBadge,
} from "./batch-words.tsx";

/** More mistakes are shown when they are asked for. */
const MISTAKES_SHOWN = 10;

interface BatchPart {
  readonly batch: BatchDetailView;
}

export function BatchPage({ id }: { readonly id: string }) {
  const batch = useResource<BatchDetailView>(`/batches/${encodeURIComponent(id)}`, EVERY_MS);
  const { data } = batch;
  return (
    <>
      <PageHead
        back={{ path: "/batches", label: "Batches" }}
        title="Batch"
        actions={data && <Actions batch={data} onCancelled={() => void batch.reload()} />}
      >
        {data?.endpoint}
      </PageHead>
      <Loaded of={batch}>{(known) => <Detail batch={known} />}</Loaded>
    </>
  );
}

function Actions({ batch, onCancelled }: BatchPart & { readonly onCancelled: () => void }) {
  return (
    <>
      <a class="button" href={makeHref("/activity", { batch: batch.id })}>
        Its requests
      </a>
      {may("batches.cancel", batch.account_id) && <CancelBatch batch={batch} onCancelled={onCancelled} />}
    </>
  );
}

function Detail({ batch }: BatchPart) {
  const { waiting, errors, metadata } = batch;
  return (
    <div class="stack">
      <Lines batch={batch} />
      {waiting !== null && (
        <Notice tone="warn">
          <code>{waiting.code}</code>: {waiting.message} {describeWait(batch)}
          {waiting.models && waiting.models.length > 0 && <Models names={waiting.models} />}
        </Notice>
      )}
      {errors.length > 0 && <Mistakes batch={batch} />}
      <div class="charts">
        <Costs batch={batch} />
        <About batch={batch} />
      </div>
      <FilesCard batch={batch} />
      {metadata !== null && Object.keys(metadata).length > 0 && (
        <Card title="Metadata" note="As its client set it">
          <Facts
            rows={Object.entries(metadata).map(
              ([name, value]): Fact => [name, <span class="own-words">{value}</span>],
            )}
          />
        </Card>
      )}
    </div>
  );
}

/** The models that lines wait for, those of most lines first. */
function Models({ names }: { readonly names: readonly string[] }) {
  return (
    <ul class="plain" aria-label="Models that lines wait for">
      {names.map((name) => (
        <li key={name}>
          <a class="own-words" href={makeHref(`/models/${encodeURIComponent(name)}`)}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Lines({ batch }: BatchPart) {
  const { total, failed, left } = batch.counts;
  return (
    <Card title="Lines" actions={<StatusBadge batch={batch} />}>
      {total === 0 ? (
        <p class="soft">
          {batch.status === "validating" ? "The lines are being checked." : "No line of it ran."}
        </p>
      ) : (
        <div class="stack">
          <OutcomeBar batch={batch} />
          <OutcomeLegend batch={batch} />
          <p class="small faint">
            {[
              `${formatCount(total - left)} of ${formatCount(total)} lines (${formatPercent((total - left) / total)})`,
              describePace(batch),
            ]
              .filter(Boolean)
              .join(", ")}
          </p>
          {failed > 0 && <Unanswered batch={batch} />}
        </div>
      )}
    </Card>
  );
}

/** Says where it stands why lines weren't answered. */
function Unanswered({ batch: { id, surface, outcomes } }: BatchPart) {
  const where = surface === "openai-batches" ? "the file of errors" : "the results";
  return (
    <p class="small">
      Each line without an answer stands in {where}, with its reason.{" "}
      {outcomes.failed > 0 && (
        <a href={makeHref("/activity", { batch: id, status: "error" })}>The requests that failed</a>
      )}
    </p>
  );
}

type BatchLineMistake = BatchDetailView["errors"][number];

const MISTAKE_COLUMNS: readonly Column<BatchLineMistake>[] = [
  makeNumberColumn("Line", ({ line }) => (line === null ? "–" : formatCount(line))),
  makeHeadColumn("Mistake", ({ message }) => <span class="own-words">{message}</span>),
  makeColumn("Code", ({ code }) => <code>{code}</code>),
  makeColumn("Field", ({ param }) => (param === null ? "–" : <code>{param}</code>)),
];

function Mistakes({ batch: { errors } }: BatchPart) {
  const [areAllShown, showAll] = useState(false);
  const shown = areAllShown ? errors : errors.slice(0, MISTAKES_SHOWN);
  const note =
    errors.length < MISTAKES_KEPT
      ? "No line of a file with mistakes runs, and nothing of it is charged"
      : `The first ${MISTAKES_KEPT}. Only these are kept: mend them in the file, and a batch of it names the next`;
  return (
    <Card title="Mistakes" note={note} isFlush>
      <Table
        label="Mistakes"
        columns={MISTAKE_COLUMNS}
        rows={shown}
        keyOf={({ line, code, param }) => `${line} ${code} ${param}`}
      />
      {shown.length < errors.length && (
        <div class="card-body">
          <Button label={`Show all ${errors.length}`} onClick={() => showAll(true)} />
        </div>
      )}
    </Card>
  );
}

function Costs({ batch }: BatchPart) {
  const { cost_usd, charged_usd, estimated_cost_usd, worst_cost_usd, max_cost_usd } = batch;
  const usd = (value: number | null, otherwise: string) => (value === null ? otherwise : formatUsd(value));
  const rows: readonly Fact[] = [
    ["Until now", formatUsd(cost_usd)],
    ["Charged", formatUsd(charged_usd)],
    ["Expected", usd(estimated_cost_usd, "not known")],
    ["At worst", usd(worst_cost_usd, "not known")],
    ["Ceiling", usd(max_cost_usd, "none")],
  ];
  return (
    <Card title="Cost">
      <div class="stack">
        {max_cost_usd !== null && (
          <Meter
            share={cost_usd / max_cost_usd}
            label={`${formatUsd(cost_usd)} of the ceiling of ${formatUsd(max_cost_usd)}`}
          />
        )}
        <Facts rows={rows} />
      </div>
    </Card>
  );
}

const FORMS: Readonly<Record<BatchDetailView["surface"], string>> = {
  "openai-batches": "OpenAI's",
  "anthropic-batches": "Anthropic's",
};

function About({ batch }: BatchPart) {
  const names = useNames();
  const { id, account_id, key_id, surface, window, created_at, expires_at, ended_at, tokens } = batch;
  const end =
    ended_at === null ? `ends ${formatRelativeTime(expires_at)}` : `until ${formatFullTime(expires_at)}`;
  return (
    <Card title="About">
      <Facts
        rows={[
          [
            "Id",
            <span class="row">
              <code class="own-words">{id}</code>
              <CopyButton text={id} label="Copy id" isIconOnly />
            </span>,
          ],
          ["Form", FORMS[surface]],
          ["Account", names.account(account_id)],
          [
            "Key",
            <a href={makeHref(`/settings/router/${encodeURIComponent(key_id)}`)}>{names.key(key_id)}</a>,
          ],
          ["Created", formatFullTime(created_at)],
          ["Window", window === "" ? end : `${window}, ${end}`],
          ...(ended_at === null ? [] : [["Ended", formatFullTime(ended_at)] as const]),
          ["Tokens", `${formatCount(tokens.prompt)} in, ${formatCount(tokens.completion)} out`],
        ]}
      />
    </Card>
  );
}
