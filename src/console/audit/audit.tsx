// Observe → Audit: who did what, and what changed.

import { useState } from "preact/hooks";
import type { AuditView } from "../../admin/audit/audit.ts";
import { makeGatewayUrl } from "../browser.ts";
import { formatClock, formatFullTime, nameDay } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { route } from "../frame/route.ts";
import { Button } from "../parts/button.tsx";
import { Drawer } from "../parts/dialog.tsx";
import { PageHead, QueryFilter } from "../parts/page.tsx";
import { Badge, Empty, type Tone } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";

const ACTIONS = [
  { value: "", label: "Any action" },
  { value: "account", label: "Accounts" },
  { value: "topup", label: "Top-ups" },
  { value: "key", label: "Keys" },
  { value: "token", label: "Tokens" },
  { value: "member", label: "People" },
  { value: "provider", label: "Providers" },
  { value: "alias", label: "Aliases" },
  { value: "session", label: "Sign-ins" },
  { value: "content", label: "Looks at prompts" },
  { value: "export", label: "Exports" },
  { value: "configuration", label: "Configuration" },
];
const OUTCOMES = [
  { value: "", label: "Any outcome" },
  { value: "success", label: "Done" },
  { value: "refused", label: "Refused" },
  { value: "failed", label: "Failed" },
];
const NAMES: Readonly<Record<AuditView["outcome"], string>> = {
  success: "done",
  refused: "refused",
  failed: "failed",
};
const TONES: Readonly<Record<AuditView["outcome"], Tone>> = { success: "ok", refused: "warn", failed: "bad" };

export function AuditPage() {
  const { query } = route.value;
  const filters = { action: query.get("action") ?? "", outcome: query.get("outcome") ?? "" };
  const rows = usePages<AuditView>("/audit", filters);
  const [shown, setShown] = useState<AuditView | null>(null);
  const isFiltered = filters.action !== "" || filters.outcome !== "";
  return (
    <>
      <PageHead
        title="Audit"
        actions={
          <a class="button" href={makeGatewayUrl("/admin/v1/export/audit.csv")} download>
            Export as CSV
          </a>
        }
      >
        Every change, sign-in, refusal and look at prompts. <code>poundkey audit verify</code> proves that no
        row was altered.
      </PageHead>
      <div class="row filters">
        <QueryFilter name="action" label="Action" options={ACTIONS} />
        <QueryFilter name="outcome" label="Outcome" options={OUTCOMES} />
      </div>
      <List
        label="Audit log"
        of={rows}
        skeletons={8}
        columns={makeColumns(setShown)}
        keyOf={({ id }) => id}
        headingOf={({ at }) => nameDay(at)}
        onOpen={setShown}
        empty={<Empty icon="search" title={isFiltered ? "No matching rows" : "Nothing on record yet"} />}
      />
      {shown && <Details row={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function makeColumns(onOpen: (row: AuditView) => void): readonly Column<AuditView>[] {
  return [
    makeColumn("Time", ({ at }) => (
      <span class="nowrap" title={formatFullTime(at)}>
        {formatClock(at)}
      </span>
    )),
    makeHeadColumn("Action", ({ action }) => <span class="strong">{action}</span>),
    makeColumn("Target", ({ target }) => target.name || target.id || target.type),
    makeColumn("By", ({ actor, address }) => actor.name || address || "–"),
    makeColumn("Outcome", ({ outcome, reason }) => (
      <div>
        {outcome === "success" ? (
          <span class="soft">{NAMES[outcome]}</span>
        ) : (
          <Badge text={NAMES[outcome]} tone={TONES[outcome]} hasDot />
        )}
        {reason && <div class="small faint">{reason}</div>}
      </div>
    )),
    {
      label: "",
      as: "narrow",
      cell: (row) => (
        <Button label="Details" about={row.action} kind="quiet" isTiny onClick={() => onOpen(row)} />
      ),
    },
  ];
}

interface AuditFact {
  readonly name: string;
  readonly value: string;
}

interface ChangedField {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const FACTS: readonly Column<AuditFact>[] = [
  makeHeadColumn("Fact", ({ name }) => name),
  makeColumn("Value", ({ value }) => value),
];
const CHANGES: readonly Column<ChangedField>[] = [
  makeHeadColumn("Field", ({ name }) => name),
  makeColumn("Before", ({ before }) => before),
  makeColumn("After", ({ after }) => after),
];

function Details({ row, onClose }: { readonly row: AuditView; readonly onClose: () => void }) {
  const changes = listChanges(row);
  return (
    <Drawer label={row.action} onClose={onClose}>
      <div class="stack">
        <Table label="Facts" columns={FACTS} rows={listFacts(row)} keyOf={({ name }) => name} />
        {changes.length > 0 && (
          <Table label="Changed fields" columns={CHANGES} rows={changes} keyOf={({ name }) => name} />
        )}
      </div>
    </Drawer>
  );
}

/** Facts that aren't known, or were erased, are left out. */
function listFacts({ at, actor, target, address, agent, route, request_id, account_id }: AuditView) {
  const facts = {
    Time: formatFullTime(at),
    By: `${actor.name} (${actor.kind} ${actor.id})`,
    Target: `${target.name} (${target.type} ${target.id})`,
    Account: account_id ?? "",
    Address: address,
    Program: agent,
    Route: route,
    Request: request_id,
  };
  return Object.entries(facts)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => ({ name, value }));
}

function listChanges({ before, after }: AuditView): readonly ChangedField[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({ name, before: show(before?.[name]), after: show(after?.[name]) }));
}

function show(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
