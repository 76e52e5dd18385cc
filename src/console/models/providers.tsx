// Gateway → Providers: those that are on as rows, the known others, and adding a credential to one.
import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { proposeOperatorServer } from "../configuration/operator-server.ts";
import { useOrigins } from "../configuration/origin.tsx";
import { ProposalButton } from "../configuration/proposal.tsx";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { useAdd } from "../lists/asked.ts";
import { Button } from "../parts/button.tsx";
import { Monogram } from "../parts/icon.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { ProviderChoice } from "../providers/provider-choice.tsx";
import { ProviderRows } from "../providers/provider-rows.tsx";
import { CredentialForm } from "./credentials.tsx";
import { isPaused } from "./provider-state.ts";

const EVERY_MS = 5000;

export function ProvidersPage() {
  const providers = useResource<ListPage<ProviderView>>("/providers?all=true", EVERY_MS);
  const settings = useResource<SettingsView>("/settings");
  const [adding, setAdding] = useState<ProviderView | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  useAdd("yes", () => setChoosing(true));
  return (
    <>
      <PageHead title="Providers" actions={<OperatorServerButton all={providers.data?.data ?? []} />}>
        Where requests go. Keys added here are stored encrypted and used by every node within two seconds.
      </PageHead>
      <div class="stack">
        {settings.data?.simulated && (
          <Notice>
            The simulated provider Sim is enabled. It answers without calling anyone, and costs no real money.
          </Notice>
        )}
        <Loaded of={providers}>
          {({ data }) => <ProviderLists all={data} onAdd={setAdding} reload={providers.reload} />}
        </Loaded>
      </div>
      {isChoosing && providers.data && (
        <ProviderChoice of={providers.data.data} onChosen={setAdding} onClose={() => setChoosing(false)} />
      )}
      {adding && (
        <CredentialForm provider={adding} onClose={() => setAdding(null)} onSaved={providers.reload} />
      )}
    </>
  );
}

/** Those that a key in the environment enables end with the first that the file names. */
function OperatorServerButton({ all }: Pick<ListsProps, "all">) {
  const isNamed = useOrigins().find(["providers"]) !== null;
  const others = isNamed
    ? []
    : all.filter(({ on, credentials }) => on && credentials.some(({ source }) => source === "configured"));
  const names = others.map(({ name }) => name).filter((name) => name !== SIMULATED);
  return <ProposalButton label="Own server as YAML" proposal={proposeOperatorServer(names)} />;
}

/** No file can name it. */
const SIMULATED = "Sim";

interface ListsProps {
  readonly all: readonly ProviderView[];
  readonly onAdd: (provider: ProviderView) => void;
  readonly reload: () => Promise<void>;
}

function ProviderLists({ all, onAdd, reload }: ListsProps) {
  const on = all.filter((provider) => provider.on);
  const paused = all.filter(isPaused);
  const off = all.filter((provider) => !provider.on && !isPaused(provider));
  return (
    <>
      {on.length === 0 && (
        <Card>
          <Empty icon="provider" title="No provider is enabled">
            {may("providers.write") && "Add a key to a provider below to use its models right away."}
          </Empty>
        </Card>
      )}
      {on.length + paused.length > 0 && (
        <ProviderRows of={[...on, ...paused]} onAdd={onAdd} reload={reload} />
      )}
      {off.length > 0 && may("providers.write") && <OffCard providers={off} onAdd={onAdd} />}
    </>
  );
}

interface OffCardProps extends Pick<ListsProps, "onAdd"> {
  readonly providers: readonly ProviderView[];
}

function OffCard({ providers, onAdd }: OffCardProps) {
  return (
    <Card title="Not enabled" note="Known providers without a key">
      <ul class="off-list">
        {providers.map((provider) => (
          <li key={provider.name} class="row tight between">
            <Monogram name={provider.name} />
            <div>
              <div class="strong">{provider.name}</div>
              <div class="small faint clip">{provider.base_url.replace(/^https?:\/\//, "")}</div>
            </div>
            <Button
              label="Add key"
              about={`for ${provider.name}`}
              isTiny
              icon="plus"
              onClick={() => onAdd(provider)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
