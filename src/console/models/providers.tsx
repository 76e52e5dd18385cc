// Gateway → Providers: their health and credentials; adding, replacing, pausing, removing and testing credentials.
import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import type { SettingsView } from "../../admin/models/settings-schema.ts";
import { Origin, useOrigins } from "../configuration/origin.tsx";
import { makeOwnServer } from "../configuration/own-server.ts";
import { ProposalButton } from "../configuration/proposal.tsx";
import { formatCount, formatDuration, formatFullTime, formatPercent } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { CredentialList } from "../lists/credential-list.tsx";
import { describeFailure } from "../log/failure.tsx";
import { Button } from "../parts/button.tsx";
import { Vitals } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Empty, Loaded, Notice } from "../parts/states.tsx";
import { CredentialForm } from "./credentials.tsx";
import { PausedPayers } from "./payers.tsx";
import { describeState, isPaused } from "./provider-state.ts";

const EVERY_MS = 5000;

export function ProvidersPage() {
  const providers = useResource<ListPage<ProviderView>>("/providers?all=true", EVERY_MS);
  const settings = useResource<SettingsView>("/settings");
  const [adding, setAdding] = useState<ProviderView | null>(null);
  return (
    <>
      <PageHead title="Providers" actions={<OwnServerButton all={providers.data?.data ?? []} />}>
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
      {adding && (
        <CredentialForm provider={adding} onClose={() => setAdding(null)} onSaved={providers.reload} />
      )}
    </>
  );
}

/** Those that a key in the environment enables end with the first that the file names. */
function OwnServerButton({ all }: Pick<ListsProps, "all">) {
  const isNamed = useOrigins().find(["providers"]) !== null;
  const others = isNamed
    ? []
    : all.filter(({ on, credentials }) => on && credentials.some(({ source }) => source === "configured"));
  const names = others.map(({ name }) => name).filter((name) => name !== SIMULATED);
  return <ProposalButton label="Own server as YAML" proposal={makeOwnServer(names)} />;
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
      {[...on, ...paused].map((provider) => (
        <ProviderCard key={provider.name} provider={provider} onAdd={onAdd} reload={reload} />
      ))}
      {off.length > 0 && may("providers.write") && <OffCard providers={off} onAdd={onAdd} />}
    </>
  );
}

interface ProviderCardProps extends Omit<ListsProps, "all"> {
  readonly provider: ProviderView;
}

export function ProviderCard({ provider, onAdd, reload }: ProviderCardProps) {
  const { tone, text } = describeState(provider);
  const title = (
    <span class="row">
      <a href={makeHref(`/settings/providers/${encodeURIComponent(provider.name)}`)}>{provider.name}</a>
      <Badge text={text} tone={tone} hasDot />
    </span>
  );
  const note = (
    <>
      {provider.base_url} <Origin path={["providers", provider.name]} />
    </>
  );
  const add = may("providers.write") && (
    <Button label="Add credential" isTiny icon="plus" onClick={() => onAdd(provider)} />
  );
  return (
    <Card title={title} note={note} actions={add}>
      <div class="stack">
        <ProviderTrouble provider={provider} />
        <PausedPayers of={provider} />
        <ProviderVitals provider={provider} />
        {provider.credentials.length === 0 ? (
          <p class="faint">This provider needs no credential.</p>
        ) : (
          <CredentialList provider={provider} reload={reload} />
        )}
      </div>
    </Card>
  );
}

/** Says since when the provider fails, and why, in its own words. */
function ProviderTrouble({ provider }: { readonly provider: ProviderView }) {
  const { failing_since: since, last_failure: last } = provider;
  if (since === null || last === null) return null;
  const isOver = provider.breaker === "closed" && describeState(provider).tone !== "bad";
  return (
    <Notice tone={provider.breaker === "closed" ? "warn" : "bad"}>
      <span class="strong">
        {isOver ? "Failed last" : "Failing since"} <time dateTime={since}>{formatFullTime(since)}</time>
      </span>
      : {last.model}
      {last.credential && ` with ${last.credential}`}, {last.error_code}
      {describeFailure(last) && ` · ${describeFailure(last)}`}
    </Notice>
  );
}

function ProviderVitals({ provider }: { readonly provider: ProviderView }) {
  const models = <a href={makeHref("/models", { provider: provider.name })}>Models</a>;
  const { error_rate, in_flight, first_token_ms: first, tokens_per_second } = provider;
  if (error_rate === null && in_flight === 0)
    return <p class="faint">Nothing was asked of it lately. {models}</p>;
  const failing = provider.models.filter(({ breaker }) => breaker !== "closed");
  const catalogue = (
    <>
      {models}
      {failing.length > 0 && <span class="small"> · {failing.length} failing</span>}
    </>
  );
  return (
    <Vitals
      rows={[
        ["Recent errors", error_rate === null ? "–" : formatPercent(error_rate)],
        ["First token", first ? formatDuration(first.p50) : "–"],
        ["95% within", first ? formatDuration(first.p95) : "–"],
        ["Tokens per second", tokens_per_second === null ? "–" : formatCount(tokens_per_second)],
        ["In progress", in_flight],
        ["Catalogue", catalogue],
      ]}
    />
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
