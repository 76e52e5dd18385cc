// One tool: what it says of itself, the schema of its arguments, what it costs, and the keys that may call it.

import type { ToolDetailView } from "../../admin/tools/tools.ts";
import { showInvisible } from "../../core/text/names.ts";
import { formatUsd } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { UsageSection } from "../log/usage-section.tsx";
import { Code } from "../parts/button.tsx";
import { Facts } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";

const JSON_INDENT = 2;

export function ToolPage({ id: name }: { readonly id: string }) {
  const tool = useResource<ToolDetailView>(`/mcp/tools/${encodeURIComponent(name)}`);
  const known = tool.data;
  return (
    <>
      <PageHead back={{ path: "/tools", label: "Tools" }} title={<span class="own-words">{name}</span>}>
        {known?.title && <bdi>{known.title}</bdi>}
      </PageHead>
      <div class="stack">
        <Loaded of={tool}>{(data) => <ToolCards tool={data} />}</Loaded>
        {known && <UsageSection filters={{ model: `mcp:${known.server}#${known.tool}` }} />}
      </div>
    </>
  );
}

function ToolCards({ tool }: { readonly tool: ToolDetailView }) {
  const { server, tool: own, description, price_usd: usd } = tool;
  return (
    <>
      <Card title="About" note="As the server describes it to models">
        <div class="stack">
          {description && <p class="own-words">{description}</p>}
          <Facts
            rows={[
              ["Server", <a href={makeHref("/tools", { server })}>{server}</a>],
              ["Name on the server", <code>{showInvisible(own)}</code>],
              ["Price per call", usd === 0 ? "free" : formatUsd(usd)],
              ["Hints", describeHints(tool.annotations)],
            ]}
          />
        </div>
      </Card>
      <Schema title="Arguments" schema={tool.input_schema} />
      <Schema title="Result" schema={tool.output_schema} />
      <Users tool={tool} />
    </>
  );
}

const HINTS: Readonly<Record<string, string>> = {
  readOnlyHint: "only reads",
  destructiveHint: "may destroy",
  idempotentHint: "may be repeated",
  openWorldHint: "reaches others",
};

/** Returns the server's own words on the tool, which nobody checks. */
function describeHints(annotations: ToolDetailView["annotations"]): string {
  const said = Object.entries(annotations ?? {}).flatMap(([name, value]) =>
    value === true && Object.hasOwn(HINTS, name) ? [HINTS[name]] : [],
  );
  return said.length === 0 ? "none" : said.join(", ");
}

interface SchemaProps {
  readonly title: string;
  readonly schema: ToolDetailView["input_schema"];
}

function Schema({ title, schema }: SchemaProps) {
  if (schema === null) return null;
  return (
    <Card title={title} note="Its JSON Schema">
      <Code text={JSON.stringify(schema, null, JSON_INDENT)} />
    </Card>
  );
}

type User = ToolDetailView["users"][number];

function Users({ tool: { users, are_users_complete: areAll } }: { readonly tool: ToolDetailView }) {
  const names = useNames();
  const columns: readonly Column<User>[] = [
    makeHeadColumn("Key", ({ key_id: id, name }) => (
      <a href={makeHref(`/settings/router/${encodeURIComponent(id)}`)}>{name}</a>
    )),
    makeColumn("Account", ({ account_id: id }) => names.account(id)),
  ];
  const note = areAll ? "The keys that may call it" : "The newest keys that may call it; there may be more";
  return (
    <Card title="Who may use it" note={note} isFlush>
      {users.length === 0 ? (
        <Empty icon="key" title="No key may call it">
          Name it in <code>allowed_tools</code> of an account, which nobody has to begin with.
        </Empty>
      ) : (
        <Table label="Keys" columns={columns} rows={users} keyOf={({ key_id: id }) => id} />
      )}
    </Card>
  );
}
