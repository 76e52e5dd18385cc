// The overview's checklist for the first days: what is done is seen from the gateway, the rest is ticked by hand.
import { useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import type { ProviderView } from "../../admin/models/providers.ts";
import { makeGatewayUrl, readStored, writeStored } from "../browser.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Skeleton } from "../parts/states.tsx";
import { useNames } from "./names.ts";
import { useResource } from "./resource.ts";
import { makeHref } from "./route.ts";
import { may } from "./session.ts";

/** Ticked by hand, since the gateway can't know: names in the browser's storage. */
const HIDDEN = "checklist.hidden";
const DONE = "checklist.done";
/** The card has this height in a wide window. */
const HEIGHT = 74;
const byHand = (name: string) => `checklist.${name}`;

interface ChecklistStep {
  readonly name: string;
  readonly label: string;
  readonly href: string;
  /** Null if only people know. */
  readonly isDone: boolean | null;
}

/** Null until everything is known. */
function useSteps(): readonly ChecklistStep[] | null {
  const providers = useResource<ListPage<ProviderView>>("/providers?all=true");
  const { keys, accounts, areKnown } = useNames();
  if (!providers.data || !areKnown) return null;
  const owners = [...keys, ...accounts];
  const hasBudget =
    owners.some(({ budgets }) => Array.isArray(budgets) && budgets.length > 0) ||
    keys.some(({ spend_limit_usd }) => typeof spend_limit_usd === "number");
  return [
    {
      name: "provider",
      label: "Add a provider's key",
      href: makeHref("/settings/providers"),
      isDone: providers.data.data.some(({ on, name }) => on && name !== "Sim"),
    },
    { name: "key", label: "Make a key", href: makeHref("/settings/router"), isDone: keys.length > 0 },
    {
      name: "answer",
      label: "Get a first answer",
      href: makeHref("/playground"),
      isDone: keys.some(({ last_used_at }) => last_used_at !== null),
    },
    { name: "budget", label: "Set a budget", href: makeHref("/settings/router"), isDone: hasBudget },
    {
      name: "backup",
      label: "Back up the store and its key",
      href: makeGatewayUrl("/docs/store#backups"),
      isDone: null,
    },
    {
      name: "alerts",
      label: "Set up alerts",
      href: makeGatewayUrl("/docs/alerts"),
      isDone: null,
    },
  ];
}

export function Checklist() {
  const [isHidden, setHidden] = useState(readStored(HIDDEN) === "yes");
  return isHidden || !may("settings.read") || !may("keys.write") ? null : (
    <OpenChecklist
      onHide={() => {
        writeStored(HIDDEN, "yes");
        setHidden(true);
      }}
    />
  );
}

function OpenChecklist({ onHide }: { readonly onHide: () => void }) {
  const steps = useSteps();
  const [, draw] = useState(0);
  // Its place is kept while it may be shown, so that the page doesn't move.
  if (steps === null) return readStored(DONE) === "yes" ? null : <Skeleton height={HEIGHT} />;
  const isDone = ({ name, isDone: done }: ChecklistStep) => done ?? readStored(byHand(name)) === "yes";
  const open = steps.filter((step) => !isDone(step)).length;
  if (open === 0) {
    writeStored(DONE, "yes");
    return null;
  }
  const tick = (name: string) => {
    writeStored(byHand(name), "yes");
    draw((count) => count + 1);
  };
  return (
    <section class="card first-steps">
      <h2>First steps</h2>
      <ul class="checklist">
        {steps.map((step) => (
          <StepItem key={step.name} step={step} isDone={isDone(step)} onTick={() => tick(step.name)} />
        ))}
      </ul>
      <Button
        label="Hide"
        about="the first steps"
        kind="quiet"
        icon="close"
        isTiny
        isIconOnly
        onClick={onHide}
      />
    </section>
  );
}

interface StepItemProps {
  readonly step: ChecklistStep;
  readonly isDone: boolean;
  readonly onTick: () => void;
}

function StepItem({ step, isDone, onTick }: StepItemProps) {
  return (
    <li class="row tight">
      <span class={isDone ? "tick done" : "tick"}>
        {isDone && <Icon name="check" size={12} />}
        <span class="hidden-text">{isDone ? "Done:" : "To do:"}</span>
      </span>
      {isDone ? <span class="faint">{step.label}</span> : <a href={step.href}>{step.label}</a>}
      {step.isDone === null && !isDone && (
        <Button
          label="Mark as done"
          about={step.label}
          isTiny
          isIconOnly
          kind="quiet"
          icon="check"
          onClick={onTick}
        />
      )}
    </li>
  );
}
