// Gateway → Webhooks: events that their receivers have not accepted, why, and sending one again.

import { useState } from "preact/hooks";
import type { DeliveryView, ReceiverView, TestAnswerView } from "../../admin/events/webhooks.ts";
import { makeGatewayUrl } from "../browser.ts";
import { Origin } from "../configuration/origin.tsx";
import { ProposalButton } from "../configuration/proposal.tsx";
import { RECEIVER } from "../configuration/receiver.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatFullTime, formatRelativeTime, formatTime } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Card, PageHead, QueryFilter } from "../parts/page.tsx";
import { Badge, Empty } from "../parts/states.tsx";
import {
  type Column,
  giveWay,
  List,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
  Table,
} from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";

const EVERY_MS = 5000;
const STATES = [
  { value: "", label: "Any state" },
  { value: "waiting", label: "Waiting" },
  { value: "dead", label: "Given up" },
];
const PATH = "/settings/webhooks";

export function WebhooksPage() {
  const { query } = route.value;
  const filters = { state: query.get("state") ?? "", type: query.get("type") ?? "" };
  const deliveries = usePages<DeliveryView>("/webhooks/deliveries", filters, EVERY_MS);
  const isFiltered = filters.state !== "" || filters.type !== "";
  return (
    <>
      <PageHead title="Webhooks" actions={<ProposalButton label="Receiver as YAML" proposal={RECEIVER} />}>
        Events that their receivers haven't accepted yet. Each is sent again for three days, then given up,
        and kept here for a month. <Manual />
      </PageHead>
      <div class="row filters">
        <QueryFilter name="state" label="State" options={STATES} />
        <QueryFilter name="type" label="Event" options={listTypes(deliveries.data ?? [], filters.type)} />
      </div>
      <div class="stack">
        <ReceiversCard />
        <List
          label="Deliveries"
          of={deliveries}
          columns={useColumns(() => void deliveries.reload())}
          keyOf={({ id }) => id}
          empty={<Nothing isFiltered={isFiltered} />}
        />
      </div>
    </>
  );
}

const useReceivers = () => useResource<{ readonly data: readonly ReceiverView[] }>("/webhooks").data?.data;

/** Those of the configuration, whatever waits for them. */
function ReceiversCard() {
  const receivers = useReceivers() ?? [];
  if (receivers.length === 0) return null;
  return (
    <Card title="Receivers" note="In the configuration file's order" isFlush>
      <Table
        label="Receivers"
        columns={listReceiverColumns(receivers)}
        rows={receivers}
        keyOf={({ id }) => id}
      />
    </Card>
  );
}

function listReceiverColumns(all: readonly ReceiverView[]): readonly Column<ReceiverView>[] {
  const test: Column<ReceiverView> = { label: "", as: "narrow", cell: (row) => <Test receiver={row} /> };
  return [
    makeHeadColumn("Host", (row) => (
      <div>
        <div class="strong">{row.host}</div>
        <Origin path={["webhooks", String(all.indexOf(row))]} />
      </div>
    )),
    makeColumn("Form", ({ form, signed }) => (signed ? `${form}, signed` : form)),
    makeColumn("Events", ({ events }) => (events.includes("*") ? "all" : events.join(", "))),
    makeColumn("Accounts", ({ accounts }) => (accounts.includes("*") ? "all" : accounts.join(", "))),
    ...(may("webhooks.write") ? [test] : []),
  ];
}

/** The answer stands beside the button: nothing of a test is listed below. */
function Test({ receiver: { id, host } }: { readonly receiver: ReceiverView }) {
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<TestAnswerView | null>(null);
  const send = async () => {
    setBusy(true);
    setAnswer(null);
    try {
      setAnswer(await sendChange<TestAnswerView>("POST", "/webhooks/test", { id }));
    } catch (error) {
      toast(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="row tight">
      <span role="status" class="small">
        {answer?.accepted && <Badge text={`accepted (${answer.status})`} tone="ok" />}
        {answer && !answer.accepted && <Badge text={answer.reason ?? "refused"} tone="bad" />}
      </span>
      <Button label="Send a test" about={`to ${host}`} isTiny isBusy={isBusy} onClick={send} />
    </div>
  );
}

/** The types of the rows that are shown, and the chosen one. */
function listTypes(rows: readonly DeliveryView[], chosen: string) {
  const types = new Set([...rows.map(({ type }) => type), chosen]);
  const named = [...types].filter((type) => type !== "").toSorted();
  return [{ value: "", label: "Any event" }, ...named.map((value) => ({ value, label: value }))];
}

function Manual() {
  return (
    <a href={makeGatewayUrl("/docs/webhooks")} target="_blank" rel="noreferrer">
      How webhooks work
    </a>
  );
}

/** An empty list is no comfort where there is no receiver. */
function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const receivers = useReceivers();
  if (!isFiltered && receivers?.length === 0)
    return (
      <Empty icon="warning" title="No receiver is configured">
        Nobody is told of budgets near their end, failing providers or keys that end. Add one under{" "}
        <code>webhooks</code> in the configuration file. <Manual />
      </Empty>
    );
  if (!isFiltered)
    return (
      <Empty icon="check" title="Nothing waits">
        The receivers accepted every event that they were sent.
      </Empty>
    );
  return (
    <Empty
      icon="search"
      title="No matching events"
      action={
        <a class="button" href={makeHref(PATH)}>
          Show all
        </a>
      }
    >
      Accepted events aren't listed: the log has a line webhook_delivered for each.
    </Empty>
  );
}

function useColumns(onSent: () => void): readonly Column<DeliveryView>[] {
  const names = useNames();
  const send: Column<DeliveryView> = {
    label: "",
    as: "narrow",
    cell: (row) => <SendAgain delivery={row} onSent={onSent} />,
  };
  return [
    makeColumn("Time", ({ at }) => (
      <span class="nowrap" title={formatFullTime(at)}>
        {formatTime(at)}
      </span>
    )),
    makeHeadColumn("Event", ({ type, account_id }) => (
      <div>
        <div class="strong">{type}</div>
        {account_id !== null && <div class="small faint">{names.account(account_id)}</div>}
      </div>
    )),
    giveWay(
      3,
      makeColumn("Receiver", ({ host }) => host ?? <span class="faint">no longer configured</span>),
    ),
    makeColumn("State", (row) => <State delivery={row} />),
    makeColumn("Why", ({ reason, attempts }) => reason ?? (attempts === 0 ? "not sent yet" : "–")),
    giveWay(
      3,
      makeNumberColumn("Attempts", ({ attempts }) => attempts),
    ),
    ...(may("webhooks.write") ? [send] : []),
  ];
}

function State({ delivery: { state, due_at } }: { readonly delivery: DeliveryView }) {
  return (
    <div>
      <Badge text={state === "dead" ? "given up" : state} tone={state === "dead" ? "bad" : "warn"} hasDot />
      {due_at !== null && <div class="small faint nowrap">next {formatRelativeTime(due_at)}</div>}
    </div>
  );
}

interface SendProps {
  readonly delivery: DeliveryView;
  readonly onSent: () => void;
}

function SendAgain({ delivery: { id, type, host }, onSent }: SendProps) {
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await sendChange("POST", "/webhooks/deliveries", { id });
      toast(`${type} is sent to ${host} once more`);
      onSent();
    } catch (error) {
      toast(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  if (host === null) return null;
  return <Button label="Send again" about={`${type}, ${id}`} isTiny isBusy={isBusy} onClick={send} />;
}
