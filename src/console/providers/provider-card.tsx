// One provider: why it fails, its figures of the last minutes, and its credentials.
import type { ProviderView } from "../../admin/models/providers.ts";
import { Origin } from "../configuration/origin.tsx";
import { formatCount, formatDuration, formatFullTime, formatPercent } from "../frame/format.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { CredentialList } from "../lists/credential-list.tsx";
import { describeFailure } from "../log/failure.tsx";
import { PausedPayers } from "../models/payers.tsx";
import { describeState } from "../models/provider-state.ts";
import { Button } from "../parts/button.tsx";
import { Vitals } from "../parts/figures.tsx";
import { Monogram } from "../parts/icon.tsx";
import { Card } from "../parts/page.tsx";
import { Badge, Notice } from "../parts/states.tsx";

export interface ProviderProps {
  readonly provider: ProviderView;
  readonly onAdd: (provider: ProviderView) => void;
  readonly reload: () => Promise<void>;
}

export function ProviderCard({ provider, onAdd, reload }: ProviderProps) {
  const { tone, text } = describeState(provider);
  const title = (
    <span class="row">
      <Monogram name={provider.name} />
      {provider.name}
      <Badge text={text} tone={tone} hasDot />
    </span>
  );
  const add = may("providers.write") && (
    <Button label="Add credential" isTiny icon="plus" onClick={() => onAdd(provider)} />
  );
  return (
    <Card title={title} note={<ProviderAddress of={provider} />} actions={add}>
      <ProviderDetails provider={provider} reload={reload} />
    </Card>
  );
}

/** Its address, and where the configuration names it. */
export function ProviderAddress({ of: { name, base_url } }: { readonly of: ProviderView }) {
  return (
    <>
      {base_url} <Origin path={["providers", name]} />
    </>
  );
}

/** Its troubles, its figures of the last minutes, and its credentials. */
export function ProviderDetails({ provider, reload }: Omit<ProviderProps, "onAdd">) {
  return (
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
  if (error_rate === null && in_flight === 0) return <p class="faint">No recent requests. {models}</p>;
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
