// Access → People: everybody who signed in with the company's identity provider, and before that, how to set it up.
import { useEffect, useState } from "preact/hooks";
import type { PeopleSpendingView } from "../../admin/money/people-spending.ts";
import type { MemberView } from "../../admin/people/members.ts";
import type { SignInView } from "../../admin/people/sign-in.ts";
import { type Query, withQuery } from "../frame/api.ts";
import { formatFullTime, formatMoney, formatRelativeTime, nameMonth } from "../frame/format.ts";
import { namePerson } from "../frame/names.ts";
import { type Pages, usePages, useResource } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { findProvider, may, ROLES } from "../frame/session.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { CHOSEN_PEOPLE } from "../lists/chosen-people.ts";
import { ChoiceBox, ChosenBar, type ChosenRows, useChosen } from "../lists/chosen-rows.tsx";
import { BudgetBar, Spent } from "../money/spent.tsx";
import { Filter, SearchField } from "../parts/field.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty, NoFigure, Notice, type Tone } from "../parts/states.tsx";
import {
  type Column,
  List,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
} from "../parts/table.tsx";
import { Grants } from "./grants.tsx";
import { SignInRules } from "./sign-in-rules.tsx";
import { NobodyYet, SignInSetup } from "./sign-in-setup.tsx";

const EVERY_MS = 10_000;
const PAGE_ROWS = 200;
/** The page surely has this many of those who cost the most. */
const DEAREST = 20;
const ROLE_OPTIONS = [
  { value: "", label: "Any role" },
  ...ROLES.toReversed().map((role) => ({ value: role, label: role })),
];

export function PeoplePage() {
  const provider = useProvider();
  const [search, setSearch] = useState("");
  const [role, setRole] = useState("");
  const costs = useCosts();
  const { sorting, order, query } = useChosenOrder("members");
  const isSearched = search.trim() !== "" || role !== "";
  const people = usePeoplePages(isSearched, order ? [] : costs.rows.slice(0, DEAREST), query);
  const chosen = useChosen();
  const isFirstDay = people.data?.length === 0;
  const found = people.data?.filter((person) => isFound(person, search.trim().toLowerCase(), role));
  const sorted = order ? found : found?.toSorted(costs.compare);
  return (
    <>
      <PageHead title="People">
        <CostWords costs={costs} />
        Everybody who signed in with your company's identity provider, and what they may do. Rules on their
        groups there give them roles; you can add one here.
      </PageHead>
      {isFirstDay && provider && may("members.write") ? (
        <FirstDay provider={provider.provider} />
      ) : (
        <>
          {provider?.provider === null && <NobodyNow />}
          <div class="row filters">
            <SearchField label="Search by name or e-mail address" value={search} onInput={setSearch} />
            <Filter label="Role" value={role} options={ROLE_OPTIONS} onInput={setRole} />
          </div>
          <ChosenBar choice={CHOSEN_PEOPLE} chosen={chosen} shown={sorted ?? []} reload={people.reload} />
          <div class="stack">
            <List
              label="People"
              of={{ ...people, data: sorted }}
              columns={makeColumns(costs, chosen)}
              keyOf={({ id }) => id}
              sorting={sorting}
              onOpen={({ id }) => navigate(`/settings/people/${id}`)}
              empty={<Empty icon="search" title={nameNothing(people, isFirstDay)} />}
            />
            <SignInRules />
          </div>
        </>
      )}
    </>
  );
}

function NobodyNow() {
  return (
    <div class="problems">
      <Notice tone="warn">
        Nobody can sign in now, because <code>sign_in.oidc</code> isn't configured any more.
      </Notice>
    </div>
  );
}

function FirstDay({ provider }: Pick<SignInView, "provider">) {
  if (provider === null) return <SignInSetup />;
  return (
    <div class="stack">
      <NobodyYet provider={provider} />
      <SignInRules />
    </div>
  );
}

function nameNothing({ more }: Pages<MemberView>, isFirstDay: boolean): string {
  if (isFirstDay) return "Nobody yet";
  return more === null ? "Nobody matches" : "Looking through all people…";
}

/**
 * People, newest first or in the order that was chosen. The gateway doesn't search them, so a page that looks for some of them fetches all, and so does one
 * that lacks one of the dearest, who stand first.
 */
function usePeoplePages(
  isSearched: boolean,
  dearest: readonly CostRow[] = [],
  order: Query = {},
): Pages<MemberView> {
  const people = usePages<MemberView>("/members", { limit: PAGE_ROWS, ...order }, EVERY_MS);
  const known = people.data?.length;
  const isLacking = dearest.some(({ member_id }) => !people.data?.some(({ id }) => id === member_id));
  useEffect(() => {
    if (isSearched || isLacking) void people.more?.();
  }, [isSearched, isLacking, known]);
  return people;
}

/** Undefined until it is known. */
function useProvider(): SignInView | undefined {
  const [found, setFound] = useState<SignInView>();
  useEffect(() => {
    findProvider().then(setFound, () => undefined);
  }, []);
  return found;
}

function isFound({ name, email, grants }: MemberView, search: string, role: string): boolean {
  const isNamed = [name, email ?? ""].some((text) => text.toLowerCase().includes(search));
  return isNamed && (role === "" || grants.some((grant) => grant.role === role));
}

