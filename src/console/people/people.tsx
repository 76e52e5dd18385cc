// Access → People: everybody who signed in with the company's identity provider, and before that, how to set it up.
import { useEffect, useState } from "preact/hooks";
import type { MemberView } from "../../admin/people/members.ts";
import type { SignInView } from "../../admin/people/sign-in.ts";
import { formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { type Pages, usePages } from "../frame/resource.ts";
import { makeHref, navigate } from "../frame/route.ts";
import { findProvider, may, ROLES } from "../frame/session.ts";
import { Filter, SearchField } from "../parts/field.tsx";
import { PageHead } from "../parts/page.tsx";
import { Badge, Empty, Notice, type Tone } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { Grants } from "./grants.tsx";
import { NobodyYet, SignInSetup } from "./sign-in-setup.tsx";

const EVERY_MS = 10_000;
const PAGE_ROWS = 200;
const ROLE_OPTIONS = [
  { value: "", label: "Any role" },
  ...ROLES.toReversed().map((role) => ({ value: role, label: role })),
];

export function PeoplePage() {
  const provider = useProvider();
  const [search, setSearch] = useState("");
  const [role, setRole] = useState("");
  const people = usePeople(search.trim() !== "" || role !== "");
  const isFirstDay = people.data?.length === 0;
  const found = people.data?.filter((person) => isFound(person, search.trim().toLowerCase(), role));
  return (
    <>
      <PageHead title="People">
        Everybody who signed in with your company's identity provider, and what they may do. Rules on their
        groups there give them roles; you can add one here.
      </PageHead>
      {isFirstDay && provider && may("members.write") ? (
        provider.provider === null ? (
          <SignInSetup />
        ) : (
          <NobodyYet provider={provider.provider} />
        )
      ) : (
        <>
          {provider?.provider === null && (
            <div class="problems">
              <Notice tone="warn">
                Nobody can sign in now, because <code>sign_in.oidc</code> isn't configured any more.
              </Notice>
            </div>
          )}
          <div class="row filters">
            <SearchField label="Search by name or e-mail address" value={search} onInput={setSearch} />
            <Filter label="Role" value={role} options={ROLE_OPTIONS} onInput={setRole} />
          </div>
          <List
            label="People"
            of={{ ...people, data: found }}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            onOpen={({ id }) => navigate(`/settings/people/${id}`)}
            empty={<Empty icon="search" title={nameNothing(people, isFirstDay)} />}
          />
        </>
      )}
    </>
  );
}

function nameNothing({ more }: Pages<MemberView>, isFirstDay: boolean): string {
  if (isFirstDay) return "Nobody yet";
  return more === null ? "Nobody matches" : "Looking through all people…";
}

/** People, newest first. The gateway doesn't search them, so a page that looks for some of them fetches all. */
function usePeople(isSearched: boolean): Pages<MemberView> {
  const people = usePages<MemberView>("/members", { limit: PAGE_ROWS }, EVERY_MS);
  const known = people.data?.length;
  useEffect(() => {
    if (isSearched) void people.more?.();
  }, [isSearched, known]);
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
  const people = usePeople(true);
  const here = people.data?.filter(({ grants }) => grants.some(({ account }) => account === accountId));
  if (here === undefined || here.length === 0) return null;
  return (
    <List
      title="People"
      note="With a role in this account, besides those who have one everywhere"
      label="People"
      of={{ ...people, data: here }}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      onOpen={({ id }) => navigate(`/settings/people/${id}`)}
      empty={null}
    />
  );
}

/** Names a person who may have been forgotten. */
export function namePerson({ name, email, id, anonymised_at }: MemberView): string {
  return anonymised_at === null ? name || email || id : "Anonymised";
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

const COLUMNS: readonly Column<MemberView>[] = [
  makeHeadColumn("Name", (person) => (
    <div>
      <a class="strong" href={makeHref(`/settings/people/${person.id}`)}>
        {namePerson(person)}
      </a>
      {person.email && <div class="small faint">{person.email}</div>}
    </div>
  )),
  makeColumn("Roles", ({ grants }) => <Grants of={grants} />),
  makeColumn("Last confirmed", ({ seen_at }) => (
    <span title={seen_at === null ? undefined : formatFullTime(seen_at)}>
      {seen_at === null ? "never" : formatRelativeTime(seen_at)}
    </span>
  )),
  makeColumn("State", (person) => <Standing of={person} />),
];
