// Requests for more: one's own limits with a way to ask, and for those who decide, what others ask for.
import { useState } from "preact/hooks";
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { MemberDetailView } from "../../admin/people/member-detail.ts";
import { describeError } from "../frame/api.ts";
import { formatDay, formatFullTime } from "../frame/format.ts";
import { type Names, useNames } from "../frame/names.ts";
import { type Pages, usePages, useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { isMemberOnly, may, session } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, type Tone } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { LimitBars, sortFullest } from "./limit-bars.tsx";
import { AskForm, DecisionForm, type PersonalLimit, sendDecision } from "./limit-request-forms.tsx";
import { describeRequest } from "./request-words.ts";

const EVERY_MS = 10_000;

const STATE_OPTIONS = [
  { value: "", label: "Any state" },
  { value: "open", label: "open" },
  { value: "granted", label: "granted" },
  { value: "refused", label: "refused" },
  { value: "ended", label: "ended" },
];

export function LimitRequestsPage() {
  const [state, setState] = useState("");
  const requests = usePages<LimitRequestView>("/limit-requests", state === "" ? {} : { state }, EVERY_MS);
  const names = useNames();
  const [decided, setDecided] = useState<LimitRequestView | null>(null);
  const isDecider = may("members.limit");
  return (
    <>
      <PageHead title={isMemberOnly() ? "Ask for more" : "Requests for more"}>
        {isDecider
          ? "What members ask for beyond their limits. A granted amount is added at once, and ends by itself."
          : "When a limit is in your way, ask for more until a day. A manager of the account decides."}
      </PageHead>
      <div class="stack">
        {session.value?.actor.kind === "person" && <PersonalLimits names={names} onAsked={requests.reload} />}
        <div class="row filters">
          <Filter label="State" value={state} options={STATE_OPTIONS} onInput={setState} />
        </div>
        <RequestList of={requests} names={names} onDecide={isDecider ? setDecided : null} />
      </div>
      {decided && (
        <DecisionForm
          request={decided}
          what={describeRequest(decided)}
          onClose={() => setDecided(null)}
          onDone={requests.reload}
        />
      )}
    </>
  );
}

interface PersonalLimitsProps {
  readonly names: Names;
  readonly onAsked: () => Promise<void>;
}

/** Nothing while nothing limits the person. */
function PersonalLimits({ names, onAsked }: PersonalLimitsProps) {
  const own = useResource<MemberDetailView>(`/members/${session.value?.actor.id}`, EVERY_MS);
  const [asked, setAsked] = useState<readonly PersonalLimit[] | null>(null);
  const accounts = own.data?.limits.filter(({ account_id }) => may("limit_requests.make", account_id)) ?? [];
  if (own.data !== undefined && accounts.length === 0) {
    return <p class="small faint">No limits of your own: those of your keys and of the account apply.</p>;
  }
  return (
    <>
      {accounts.map(({ account_id, limits }) => (
        <Card
          key={account_id}
          title={`Your limits in ${names.account(account_id)}`}
          note="Over all of your keys there"
          actions={
            <Button
              label="Ask for more"
              about={`in ${names.account(account_id)}`}
              kind="main"
              icon="plus"
              onClick={() => setAsked(sortFullest(limits).map((limit) => ({ accountId: account_id, limit })))}
            />
          }
        >
          <LimitBars limits={limits} of="member" />
        </Card>
      ))}
      {asked && <AskForm limits={asked} onClose={() => setAsked(null)} onDone={onAsked} />}
    </>
  );
}

interface LimitRequestListProps {
  readonly title?: string;
  readonly of: Pages<LimitRequestView>;
  readonly names: Names;
  /** Null for those who decide about nothing. */
  readonly onDecide: ((request: LimitRequestView) => void) | null;
}

export function RequestList({ title, of, names, onDecide }: LimitRequestListProps) {
  return (
    <List
      title={title}
      label="Requests for more"
      of={of}
      columns={makeColumns(names, onDecide, of.reload)}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="limits" title="No requests for more">
          {onDecide
            ? "Members ask on their own page, Ask for more. What they ask for waits here for a decision."
            : "What was asked for appears here, with the decision."}
        </Empty>
      }
    />
  );
}

function makeColumns(
  names: Names,
  onDecide: LimitRequestListProps["onDecide"],
  reload: () => Promise<void>,
): readonly Column<LimitRequestView>[] {
  const ownId = session.value?.actor.id;
  const isMine = ({ member_id }: LimitRequestView) => member_id === ownId;
  return [
    makeHeadColumn("Asked for", (request) => (
      <div>
        <div class="strong">{describeRequest(request)}</div>
        <div class="small faint">
          in {names.account(request.account_id)} {describeTime(request)}
        </div>
      </div>
    )),
    makeColumn("By", (request) =>
      isMine(request) ? (
        "you"
      ) : may("members.read", request.account_id) ? (
        <a href={makeHref(`/settings/people/${request.member_id}`)}>{nameMember(request)}</a>
      ) : (
        nameMember(request)
      ),
    ),
    makeColumn("Reason", ({ reason }) => reason),
    makeColumn("Asked", ({ created_at }) => (
      <span class="nowrap" title={formatFullTime(created_at)}>
        {formatDay(created_at)}
      </span>
    )),
    makeColumn("State", (request) => <Standing of={request} />),
    {
      label: "",
      as: "narrow",
      cell: (request) =>
        onDecide !== null &&
        request.state === "open" &&
        !isMine(request) &&
        may("members.limit", request.account_id) && (
          <Decision request={request} onChange={onDecide} onDone={reload} />
        ),
    },
  ];
}

interface DecisionProps {
  readonly request: LimitRequestView;
  readonly onChange: NonNullable<LimitRequestListProps["onDecide"]>;
  readonly onDone: () => Promise<void>;
}

/** Grants or refuses by one tap. Another amount, or a note, takes the form. */
function Decision({ request, onChange, onDone }: DecisionProps) {
  const about = describeRequest(request);
  const [isBusy, setBusy] = useState(false);
  const decide = async (grant: boolean) => {
    setBusy(true);
    try {
      await sendDecision(request, { grant });
      await onDone();
    } catch (error) {
      toast(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="row tight">
      <Button label="Grant" about={about} kind="main" isTiny isBusy={isBusy} onClick={() => decide(true)} />
      <Button label="Refuse" about={about} isTiny isBusy={isBusy} onClick={() => decide(false)} />
      <Button label="Change" about={about} kind="quiet" isTiny onClick={() => onChange(request)} />
    </div>
  );
}

const TONES: Readonly<Record<LimitRequestView["state"], Tone | undefined>> = {
  open: "accent",
  granted: "ok",
  refused: "bad",
  ended: undefined,
};

function Standing({ of: { state, decided_by, note } }: { readonly of: LimitRequestView }) {
  return (
    <div>
      <Badge text={state} tone={TONES[state]} hasDot />
      {decided_by && (
        <div class="small faint kept">
          by {decided_by.name || (decided_by.kind === "person" ? decided_by.id : "an administrator")}
        </div>
      )}
      {note && <div class="small kept">{note}</div>}
    </div>
  );
}

function nameMember({ member_name, member_id }: LimitRequestView): string {
  return member_name || member_id;
}

function describeTime({ state, until }: LimitRequestView): string {
  return `${state === "ended" ? "ended" : "until"} ${formatDay(until)}`;
}