/** Those with a role in this account alone or among others; people with one everywhere aren't repeated on each account. */
export function AccountPeople({ accountId }: { readonly accountId: string }) {
  const people = usePeoplePages(true);
  const costs = useCosts(accountId);
  const here = people.data
    ?.filter(({ grants }) => grants.some(({ account }) => account === accountId))
    .toSorted(costs.compare);
  if (here === undefined || here.length === 0) return null;
  return (
    <List
      title="People"
      note="With a role in this account, besides those who have one everywhere"
      label="People"
      of={{ ...people, data: here }}
      columns={makeColumns(costs)}
      keyOf={({ id }) => id}
      onOpen={({ id }) => navigate(`/settings/people/${id}`)}
      empty={null}
    />
  );
}

/** Only what is otherwise is said on the list. */
function isActive(person: MemberView): boolean {
  return findStanding(person)[1] === "ok";
}

export function Standing({ of }: { readonly of: MemberView }) {
  const [word, tone] = findStanding(of);
  if (tone === "ok") return <span class="soft">{word}</span>;
  return <Badge text={word} tone={tone} hasDot />;
}

function findStanding(person: MemberView): readonly [word: string, tone?: Tone] {
  const { anonymised_at, disabled, role, state } = person;
  if (anonymised_at !== null) return ["anonymised"];
  if (disabled) return ["disabled", "warn"];
  if (state === "deactivated") return ["deactivated", "warn"];
  if (state === "in_doubt") return ["in doubt", "warn"];
  return role === null ? ["no access"] : ["active", "ok"];
}

type CostRow = PeopleSpendingView["data"][number];

interface PeopleCosts {
  readonly isLoading: boolean;
  /** Undefined until it is known. */
  readonly month: string | undefined;
  /** Those of everybody. */
  readonly rows: readonly CostRow[];
  readonly of: (person: MemberView) => CostRow | undefined;
  /** Undefined also for those who cost nothing, of whose budgets nothing is known here. */
  readonly rowOf: (person: MemberView) => CostRow | undefined;
  /** The dearest first: they are who somebody looks for. */
  readonly compare: (one: MemberView, other: MemberView) => number;
}

const NOTHING_SPENT = { cost_usd: 0, forecast_usd: null, last_month_usd: 0 };

/** The month's sums of all people, in one account or in all that one sees, which are asked for once. */
function useCosts(accountId?: string): PeopleCosts {
  const path = withQuery("/spending/people", { account_id: accountId });
  const { data, isLoading } = useResource<PeopleSpendingView>(may("usage.read") ? path : null);
  const byId = new Map(data?.data.map((row) => [row.member_id, row]));
  const rowOf = ({ id }: MemberView) => byId.get(id);
  const of = (person: MemberView) =>
    data && (rowOf(person) ?? { ...NOTHING_SPENT, member_id: person.id, requests: 0 });
  const costOf = (person: MemberView) => of(person)?.cost_usd ?? 0;
  const lastOf = (person: MemberView) => of(person)?.last_month_usd ?? 0;
  const compare = (a: MemberView, b: MemberView) => costOf(b) - costOf(a) || lastOf(b) - lastOf(a);
  return { isLoading, month: data?.month, rows: data?.data ?? [], of, rowOf, compare };
}

/** The sum of those who are listed, which is less than that of the accounts: service keys have no person. */
function CostWords({ costs: { month, rows } }: { readonly costs: PeopleCosts }) {
  if (month === undefined || rows.length === 0) return null;
  const sum = (pick: (row: CostRow) => number) => formatMoney(rows.reduce((all, row) => all + pick(row), 0));
  return (
    <>
      <span class="strong">{sum(({ cost_usd }) => cost_usd)}</span>
      {` in ${nameMonth(month)}, ${sum(({ last_month_usd }) => last_month_usd)} in the month before. `}
    </>
  );
}

/** Without the chosen ones, none can be chosen. */
function makeColumns(costs: PeopleCosts, chosen?: ChosenRows): readonly Column<MemberView>[] {
  return [
    makeHeadColumn("Name", (person) => <Name of={person} chosen={chosen} />, "name"),
    makeNumberColumn(
      "This month",
      (person) => <Spent row={costs.of(person)} isLoading={costs.isLoading} />,
      "cost",
    ),
    leaveOutNarrow(
      makeNumberColumn("Last month", (person) => (
        <LastMonth row={costs.of(person)} isLoading={costs.isLoading} />
      )),
    ),
    makeColumn("Budget", (person) => <BudgetBar row={costs.rowOf(person)} isLoading={costs.isLoading} />),
    makeColumn("Roles", ({ grants }) => <Grants of={grants} />),
    leaveOutNarrow(
      makeColumn(
        "Last confirmed",
        ({ seen_at }) => (
          <span title={seen_at === null ? undefined : formatFullTime(seen_at)}>
            {seen_at === null ? "never" : formatRelativeTime(seen_at)}
          </span>
        ),
        "seen",
      ),
    ),
  ];
}

interface MemberNameProps {
  readonly of: MemberView;
  readonly chosen: ChosenRows | undefined;
}

function Name({ of, chosen }: MemberNameProps) {
  const name = (
    <div>
      <div class="row tight">
        <a class="strong clip name" href={makeHref(`/settings/people/${of.id}`)} title={namePerson(of)}>
          {namePerson(of)}
        </a>
        {!isActive(of) && <Standing of={of} />}
      </div>
      {of.email && <div class="small faint">{of.email}</div>}
    </div>
  );
  if (chosen === undefined) return name;
  return (
    <div class="row tight">
      <ChoiceBox of={of} choice={CHOSEN_PEOPLE} chosen={chosen} />
      {name}
    </div>
  );
}

function LastMonth({ row, isLoading }: { readonly row: CostRow | undefined; readonly isLoading: boolean }) {
  if (!row) return <NoFigure isLoading={isLoading} />;
  return <span class="faint">{formatMoney(row.last_month_usd)}</span>;
}
