// Tools: the company's tool servers with how they are and what they cost, and their tools.

import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { ToolServerView } from "../../admin/tools/tool-servers.ts";
import type { ToolView } from "../../admin/tools/tools.ts";
import { showInvisible } from "../../core/text/names.ts";
import { getGatewayUrl, makeGatewayUrl } from "../browser.ts";
import { ProposalButton } from "../configuration/proposal.tsx";
import { TOOL_SERVER } from "../configuration/tool-server.ts";
import { formatUsd } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages, useResource } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { Button } from "../parts/button.tsx";
import { ClientTabs } from "../parts/client-tabs.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { PageHead, QueryFilter } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";
import { ServersCard } from "./servers.tsx";

const EVERY_MS = 10_000;
const PATH = "/tools";

export function ToolsPage() {
  const servers = useResource<ListPage<ToolServerView>>("/mcp/servers", EVERY_MS);
  const [isConnecting, setConnecting] = useState(false);
  const hasServers = (servers.data?.data.length ?? 0) > 0;
  return (
    <>
      <PageHead
        title="Tools"
        actions={
          <>
            {hasServers && <Button label="How to connect" onClick={() => setConnecting(true)} />}
            <ProposalButton label="Server as YAML" proposal={TOOL_SERVER} />
          </>
        }
      >
        The company's tool servers (MCP) at one address, for the same keys. <Manual />
      </PageHead>
      <div class="stack">
        <Loaded of={servers}>
          {({ data }) =>
            data.length === 0 ? (
              <Nothing />
            ) : (
              <>
                <ServersCard servers={data} />
                <Tools servers={data} />
              </>
            )
          }
        </Loaded>
      </div>
      {isConnecting && <Connect onClose={() => setConnecting(false)} />}
    </>
  );
}

function Manual() {
  return (
    <a href={makeGatewayUrl("/docs/tool-servers")} target="_blank" rel="noreferrer">
      How tool servers work
    </a>
  );
}

function Nothing() {
  return (
    <div class="card">
      <Empty icon="tools" title="No tool servers">
        An administrator names them in the configuration, under <code>mcp.servers</code>.
      </Empty>
    </div>
  );
}

function Connect({ onClose }: { readonly onClose: () => void }) {
  const foot = <Button label="Done" kind="main" onClick={onClose} />;
  return (
    <Dialog title="Connect a client" isWide onClose={onClose} foot={foot}>
      <p>
        A client has the tools that its key may call. Put one of your keys in the place of <code>{KEY}</code>,
        and <code>/mcp/NAME</code> in that of <code>/mcp</code> for the tools of a single server.
      </p>
      <ClientTabs address={getGatewayUrl()} secret={KEY} to="tools" />
    </Dialog>
  );
}

const KEY = "sk-…";

function Tools({ servers }: { readonly servers: readonly ToolServerView[] }) {
  const { query } = route.value;
  const key = query.get("key") ?? "";
  const filters = { server: query.get("server") ?? "", key };
  const { sorting, query: order } = useChosenOrder("tools");
  const tools = usePages<ToolView>("/mcp/tools", { ...filters, ...order });
  const { keys } = useNames();
  const none = (label: string) => ({ value: "", label });
  return (
    <div>
      <div class="row filters">
        <QueryFilter
          name="server"
          label="Server"
          options={[none("Any server"), ...servers.map(({ name }) => ({ value: name, label: name }))]}
        />
        <QueryFilter
          name="key"
          label="Key"
          options={[none("Any key"), ...keys.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      </div>
      <List
        title="Tools"
        label="Tools"
        of={tools}
        columns={key === "" ? COLUMNS : [...COLUMNS, ALLOWED]}
        keyOf={({ name }) => name}
        sorting={sorting}
        empty={
          <Empty icon="search" title="No tools">
            The servers show none, or you may see none of them.
          </Empty>
        }
      />
    </div>
  );
}

/** Descriptions are written for models, often at length. */
function cutDescription(description: string): string {
  const [line = ""] = description.trim().split("\n");
  return line.length > 160 ? `${line.slice(0, 160).toWellFormed()}…` : line;
}

const COLUMNS: readonly Column<ToolView>[] = [
  makeHeadColumn(
    "Tool",
    ({ name, server, tool, description }) => (
      <div>
        <a href={makeHref(`${PATH}/${encodeURIComponent(name)}`)}>
          <span class="faint">{server}_</span>
          <span class="strong">{showInvisible(tool)}</span>
        </a>
        {description && <div class="small faint own-words">{cutDescription(description)}</div>}
      </div>
    ),
    "name",
  ),
  makeNumberColumn("Per call", ({ price_usd: usd }) => (usd === 0 ? "free" : formatUsd(usd)), "price"),
];

const ALLOWED: Column<ToolView> = makeColumn("This key", ({ allowed }) =>
  allowed ? <Badge text="may call it" tone="ok" hasDot /> : <span class="faint">may not</span>,
);
