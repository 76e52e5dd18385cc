// Where an alias leads, as a form builds it: one model, several that share the load, or a selector with a policy.
import { useState } from "preact/hooks";
import type { AliasView } from "../../admin/models/aliases.ts";
import { SELECTORS, useModels } from "../frame/names.ts";
import { Button, Segments } from "../parts/button.tsx";
import { Combobox } from "../parts/combobox.tsx";
import { Field, SelectField, TextField } from "../parts/field.tsx";
import { ModelsField } from "../parts/models-field.tsx";

type AliasTargetView = AliasView["target"];
type Policy = Extract<AliasTargetView, { readonly selector: string }>;

interface AliasMember {
  readonly model: string;
  readonly weight: string;
}

/** The texts for each kind of target, so that going from one to another loses nothing. */
export interface TargetDraft {
  readonly kind: "one" | "several" | "policy";
  readonly one: string;
  readonly several: readonly AliasMember[];
  readonly policy: Policy;
}

const KINDS = [
  { value: "one", label: "One model" },
  { value: "several", label: "Several, in order" },
  { value: "policy", label: "The best choice each time" },
] as const;
/** The first takes nearly all, so that the second is a fallback unless other weights are given. */
const FIRST_WEIGHT = "99";
const NEXT_WEIGHT = "1";

export function startTarget(target: AliasTargetView | undefined): TargetDraft {
  const start: TargetDraft = {
    kind: "one",
    one: "",
    several: [
      { model: "", weight: FIRST_WEIGHT },
      { model: "", weight: NEXT_WEIGHT },
    ],
    policy: { selector: "fair" },
  };
  if (target === undefined) return start;
  if (typeof target === "string") return { ...start, one: target };
  if ("selector" in target) return { ...start, kind: "policy", policy: target };
  const several = target.map(({ model, weight }) => ({ model, weight: String(weight) }));
  return { ...start, kind: "several", several };
}

/** Returns the target for a request. */
export function readTarget({ kind, one, several, policy }: TargetDraft): unknown {
  if (kind === "one") return one;
  if (kind === "policy") return policy;
  return several
    .filter(({ model }) => model !== "")
    .map(({ model, weight }) => ({ model, weight: Number(weight) }));
}

interface TargetsProps {
  readonly draft: TargetDraft;
  readonly onChange: (draft: TargetDraft) => void;
  readonly error: string | null;
}

export function Targets({ draft, onChange, error }: TargetsProps) {
  const set = (part: Partial<TargetDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <Segments label="Leads to" options={KINDS} value={draft.kind} onChange={(kind) => set({ kind })} />
      {draft.kind === "one" && (
        <ModelField
          label="Model or selector"
          value={draft.one}
          onChoose={(one) => set({ one })}
          isAny
          error={error}
        />
      )}
      {draft.kind === "several" && (
        <Several members={draft.several} onChange={(several) => set({ several })} error={error} />
      )}
      {draft.kind === "policy" && (
        <PolicyFields policy={draft.policy} onChange={(policy) => set({ policy })} error={error} />
      )}
    </>
  );
}

interface ModelFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (model: string) => void;
  /** True if selectors may be chosen too. */
  readonly isAny?: boolean;
  readonly error?: string | null;
}

function ModelField({ label, value, onChoose, isAny = false, error = null }: ModelFieldProps) {
  const { on } = useModels();
  const selectors = isAny ? SELECTORS.map(({ id, what }) => ({ value: id, label: id, note: what })) : [];
  const options = [...selectors, ...on.map(({ id }) => ({ value: id, label: id }))];
  return (
    <Field label={label} error={error}>
      {(tied) => <Combobox label={label} tied={tied} value={value} options={options} onChoose={onChoose} />}
    </Field>
  );
}

interface SeveralProps {
  readonly members: readonly AliasMember[];
  readonly onChange: (members: readonly AliasMember[]) => void;
  readonly error: string | null;
}

