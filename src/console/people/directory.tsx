// Access → Directory: whether the company's directory tells who is here, its last requests, and where groups and rules meet.
import type { DirectoryView } from "../../admin/people/directory-status.ts";
import { formatCount, formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { Code, CopyButton } from "../parts/button.tsx";
import { type Fact, Facts } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, Loaded, Notice } from "../parts/states.tsx";
import { type Column, GrowingTable, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";

const EVERY_MS = 10_000;
const TOKEN = "poundkey tokens add --name directory --kind scim";

export function DirectoryPage() {
  const directory = useResource<DirectoryView>("/scim", EVERY_MS);
  return (
    <>
      <PageHead title="Directory">
        Microsoft Entra, Okta or another directory tells by SCIM who joined, who left and who is in which
        group.
      </PageHead>
      <Loaded of={directory}>{(view) => (view.on ? <Running view={view} /> : <Setup view={view} />)}</Loaded>
    </>
  );
}

interface ViewProps {
  readonly view: DirectoryView;
}

function Setup({ view: { base_url } }: ViewProps) {
  return (
    <Card title="Let your company's directory tell who is here">
      <ol class="steps">
        <li>
          <h3>Turn it on</h3>
          <p class="soft">
            {base_url === null
              ? "In the configuration file, beside the sign-in with your company's identity provider, which it needs:"
              : "In the configuration file:"}
          </p>
          <Code text="scim: { on: true }" />
        </li>
        <li>
          <h3>Make its token</h3>
          <p class="soft">On the gateway's machine. It is shown once.</p>
          <Code text={TOKEN} />
        </li>
        <li>
          <h3>Tell the directory</h3>
          <p class="soft">
            {base_url === null ? "The address of the gateway" : base_url}, with this token.{" "}
            <a href="/docs/directory" target="_blank" rel="noreferrer">
              The manual
            </a>{" "}
            goes through Entra and Okta click by click.
          </p>
        </li>
      </ol>
    </Card>
  );
}

function Running({ view }: ViewProps) {
  const { base_url, groups, unmet } = view;
  return (
    <div class="stack">
      <Health view={view} />
      <div class="charts">
        <Card title="Connection">
          <div class="stack">
            <div>
              <p class="small faint">The address that the directory gets:</p>
              <div class="secret">
                <code>{base_url}</code>
                <CopyButton text={base_url ?? ""} label="Copy address" />
              </div>
            </div>
            <div>
              <p class="small faint">A new token, made on the gateway's machine:</p>
              <Code text={TOKEN} />
            </div>
          </div>
        </Card>
        <Card title="State">
          <Facts rows={listFacts(view)} />
        </Card>
      </div>
      {unmet.length > 0 && (
        <Notice tone="warn">
          The directory has no group that these rules name: {unmet.join(", ")}. The claims of the sign-in
          decide about them.
        </Notice>
      )}
      <Card title="Groups" isFlush={groups.length > 0}>
        {groups.length === 0 ? (
          <Empty icon="people" title="No groups yet">
            Assign groups to the application in the directory. Rules name them by name or by id.
          </Empty>
        ) : (
          <GrowingTable
            label="Groups"
            rows={groups}
            first={50}
            step={200}
            columns={COLUMNS}
            keyOf={({ id }) => id}
          />
        )}
      </Card>
    </div>
  );
}

function Health({ view: { last_error, last_request_at, users } }: ViewProps) {
  if (last_request_at === null) {
    return <Notice>The directory hasn't sent anything yet. Test the connection there.</Notice>;
  }
  if (last_error === null || last_error.at < last_request_at) {
    return users === 0 ? <Notice>Connected. The first cycle hasn't made a user yet.</Notice> : null;
  }
  const { method, path, status, detail } = last_error;
  return (
    <Notice tone="bad">
      The last request was refused with {status} ({method} {path}): {detail}
    </Notice>
  );
}

function listFacts({
  last_request_at,
  last_change_at,
  last_error,
  ...counts
}: DirectoryView): readonly Fact[] {
  const { users, active, unlinked } = counts;
  return [
    ["Last request", <When key="request" at={last_request_at} />],
    ["Last change", <When key="change" at={last_change_at} />],
    ["Last error", <When key="error" at={last_error?.at ?? null} />],
    ["Users", `${formatCount(users)}, of whom ${formatCount(active)} are active`],
    ["Never signed in", formatCount(unlinked)],
  ];
}

function When({ at }: { readonly at: string | null }) {
  return at === null ? <span>never</span> : <span title={formatFullTime(at)}>{formatRelativeTime(at)}</span>;
}

const COLUMNS: readonly Column<DirectoryView["groups"][number]>[] = [
  makeHeadColumn("Name", ({ name, external_id }) => (
    <div>
      <span class="strong">{name}</span>
      {external_id !== null && <div class="small faint">{external_id}</div>}
    </div>
  )),
  makeNumberColumn("Members", ({ members }) => formatCount(members)),
  makeColumn("Rules", ({ rules }) =>
    rules.length === 0 ? <Badge text="no rule" /> : <span>{rules.map((at) => `rule ${at}`).join(", ")}</span>,
  ),
];
