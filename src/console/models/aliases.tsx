// The operator's aliases: listed with their targets, and those made here added, changed and removed.
import { useState } from "preact/hooks";
import type { AliasView } from "../../admin/models/aliases.ts";
import { Origin } from "../configuration/origin.tsx";
import { sendChange } from "../frame/api.ts";
import { formatDuration, formatPercent, formatUsd } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { useAdd } from "../lists/asked.ts";
import { Button } from "../parts/button.tsx";
import { Confirm, FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Badge, Empty } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { readTarget, startTarget, type TargetDraft, Targets } from "./alias-targets.tsx";

const EVERY_MS = 15_000;

type AliasDialog = { readonly kind: "add" } | { readonly kind: "edit" | "remove"; readonly alias: AliasView };

export function Aliases() {
  const aliases = usePages<AliasView>("/aliases", {}, EVERY_MS);
  const [open, setOpen] = useState<AliasDialog | null>(null);
  useAdd("alias", () => setOpen({ kind: "add" }));
  const close = () => setOpen(null);
  const add = may("aliases.write") && (
    <Button label="Add alias" isTiny icon="plus" onClick={() => setOpen({ kind: "add" })} />
  );
  return (
    <>
      <List
        title="Aliases"
        note="Other names that clients can use for models"
        actions={add}
        label="Aliases"
        of={aliases}
        columns={makeColumns(setOpen)}
        keyOf={({ name }) => name}
        empty={
          <Empty icon="models" title="No aliases">
            With an alias such as gpt-4o for another model, clients needn't change their configuration.
          </Empty>
        }
      />
      {open?.kind === "remove" && <RemoveAlias alias={open.alias} onClose={close} onDone={aliases.reload} />}
      {open !== null && open.kind !== "remove" && (
        <AliasForm
          {...(open.kind === "edit" ? { edited: open.alias } : {})}
          onClose={close}
          onDone={aliases.reload}
        />
      )}
    </>
  );
}

interface RemoveProps {
  readonly alias: AliasView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function RemoveAlias({ alias: { name }, onClose, onDone }: RemoveProps) {
  const run = async () => {
    await sendChange("DELETE", `/aliases?name=${encodeURIComponent(name)}`);
    toast(`${name} was removed`);
    await onDone();
  };
  return (
    <Confirm title={`Remove ${name}?`} action="Remove alias" run={run} onClose={onClose}>
      Requests for {name} will be refused as for a model that doesn't exist.
    </Confirm>
  );
}

interface AliasFormProps extends Pick<RemoveProps, "onClose" | "onDone"> {
  readonly edited?: AliasView;
}

function AliasForm({ edited, onClose, onDone }: AliasFormProps) {
  const form = useForm<"name" | "target">(
    () => ({ name: edited?.name ?? "", target: JSON.stringify(startTarget(edited?.target)) }),
    async ({ name, target }) => {
      const draft: TargetDraft = JSON.parse(target);
      await sendChange(edited ? "PATCH" : "POST", "/aliases", {
        name: name.trim(),
        target: readTarget(draft),
      });
      toast(edited ? "Saved" : `${name.trim()} was added`);
      await onDone();
      onClose();
    },
  );
  const target = form.field("target");
  return (
    <FormDialog
      title={edited ? `Change ${edited.name}` : "Add an alias"}
      action={edited ? "Save" : "Add alias"}
      form={form}
      onClose={onClose}
    >
      {!edited && (
        <TextField
          label="Name"
          placeholder="gpt-4o"
          hint="What clients ask for. It may end in *, for all names that begin so."
          isRequired
          isFocused
          {...form.field("name")}
        />
      )}
      <Targets
        draft={JSON.parse(target.value)}
        onChange={(draft) => target.onInput(JSON.stringify(draft))}
        error={target.error}
      />
    </FormDialog>
  );
}

function makeColumns(onOpen: (open: AliasDialog) => void): readonly Column<AliasView>[] {
  return [
    makeHeadColumn("Name", ({ name }) => (
      <a class="strong" href={makeHref("/activity", { model: name })}>
        {name}
      </a>
    )),
    makeColumn("Target", ({ target }) => <Target target={target} />),
    makeColumn("Defined in", ({ name, source }) =>
      source === "configured" ? (
        <Origin path={["aliases", name]} otherwise="configuration" />
      ) : (
        <Badge text="this console or the API" />
      ),
    ),
    {
      label: "",
      as: "narrow",
      cell: (alias) =>
        alias.source === "stored" &&
        may("aliases.write") && (
          <div class="row tight">
            <Button
              label="Edit"
              about={alias.name}
              isTiny
              isIconOnly
              kind="quiet"
              icon="edit"
              onClick={() => onOpen({ kind: "edit", alias })}
            />
            <Button
              label="Remove"
              about={alias.name}
              isTiny
              isIconOnly
              kind="quiet"
              icon="trash"
              onClick={() => onOpen({ kind: "remove", alias })}
            />
          </div>
        ),
    },
  ];
}

type PolicyView = Extract<AliasView["target"], { readonly selector: string }>;

/** A selector, and what its choice must keep to. */
function Policy({ target }: { readonly target: PolicyView }) {
  const { selector, quality, allow, deny, max_cost_usd, max_ms } = target;
  const limits = [
    quality === undefined ? "" : `keeps ${formatPercent(quality)} of the quality`,
    allow === undefined ? "" : `only ${allow.join(", ")}`,
    deny === undefined ? "" : `not ${deny.join(", ")}`,
    max_cost_usd === undefined ? "" : `at most ${formatUsd(max_cost_usd)}`,
    max_ms === undefined ? "" : `at most ${formatDuration(max_ms)}`,
  ];
  return (
    <div>
      Router#{selector} <span class="small faint">{limits.filter(Boolean).join(" · ")}</span>
    </div>
  );
}

/** One model, or the models of a group with their shares of the load. */
function Target({ target }: Pick<AliasView, "target">) {
  if (typeof target === "string") return <span>{target}</span>;
  if ("selector" in target) return <Policy target={target} />;
  const whole = target.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <div>
      {target.map(({ model, weight }) => (
        <div key={model}>
          {model} <span class="small faint">{formatPercent(weight / whole)}</span>
        </div>
      ))}
    </div>
  );
}
