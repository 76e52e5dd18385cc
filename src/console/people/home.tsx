// The home of people who have nothing here but keys of their own: the rest of their limits, the way to more, their keys, and
// the lines that connect an agent.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { LimitView } from "../../admin/limits/limits.ts";
import type { MemberDetailView } from "../../admin/people/member-detail.ts";
import { getGatewayUrl } from "../browser.ts";
import { formatDay, formatMoney, formatRelativeTime } from "../frame/format.ts";
import { type Names, useNames } from "../frame/names.ts";
import { type Pages, usePages, useResource } from "../frame/resource.ts";
import { may, session } from "../frame/session.ts";
import { KEY_NAME, LAST_USED } from "../keys/key-columns.tsx";
import { KeyDialog, type OpenDialog } from "../keys/keys.tsx";
import { LimitBars, measureShare, sortFullest } from "../limits/limit-bars.tsx";
import { AskForm, type PersonalLimit } from "../limits/limit-request-forms.tsx";
import { describeRequest } from "../limits/request-words.ts";
import { UsageSection } from "../log/usage-section.tsx";
import { Button } from "../parts/button.tsx";
import { ClientTabs } from "../parts/client-tabs.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Meter, Notice } from "../parts/states.tsx";
import { type Column, List, makeNumberColumn } from "../parts/table.tsx";

const EVERY_MS = 15_000;
/** From this share on, the way to more stands out. */
const NEAR_SHARE = 0.8;
/** Stands for the secret, which nobody can show again. */
const ANY_SECRET = "sk-…";

export function HomePage() {
  const { actor } = session.value ?? {};
  const own = useResource<MemberDetailView>(actor ? `/members/${actor.id}` : null, EVERY_MS);
  const asked = usePages<LimitRequestView>("/limit-requests", { state: "open" }, EVERY_MS);
  const keys = usePages<KeyInUseView>("/keys", {}, EVERY_MS);
  const names = useNames();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [asking, setAsking] = useState<readonly PersonalLimit[] | null>(null);
  const add = may("own.keys.write") && (
    <Button label="Add New Key" kind="main" icon="plus" onClick={() => setOpen({ kind: "add" })} />
  );
  return (
    <>
      <PageHead title={actor?.name ? `Hello, ${actor.name}` : "Home"} actions={add}>
        Your keys to the company's models, and what is left of your limits.
      </PageHead>
      <div class="stack">
        {(asked.data ?? []).map((request) => (
          <Notice key={request.id}>
            {`You asked for ${describeRequest(request)}, until ${formatDay(request.until)}. Nobody has decided yet.`}
          </Notice>
        ))}
        {own.data?.limits.map(({ account_id, limits }) => (
          <Left key={account_id} accountId={account_id} limits={limits} names={names} onAsk={setAsking} />
        ))}
        <PersonKeys keys={keys} add={add} />
        <Card
          title="Connect"
          note="Each client's lines. Your key stands where sk-… does; it was shown when you made it."
        >
          <ClientTabs address={getGatewayUrl()} secret={ANY_SECRET} />
        </Card>
        <UsageSection filters={{}} />
      </div>
      {open && <KeyDialog open={open} setOpen={setOpen} reload={keys.reload} />}
      {asking && <AskForm limits={asking} onClose={() => setAsking(null)} onDone={asked.reload} />}
    </>
  );
}

interface LeftProps {
  readonly accountId: string;
  readonly limits: readonly LimitView[];
  readonly names: Names;
  readonly onAsk: (limits: readonly PersonalLimit[]) => void;
}

/** The rest of the limits in one account: the fullest budget in large letters, the other limits below. */
function Left({ accountId, limits, names, onAsk }: LeftProps) {
  const sorted = sortFullest(limits);
  const budget = sorted.find(({ kind }) => kind === "budget");
  const others = sorted.filter((limit) => limit !== budget);
  const isNear = budget !== undefined && measureShare(budget) >= NEAR_SHARE;
  const ask = may("limit_requests.make", accountId) && (
    <Button
      label="Ask for more"
      about={`in ${names.account(accountId)}`}
      {...(isNear ? { kind: "main" } : {})}
      icon="up"
      onClick={() => onAsk(sorted.map((limit) => ({ accountId, limit })))}
    />
  );
  return (
    <Card title={names.account(accountId)} note="Over all of your keys there" actions={ask}>
      {budget && <BudgetLeft budget={budget} />}
      {others.length > 0 && <LimitBars limits={others} of="member" />}
    </Card>
  );
}

function BudgetLeft({ budget }: { readonly budget: LimitView }) {
  const { remaining, limit, used, per, resets_at, models } = budget;
  const words = `${formatMoney(used)} of ${formatMoney(limit)} used`;
  return (
    <div class="left">
      <div class="tile-value">{`${formatMoney(remaining)} left`}</div>
      <div class="soft">
        {`of ${formatMoney(limit)} ${per === "total" ? "in total" : `per ${per}`}`}
        {models && ` for ${models.join(", ")}`}
        {resets_at && `, starts over ${formatRelativeTime(resets_at)}`}
      </div>
      <Meter share={measureShare(budget)} label={words} />
    </div>
  );
}

interface PersonKeysProps {
  readonly keys: Pages<KeyInUseView>;
  readonly add: ComponentChildren;
}

const COLUMNS: readonly Column<KeyInUseView>[] = [
  KEY_NAME,
  makeNumberColumn("Used today", ({ allowance: { used, limit } }) =>
    limit === null ? String(used) : `${used} of ${limit}`,
  ),
  LAST_USED,
];

function PersonKeys({ keys, add }: PersonKeysProps) {
  return (
    <List
      title="My keys"
      label="My keys"
      of={keys}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="key" title="No keys yet" action={add}>
          Make one, and point your agent or program at this gateway with it.
        </Empty>
      }
    />
  );
}