function Several({ members, onChange, error }: SeveralProps) {
  const [moved, setMoved] = useState("");
  const set = (at: number, part: Partial<AliasMember>) =>
    onChange(members.map((member, index) => (index === at ? { ...member, ...part } : member)));
  // The weights stay at their places: it is the models that change them.
  const swap = (at: number, other: number) => {
    const model = members[at]?.model ?? "";
    const instead = members[other]?.model ?? "";
    const models = new Map([
      [at, instead],
      [other, model],
    ]);
    onChange(members.map((member, index) => ({ ...member, model: models.get(index) ?? member.model })));
    setMoved(`${model || "It"} is number ${other + 1} now`);
  };
  return (
    <fieldset class="rows-field">
      <legend>Models, the first one preferred</legend>
      {members.map((member, at) => (
        <MemberRow
          key={at}
          member={member}
          at={at}
          count={members.length}
          onChange={(part) => set(at, part)}
          onMove={(by) => swap(at, at + by)}
          onRemove={() => onChange(members.filter((_, index) => index !== at))}
        />
      ))}
      <Button
        label="Add a model"
        isTiny
        icon="plus"
        onClick={() => onChange([...members, { model: "", weight: NEXT_WEIGHT }])}
      />
      <span class="hidden-text" role="status">
        {moved}
      </span>
      {error && (
        <span class="field-error" role="alert">
          {error}
        </span>
      )}
      <p class="small faint">
        If one fails, the others are tried, the largest share first. With shares such as 2 and 1, they split
        the load.
      </p>
    </fieldset>
  );
}

interface MemberRowProps {
  readonly member: AliasMember;
  readonly at: number;
  readonly count: number;
  readonly onChange: (part: Partial<AliasMember>) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

function MemberRow({ member, at, count, onChange, onMove, onRemove }: MemberRowProps) {
  const about = `number ${at + 1}`;
  const actions = [
    { label: "Up", icon: "up", isDisabled: at === 0, onClick: () => onMove(-1) },
    { label: "Down", icon: "down", isDisabled: at === count - 1, onClick: () => onMove(1) },
    { label: "Remove", icon: "trash", isDisabled: count === 1, onClick: onRemove },
  ] as const;
  return (
    <div class="rows-field-row target-line">
      <ModelField label={`${at + 1}. model`} value={member.model} onChoose={(model) => onChange({ model })} />
      <TextField
        label="Share of the load"
        type="amount"
        isRequired
        value={member.weight}
        onInput={(weight) => onChange({ weight })}
      />
      <div class="row tight">
        {actions.map((action) => (
          <Button key={action.label} {...action} about={about} kind="quiet" isIconOnly />
        ))}
      </div>
    </div>
  );
}

interface PolicyProps {
  readonly policy: Policy;
  readonly onChange: (policy: Policy) => void;
  readonly error: string | null;
}

const NAMES = {
  best: "The best answer",
  fair: "Nearly as good, at the lowest cost",
  light: "The fastest answer",
};

function isNamed(selector: string): selector is keyof typeof NAMES {
  return Object.hasOwn(NAMES, selector);
}

type PolicyPart = { readonly [Name in keyof Policy]?: Policy[Name] | undefined };

/** Only the selector `fair` has a quality. Fields that are empty are left out. */
function mergePolicy({
  quality,
  allow,
  max_cost_usd,
  ...rest
}: PolicyPart & Pick<Policy, "selector">): Policy {
  const { cache, deny, max_ms, selector } = rest;
  return {
    selector,
    ...(cache === undefined ? {} : { cache }),
    ...(deny === undefined ? {} : { deny }),
    ...(max_ms === undefined ? {} : { max_ms }),
    ...(quality === undefined || selector !== "fair" ? {} : { quality }),
    ...(allow === undefined || allow.length === 0 ? {} : { allow }),
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
  };
}

function PolicyFields({ policy, onChange, error }: PolicyProps) {
  const { quality, allow, max_cost_usd, ...rest } = policy;
  const set = (part: PolicyPart) => onChange(mergePolicy({ ...rest, quality, allow, max_cost_usd, ...part }));
  const readNumber = (text: string) => (text.trim() === "" ? undefined : Number(text));
  return (
    <>
      <SelectField
        label="What counts"
        options={Object.entries(NAMES).map(([value, label]) => ({ value, label }))}
        value={policy.selector}
        onInput={(chosen) => set({ selector: isNamed(chosen) ? chosen : policy.selector })}
        error={error}
      />
      <ModelsField
        label="Chosen among"
        placeholder="All models. Limit it to some: gpt, OpenAI#*"
        chosen={allow ?? []}
        onChange={(chosen) => set({ allow: chosen })}
      />
      <div class="two">
        {policy.selector === "fair" && (
          <TextField
            label="Share of the best quality to keep"
            type="amount"
            max={1}
            placeholder="0.95"
            value={quality?.toString() ?? ""}
            onInput={(text) => set({ quality: readNumber(text) })}
          />
        )}
        <TextField
          label="At most, in USD an answer"
          type="amount"
          placeholder="no bound"
          value={max_cost_usd?.toString() ?? ""}
          onInput={(text) => set({ max_cost_usd: readNumber(text) })}
        />
      </div>
    </>
  );
}
