// One person: limits, usage, roles and where they come from, personal keys, and the ways to give a role and to end access.
import { useState } from "preact/hooks";
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { MemberDetailView } from "../../admin/people/member-detail.ts";
import type { MemberView } from "../../admin/people/members.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatDay, formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { namePerson, useNames } from "../frame/names.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { useScope } from "../frame/scope.ts";
import { may, session } from "../frame/session.ts";
import { LimitBars, sortFullest } from "../limits/limit-bars.tsx";
import { RequestList } from "../limits/limit-requests.tsx";
import { Raise } from "../limits/raise.tsx";
import { Breakdown } from "../log/breakdown.tsx";
import { RequestsLink } from "../log/usage-charts.tsx";
import { UsageSection } from "../log/usage-section.tsx";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { type Fact, Facts } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";
import { Agents } from "./agents.tsx";
import { Grants } from "./grants.tsx";
import { Standing } from "./people.tsx";
import { PersonalKeys } from "./person-keys.tsx";
import { RoleForm } from "./person-role.tsx";
import { Stays } from "./stays.tsx";

const EVERY_MS = 10_000;

type OpenPersonDialog = "role" | "disable" | "anonymise";

export function PersonPage({ id }: { readonly id: string }) {
  const person = useResource<MemberDetailView>(`/members/${id}`, EVERY_MS);
  const [open, setOpen] = useState<OpenPersonDialog | null>(null);
  const close = () => setOpen(null);
  const { data } = person;
  const isOpen = data && data.anonymised_at === null && may("members.write");
  return (
    <>
      <PageHead
        back={{ path: "/settings/people", label: "People" }}
        title={data ? namePerson(data) : id}
        actions={
          data && (
            <>
              {may("requests.read") && <RequestsLink filters={{ member: id }} />}
              {isOpen && <Actions person={data} onOpen={setOpen} reload={person.reload} />}
            </>
          )
        }
      >
        {data?.email}
      </PageHead>
      <Loaded of={person} rows={4}>
        {(one) => (
          <div class="stack">
            {one.keys_expire_at && one.role !== null && (
              <Notice>
                The provider can't be asked about this person, so their personal keys end{" "}
                {formatDay(one.keys_expire_at)}, unless they sign in again before.
              </Notice>
            )}
            <PersonLimits person={one} reload={person.reload} />
            {may("usage.read") && <PersonUse id={one.id} />}
            {/* Disabling pauses the keys, so they are read again. */}
            <PersonalKeys key={String(one.disabled)} memberId={one.id} />
            <AboutPerson person={one} />
            <Agents memberId={one.id} />
            {may("members.read") && <Stays memberId={one.id} />}
          </div>
        )}
      </Loaded>
      {data && open && <PersonDialog person={data} {...{ open, close }} reload={person.reload} />}
    </>
  );
}

/** The roles, and who it is. */
function AboutPerson({ person }: { readonly person: MemberView }) {
  return (
    <div class="charts">
      <Card title="Roles" note="Within an account, the highest counts">
        <div class="stack">
          <Grants of={person.grants} />
          <OwnRole person={person} />
        </div>
      </Card>
      <Card title="Person">
        <Facts rows={listFacts(person)} />
      </Card>
    </div>
  );
}

/** The person's figures, by model, in the accounts that one sees. */
function PersonUse({ id }: { readonly id: string }) {
  const { period } = useScope("30d");
  const reload = { current: async () => {} };
  return (
    <>
      <UsageSection filters={{ member: id }} />
      <Breakdown query={{ ...period, member: id }} reloadRef={reload} />
    </>
  );
}

/** Tells which of the roles don't come from the rules. */
function OwnRole({ person: { own_grants, until } }: { readonly person: MemberView }) {
  if (own_grants.length === 0) return <p class="small faint">All from the rules on the provider's groups.</p>;
  return (
    <div>
      <p class="small faint">Of these, given by an admin{until && `, until ${formatFullTime(until)}`}:</p>
      <Grants of={own_grants} />
    </div>
  );
}

function listFacts(person: MemberView): readonly Fact[] {
  const { id, issuer, created_at, seen_at, content } = person;
  return [
    ["State", <Standing key="state" of={person} />],
    [seen_at === null ? "Made by the directory" : "First signed in", formatDay(created_at)],
    [
      "Last confirmed",
      <span key="seen" title={seen_at === null ? undefined : formatFullTime(seen_at)}>
        {seen_at === null ? "never" : formatRelativeTime(seen_at)}
      </span>,
    ],
    ...listGroupFacts(person),
    ["Prompts and answers", content ? "may read others'" : "their own"],
    ["Provider", issuer],
    ["ID", <code key="id">{id}</code>],
  ];
}

