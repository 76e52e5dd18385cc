// An account's movements as people read them, one row a request with its hold in small print, or the ledger's own rows.
import { useState } from "preact/hooks";
import type { EntryView } from "../../admin/money/journal.ts";
import { formatBalance, formatClock, formatFullTime, formatUsd, nameDay } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { Check } from "../parts/field.tsx";
import { Badge, Empty, type Tone } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";

const EVERY_MS = 5000;
/** A request's rows stand close together, so that most are whole within one page. */
const PAGE_ROWS = 200;

interface JournalMovement {
  readonly id: string;
  readonly at: string;
  /** A kind of the ledger, or a request's rows as one charge. */
  readonly kind: string;
  /** Negative for a charge. */
  readonly amountUsd: number;
  readonly balanceUsd: number | null;
  /** The amount that was held while the request ran. Null for other movements. */
  readonly heldUsd: number | null;
  readonly writtenOffUsd: number;
  readonly requestId: string | null;
  readonly note: string | null;
}

function toMovement(entry: EntryView): JournalMovement {
  return {
    id: entry.id,
    at: entry.at,
    kind: entry.kind,
    amountUsd: entry.amount_usd,
    balanceUsd: entry.balance_usd,
    heldUsd: null,
    writtenOffUsd: entry.written_off_usd ?? 0,
    requestId: entry.completion_id ?? null,
    note: entry.reason ?? entry.note ?? null,
  };
}

/** Sums of decimal fractions have digits at their end that no amount has. */
const NANO_DIGITS = 9;

function addUsd(amounts: readonly number[]): number {
  return Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(NANO_DIGITS));
}

/**
 * Makes one movement of each request's rows, which are newest first. Left out are requests that are in progress, those
 * that cost nothing, and those whose hold is on the next page.
 */
function foldRequests(entries: readonly EntryView[]): readonly JournalMovement[] {
  const groups = Map.groupBy(entries, (entry) => findRequest(entry) ?? entry.id);
  return [...groups.values()].flatMap((rows) => {
    const [newest] = rows;
    if (!newest) return [];
    if (findRequest(newest) === null) return [toMovement(newest)];
    const hold = rows.find(({ kind }) => kind === "hold");
    const amountUsd = addUsd(rows.map(({ amount_usd }) => amount_usd));
    if (!hold || rows.length === 1 || amountUsd === 0) return [];
    const writtenOffUsd = addUsd(rows.map(({ written_off_usd }) => written_off_usd ?? 0));
    return [
      { ...toMovement(newest), kind: "charge", amountUsd, heldUsd: Math.abs(hold.amount_usd), writtenOffUsd },
    ];
  });
}

/** A debt that a request's hold settles is a movement of its own. */
function findRequest({ kind, completion_id }: EntryView): string | null {
  return kind === "receivable" ? null : (completion_id ?? null);
}

interface JournalProps {
  readonly id: string;
}

export function Journal({ id }: JournalProps) {
  const [isLedger, setLedger] = useState(false);
  const journal = usePages<EntryView>(
    `/accounts/${id}/journal`,
    { limit: PAGE_ROWS, detail: "ledger" },
    EVERY_MS,
  );
  const data = journal.data && (isLedger ? journal.data.map(toMovement) : foldRequests(journal.data));
  return (
    <List
      title="Journal"
      note={isLedger ? "The ledger's own rows, newest first" : "Newest first, one row a request"}
      label="Journal"
      actions={<Check label="Holds and releases" isOn={isLedger} onChange={setLedger} />}
      of={{ ...journal, data }}
      columns={COLUMNS}
      keyOf={({ id: entry }) => entry}
      headingOf={({ at }) => nameDay(at)}
      empty={
        <Empty icon="account" title="No entries yet">
          Top-ups and charges for requests appear here. Requests within an allowance aren't charged.
        </Empty>
      }
    />
  );
}

const KINDS: Readonly<Record<string, { readonly word: string; readonly tone?: Tone }>> = {
  topup: { word: "top-up", tone: "ok" },
  charge: { word: "charge" },
  hold: { word: "held" },
  post: { word: "settled: released" },
  void: { word: "released" },
  overrun: { word: "beyond the hold", tone: "warn" },
  adjustment: { word: "adjusted" },
  payout: { word: "paid out" },
  refund: { word: "refunded", tone: "warn" },
  dispute: { word: "disputed", tone: "bad" },
  receivable: { word: "debt settled" },
};

/** Only money that came in from outside is a gain: what a request's hold gives back never was spent. */
const GAINS: readonly string[] = ["topup"];

const COLUMNS: readonly Column<JournalMovement>[] = [
  makeHeadColumn("Type", ({ kind, note }) => (
    <div class="row">
      <Badge text={KINDS[kind]?.word ?? kind.replaceAll("_", " ")} tone={KINDS[kind]?.tone} />
      {note && <span class="soft">{note}</span>}
    </div>
  )),
  makeColumn("Time", ({ at }) => <span title={formatFullTime(at)}>{formatClock(at)}</span>),
  makeColumn(
    "Request",
    ({ requestId }) =>
      requestId && (
        <a class="mono" href={makeHref(`/activity/${requestId}`)}>
          …{requestId.slice(-8)}
        </a>
      ),
  ),
  makeNumberColumn("Amount", ({ kind, amountUsd, heldUsd, writtenOffUsd }) => (
    <div>
      <div class={GAINS.includes(kind) ? "gain" : ""}>
        {amountUsd > 0 ? "+" : ""}
        {formatUsd(amountUsd)}
      </div>
      {heldUsd !== null && <div class="small faint">of {formatUsd(heldUsd)} held</div>}
      {writtenOffUsd !== 0 && <div class="small faint">{formatUsd(Math.abs(writtenOffUsd))} written off</div>}
    </div>
  )),
  makeNumberColumn("Available after", ({ balanceUsd }) =>
    balanceUsd === null ? "–" : formatBalance(balanceUsd),
  ),
];
