// The form that gives a person a role besides those of the rules, or takes it back.
import type { MemberView } from "../../admin/people/members.ts";
import { sendChange } from "../frame/api.ts";
import { toDayEnd, toLocalDay } from "../frame/local-time.ts";
import { type Names, namePerson, useNames } from "../frame/names.ts";
import { ROLES } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { AccountField } from "../money/account-field.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { Check, SelectField, TextField } from "../parts/field.tsx";
import { toast } from "../parts/toast.tsx";

const ROLE_OPTIONS = [
  { value: "", label: "None besides the rules" },
  ...ROLES.map((role) => ({ value: role, label: role })),
];
const WHERE_OPTIONS = [
  { value: "all", label: "All accounts, also those made later" },
  { value: "some", label: "Some accounts" },
];

interface RoleFormProps {
  readonly person: MemberView;
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

export function RoleForm({ person, onSaved, onClose }: RoleFormProps) {
  const names = useNames();
  const form = useForm(
    () => readOwn(person),
    async (draft) => {
      await sendChange("PATCH", `/members/${person.id}`, makeChange(draft, person));
      toast(`The role of ${namePerson(person)} was changed`);
      await onSaved();
      onClose();
    },
  );
  const { role, where } = form.draft;
  const chosen = listIds(form.draft.accounts);
  return (
    <FormDialog title={`A role for ${namePerson(person)}`} action="Save" form={form} onClose={onClose}>
      <SelectField
        label="Role"
        hint="Besides those that the rules give. It counts from the next request on"
        options={ROLE_OPTIONS}
        {...form.field("role")}
      />
      {role !== "" && (
        <>
          <SelectField label="Where" options={WHERE_OPTIONS} {...form.field("where")} />
          {where === "some" && (
            <AccountChecks
              names={names}
              chosen={chosen}
              onChange={(ids) => form.set("accounts", ids.join(" "))}
            />
          )}
          <TextField
            label="Until"
            type="date"
            hint="The end of this day; empty means until it is taken back"
            {...form.field("until")}
          />
        </>
      )}
    </FormDialog>
  );
}

interface AccountChecksProps {
  readonly names: Names;
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

function AccountChecks({ names: { accounts, account, isWhole }, chosen, onChange }: AccountChecksProps) {
  const toggle = (id: string, isOn: boolean) =>
    onChange([...chosen.filter((one) => one !== id), ...(isOn ? [id] : [])]);
  // Too many to be listed are found by name, one after the other.
  const listed = isWhole.accounts ? accounts : chosen.map((id) => ({ id, name: account(id) }));
  return (
    <>
      {listed.length > 0 && (
        <fieldset class="options" aria-label="Accounts">
          {listed.map(({ id, name }) => (
            <div key={id} class="option">
              <Check label={name} isOn={chosen.includes(id)} onChange={(isOn) => toggle(id, isOn)} />
            </div>
          ))}
        </fieldset>
      )}
      {!isWhole.accounts && (
        <AccountField label="Add an account" value="" onInput={(id) => toggle(id, true)} />
      )}
    </>
  );
}

type RoleDraft = Readonly<Record<"role" | "where" | "accounts" | "until", string>>;

function readOwn({ own_grants, until }: MemberView): RoleDraft {
  const accounts = own_grants.flatMap(({ account }) => account ?? []);
  return {
    role: own_grants[0]?.role ?? "",
    where: own_grants.length > 0 && accounts.length === 0 ? "all" : "some",
    accounts: accounts.join(" "),
    until: until ? toLocalDay(until) : "",
  };
}

function makeChange({ role, where, accounts, until }: RoleDraft, person: MemberView) {
  if (role === "") return { role: null };
  return {
    role,
    accounts: where === "all" ? null : listIds(accounts),
    until: until === "" ? null : readUntil(until, person.until),
  };
}

/** An end on the same day stays as it is, since the form doesn't show its time. */
function readUntil(day: string, before: string | null): string {
  return before !== null && toLocalDay(before) === day ? before : toDayEnd(day);
}

function listIds(text: string): readonly string[] {
  return text.split(" ").filter((id) => id !== "");
}
