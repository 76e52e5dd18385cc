// The agents that a person signed in, each with a way to end its sign-in.
import { useState } from "preact/hooks";
import type { DeviceView } from "../../admin/people/devices.ts";
import { sendChange } from "../frame/api.ts";
import { formatDay, formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { type Names, useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may, session } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Card } from "../parts/page.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";

const EVERY_MS = 10_000;

/** Nothing while there are none. */
export function Agents({ memberId }: { readonly memberId: string }) {
  const path = `/members/${memberId}/devices`;
  const agents = useResource<{ readonly data: readonly DeviceView[] }>(path, EVERY_MS);
  const [ended, setEnded] = useState<DeviceView | null>(null);
  const names = useNames();
  const rows = agents.data?.data ?? [];
  if (rows.length === 0) return null;
  const end = async () => {
    await sendChange("DELETE", `${path}/${ended?.id}`);
    toast(`${ended?.agent} was signed out`);
    await agents.reload();
  };
  return (
    <>
      <Card title="Agents" note="Signed in by the person, without a key of their own" isFlush>
        <Table
          label="Agents"
          rows={rows}
          columns={makeColumns(names, memberId === session.value?.actor.id, setEnded)}
          keyOf={({ id }) => id}
        />
      </Card>
      {ended && (
        <Confirm
          title={`Sign out ${ended.agent}?`}
          action="Sign out agent"
          run={end}
          onClose={() => setEnded(null)}
        >
          It gets no further answers until the person signs it in again.
        </Confirm>
      )}
    </>
  );
}

function makeColumns(
  names: Names,
  isOwn: boolean,
  onEnd: (agent: DeviceView) => void,
): readonly Column<DeviceView>[] {
  return [
    makeHeadColumn("Agent", ({ agent, address }: DeviceView) => (
      <div>
        <div class="strong">{agent}</div>
        <div class="small faint">from {address}</div>
      </div>
    )),
    makeColumn("Account", ({ account_id, key_id }: DeviceView) => (
      <a href={makeHref(`/settings/router/${key_id}`)}>{names.account(account_id)}</a>
    )),
    makeColumn("Signed in", ({ created_at }: DeviceView) => formatDay(created_at)),
    makeColumn("Last used", ({ used_at }: DeviceView) => (
      <span title={formatFullTime(used_at)}>{formatRelativeTime(used_at)}</span>
    )),
    {
      label: "",
      as: "narrow",
      cell: (one) =>
        isOwn || may("members.limit", one.account_id) ? (
          <Button
            label="Sign out"
            about={one.agent}
            isTiny
            kind="quiet"
            icon="leave"
            onClick={() => onEnd(one)}
          />
        ) : null,
    },
  ];
}
