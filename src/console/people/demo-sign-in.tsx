// Sign-in to a demo: as one of the company's people, without a password.
import { describeError } from "../frame/api.ts";
import { type DemoPerson, signInToDemo } from "../frame/session.ts";
import { useTask } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";

const PEOPLE: readonly { readonly person: DemoPerson; readonly label: string; readonly sees: string }[] = [
  { person: "admin", label: "Admin", sees: "everything" },
  { person: "manager", label: "Manager", sees: "one account, its people and their limits" },
  { person: "billing", label: "Billing", sees: "money: balances, statements, top-ups" },
  { person: "member", label: "Member", sees: "their own keys and what is left of their budget" },
];

export function DemoPeople() {
  return (
    <div class="stack">
      <p>
        Look around as one of the people of a made-up company. There is no password, and nothing can be
        changed.
      </p>
      {PEOPLE.map((one) => (
        <As key={one.person} {...one} />
      ))}
    </div>
  );
}

function As({ person, label, sees }: (typeof PEOPLE)[number]) {
  const { isBusy, failed, start } = useTask(() => signInToDemo(person));
  return (
    <div>
      <Button
        label={label}
        {...(person === "admin" ? { kind: "main" as const } : {})}
        isBusy={isBusy}
        onClick={(event) => void start(event)}
      />
      <p class="small faint">Sees {sees}.</p>
      {failed !== null && <p role="alert">{describeError(failed)}</p>}
    </div>
  );
}
