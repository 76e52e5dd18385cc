// The providers that are on, one row each: state, the last 24 hours, figures, and credentials behind a button.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { ProviderView } from "../../admin/models/providers.ts";
import { formatCount, formatDuration } from "../frame/format.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Monogram } from "../parts/monogram.tsx";
import { Card } from "../parts/page.tsx";
import { Badge } from "../parts/states.tsx";
import { ProviderDetails, type ProviderProps } from "./provider-card.tsx";
import { describeState } from "./provider-state.ts";
import { DayBars, useDays } from "./uptime.tsx";

interface RowsProps extends Omit<ProviderProps, "provider"> {
  readonly of: readonly ProviderView[];
}

export function ProviderRows({ of, ...acting }: RowsProps) {
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

interface RowProps extends ProviderProps {
  /** Its last 24 hours. Null for those who may not see figures. */
  readonly day: ComponentChildren;
}

function ProviderRow({ provider, day, onAdd, reload }: RowProps) {
  const [chosen, choose] = useState<boolean | null>(null);
  const id = useId();
  const isOpen = chosen ?? isTroubled(provider);
  const { name, first_token_ms: first, in_flight, credentials } = provider;
  const count = credentials.length === 1 ? "1 credential" : `${formatCount(credentials.length)} credentials`;
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
          <span class="row tight provider-actions">
            <button
              type="button"
              class="button quiet tiny"
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => choose(!isOpen)}
            >
              {credentials.length === 0 ? "No credential" : count}
              <span class="hidden-text"> of {name}</span>
            </button>
            {may("providers.write") && (
              <Button
                label="Add credential"
                about={`to ${name}`}
                kind="quiet"
                isTiny
                icon="plus"
                isIconOnly
                onClick={() => onAdd(provider)}
              />
            )}
          </span>
        </div>
        <div class="provider-more" id={id} hidden={!isOpen}>
          {isOpen && (
            <>
              <p class="small faint">{provider.base_url}</p>
              <ProviderDetails provider={provider} reload={reload} />
            </>
          )}
        </div>
      </section>
    </li>
  );
}