/** Tells which word names each group, once there are two words. */
function listGroupFacts({ groups, provisioned }: MemberView): readonly Fact[] {
  const named = (source: "claims" | "directory") =>
    groups
      .filter((group) => group.source === source)
      .map(({ name }) => name)
      .join(", ");
  const claimed = named("claims");
  return [
    ...(provisioned ? ([["Groups in the directory", named("directory") || "none"]] as const) : []),
    ...(claimed === "" ? [] : ([["Groups in the sign-in", claimed]] as const)),
  ];
}

interface PersonActionsProps {
  readonly person: MemberView;
  readonly onOpen: (open: OpenPersonDialog) => void;
  readonly reload: () => Promise<void>;
}

function Actions({ person, onOpen, reload }: PersonActionsProps) {
  const enable = async () => {
    try {
      await sendChange("PATCH", `/members/${person.id}`, { disabled: false });
      toast(`${namePerson(person)} may sign in again`);
      await reload();
    } catch (error) {
      toast(describeError(error));
    }
  };
  return (
    <>
      {person.disabled ? (
        <Button label="Enable" icon="resume" onClick={enable} />
      ) : (
        <Button label="Disable" icon="pause" onClick={() => onOpen("disable")} />
      )}
      <Button label="Anonymise" icon="trash" onClick={() => onOpen("anonymise")} />
      <Button label="Give a role" kind="main" icon="key" onClick={() => onOpen("role")} />
    </>
  );
}

interface PersonDialogProps {
  readonly person: MemberView;
  readonly open: OpenPersonDialog;
  readonly close: () => void;
  readonly reload: () => Promise<void>;
}

function PersonDialog({ person, open, close, reload }: PersonDialogProps) {
  const name = namePerson(person);
  const isSelf = session.value?.actor.id === person.id;
  const disable = async () => {
    await sendChange("PATCH", `/members/${person.id}`, { disabled: true });
    toast(`${name} was disabled`);
    await reload();
  };
  const anonymise = async () => {
    await sendChange("POST", `/members/${person.id}/anonymise`);
    toast("The person was anonymised");
    await reload();
  };
  switch (open) {
    case "role":
      return <RoleForm person={person} onClose={close} onSaved={reload} />;
    case "disable":
      return (
        <Confirm title={`Disable ${name}?`} action="Disable" run={disable} onClose={close}>
          {isSelf && "This is you. "}Their sessions end and their personal keys stop, both at once. Enabling
          lets them sign in again, and resumes the keys that this paused.
        </Confirm>
      );
    case "anonymise":
      return (
        <Confirm title={`Anonymise ${name}?`} action="Anonymise" run={anonymise} onClose={close}>
          {isSelf && "This is you. "}Their access and personal keys end for good, and their name, e-mail
          address and id at the provider are forgotten. What they used stays in the books, without a name.
          This can't be undone.
        </Confirm>
      );
  }
}

interface PersonLimitsProps {
  readonly person: MemberDetailView;
  readonly reload: () => Promise<void>;
}

/** The limits in each account over all keys there, and what the person asked for. Nothing while there are none. */
function PersonLimits({ person, reload }: PersonLimitsProps) {
  const { id, limits } = person;
  const asked = usePages<LimitRequestView>("/limit-requests", { member: id }, EVERY_MS);
  const names = useNames();
  return (
    <>
      {limits.map((one) => (
        <Card
          key={one.account_id}
          title={`Limits in ${names.account(one.account_id)}`}
          note="Over all keys there"
          actions={<RaiseFullest person={person} of={one} reload={reload} />}
        >
          <LimitBars limits={one.limits} of="member" />
        </Card>
      ))}
      {asked.data !== undefined && asked.data.length > 0 && (
        <RequestList title="Asked for more" of={asked} names={names} onDecide={null} />
      )}
    </>
  );
}

interface RaiseFullestProps extends PersonLimitsProps {
  readonly of: MemberDetailView["limits"][number];
}

function RaiseFullest({ person, of: { account_id, limits }, reload }: RaiseFullestProps) {
  const limit = sortFullest(limits).find(({ kind }) => kind === "budget");
  if (limit === undefined) return null;
  const owner = { scope: "member", id: person.id, name: namePerson(person), account_id, limit } as const;
  return <Raise owner={owner} onDone={reload} />;
}
