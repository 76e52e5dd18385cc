// The providers that are on, one row each: state, the last 24 hours, figures, and credentials behind a button.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { ProviderView } from "../../admin/models/providers.ts";
import { formatCount, formatDuration } from "../frame/format.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { describeState } from "../models/provider-state.ts";
import { Button } from "../parts/button.tsx";
import { Monogram } from "../parts/icon.tsx";
import { Card } from "../parts/page.tsx";
import { Badge } from "../parts/states.tsx";
import { ProviderAddress, ProviderDetails, type ProviderProps } from "./provider-card.tsx";
import { DayBars, useDays } from "./uptime.tsx";

interface ProviderRowsProps extends Omit<ProviderProps, "provider"> {
  readonly of: readonly ProviderView[];
}

export function ProviderRows({ of, ...acting }: ProviderRowsProps) {
  const days = useDays();
  return (
    <Card isFlush>
      <ul class="provider-rows" aria-label="Providers">
        {of.map((provider) => (
          <ProviderRow
            key={provider.name}
            provider={provider}
            day={days && <DayBars hours={days.get(provider.name)} />}
            {...acting}
          />
        ))}
      </ul>
    </Card>
  );
}

/** True for one that somebody has to look at: its row is open from the beginning. */
function isTroubled(provider: ProviderView): boolean {
  const { tone } = describeState(provider);
  return provider.failing_since !== null || tone === "bad" || tone === "warn";
}

interface ProviderRowProps extends ProviderProps {
  /** Its last 24 hours. Null for those who may not see figures. */
  readonly day: ComponentChildren;
}

function ProviderRow({ provider, day, onAdd, reload }: ProviderRowProps) {
  const [chosen, choose] = useState<boolean | null>(null);
  const id = useId();
  const isOpen = chosen ?? isTroubled(provider);
  const { name, first_token_ms: first, in_flight } = provider;
  return (
    <li>
      <section class="provider" aria-label={name}>
        <div class="provider-row">
          <h2 class="row tight">
            <Monogram name={name} />
            <a class="clip" href={makeHref(`/settings/providers/${encodeURIComponent(name)}`)}>
              {name}
            </a>
          </h2>
          <span class="provider-state">
            <Badge {...describeState(provider)} hasDot />
          </span>
          <span class="provider-day">{day}</span>
          <span class="provider-figure small faint">
            {first
              ? `first token ${formatDuration(first.p50)}`
              : in_flight > 0
                ? `${in_flight} in progress`
                : ""}
          </span>
          <RowActions
            of={provider}
            toggle={{ isOpen, panel: id, press: () => choose(!isOpen) }}
            onAdd={onAdd}
          />
        </div>
        <div class="provider-more" id={id} hidden={!isOpen}>
          {isOpen && (
            <>
              <p class="small faint">
                <ProviderAddress of={provider} />
              </p>
              <ProviderDetails provider={provider} reload={reload} />
            </>
          )}
        </div>
      </section>
    </li>
  );
}

interface ActionsProps extends Pick<ProviderProps, "onAdd"> {
  readonly of: ProviderView;
  /** Opens and closes the panel below the row, by its id. */
  readonly toggle: { readonly isOpen: boolean; readonly panel: string; readonly press: () => void };
}

function RowActions({ of, toggle: { isOpen, panel, press }, onAdd }: ActionsProps) {
  const { length } = of.credentials;
  const count = length === 1 ? "1 credential" : `${formatCount(length)} credentials`;
  return (
    <span class="row tight provider-actions">
      <button
        type="button"
        class="button quiet tiny"
        aria-expanded={isOpen}
        aria-controls={panel}
        onClick={press}
      >
        {length === 0 ? "No credential" : count}
        <span class="hidden-text"> of {of.name}</span>
      </button>
      {may("providers.write") && (
        <Button
          label="Add credential"
          about={`to ${of.name}`}
          kind="quiet"
          isTiny
          icon="plus"
          isIconOnly
          onClick={() => onAdd(of)}
        />
      )}
    </span>
  );
}
