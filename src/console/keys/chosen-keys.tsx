// Several keys of the list at once: they are chosen, and paused, resumed or revoked after a question with their number.
import { useState } from "preact/hooks";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import { change, describeError } from "../frame/api.ts";
import { mayWriteKey } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { toast } from "../parts/toast.tsx";

interface Action {
  readonly label: string;
  readonly icon: "pause" | "resume" | "trash";
  readonly past: string;
  readonly warning: string;
  readonly concerns: (key: KeyInUseView) => boolean;
  readonly run: (key: KeyInUseView) => Promise<unknown>;
}

const ACTIONS: readonly Action[] = [
  {
    label: "Pause",
    icon: "pause",
    past: "paused",
    warning: "Their requests will be refused until they are resumed.",
    concerns: ({ paused }) => !paused,
    run: ({ id }) => change("PATCH", `/keys/${id}`, { paused: true }),
  },
  {
    label: "Resume",
    icon: "resume",
    past: "resumed",
    warning: "Their requests will be answered again.",
    concerns: ({ paused }) => paused,
    run: ({ id }) => change("PATCH", `/keys/${id}`, { paused: false }),
  },
  {
    label: "Revoke",
    icon: "trash",
    past: "revoked",
    warning: "All further requests with them will be refused. This can't be undone.",
    concerns: () => true,
    run: ({ id }) => change("DELETE", `/keys/${id}`),
  },
];

function countKeys(count: number): string {
  return count === 1 ? "1 key" : `${count} keys`;
}

export interface ChosenKeys {
  readonly ids: ReadonlySet<string>;
  readonly choose: (ids: readonly string[]) => void;
}

export function useChosenKeys(): ChosenKeys {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return { ids, choose: (next) => setIds(new Set(next)) };
}

interface BoxProps extends ChosenKeys {
  readonly of: KeyInUseView;
}

export function KeyBox({ of, ids, choose }: BoxProps) {
  if (of.state === "revoked" || !mayWriteKey(of)) return null;
  const turn = (isOn: boolean) => choose(isOn ? [...ids, of.id] : [...ids].filter((id) => id !== of.id));
  return (
    <input
      type="checkbox"
      aria-label={`Select ${of.name} …${of.last4}`}
      checked={ids.has(of.id)}
      onChange={(event) => turn(event.currentTarget.checked)}
    />
  );
}

interface BarProps extends ChosenKeys {
  readonly shown: readonly KeyInUseView[];
  readonly reload: () => Promise<void>;
}

/** Keys that the list no longer shows aren't among those that are changed. */
export function ChosenKeysBar({ ids, choose, shown, reload }: BarProps) {
  const [asked, setAsked] = useState<Action | null>(null);
  const open = shown.filter((key) => key.state !== "revoked" && mayWriteKey(key));
  const chosen = open.filter(({ id }) => ids.has(id));
  if (chosen.length === 0) return null;
  const concerned = asked ? chosen.filter(asked.concerns) : [];
  const run = async ({ past, run }: Action) => {
    let done = 0;
    try {
      for (const key of concerned) {
        await run(key);
        done++;
      }
      toast(`${countKeys(done)} ${past}`);
      choose([]);
    } catch (error) {
      throw new Error(`${done} of ${concerned.length} ${past}: ${describeError(error)}`);
    } finally {
      await reload();
    }
  };
  return (
    <section class="row controls" aria-label="Selected keys">
      <span role="status">{countKeys(chosen.length)} selected</span>
      {ACTIONS.filter(({ concerns }) => chosen.some(concerns)).map((action) => (
        <Button key={action.label} label={action.label} icon={action.icon} onClick={() => setAsked(action)} />
      ))}
      {chosen.length < open.length && (
        <Button
          label={`Select all ${open.length} shown`}
          kind="quiet"
          onClick={() => choose(open.map(({ id }) => id))}
        />
      )}
      <Button label="Clear the selection" kind="quiet" onClick={() => choose([])} />
      {asked && (
        <Confirm
          title={`${asked.label} ${countKeys(concerned.length)}?`}
          action={`${asked.label} ${countKeys(concerned.length)}`}
          run={() => run(asked)}
          onClose={() => setAsked(null)}
        >
          {asked.warning}
        </Confirm>
      )}
    </section>
  );
}
