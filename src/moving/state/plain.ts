// The plain things of a state file: which ones would be made, changed or ended, and how they are written.
import { readNew, readState, viewChosen, viewFields } from "../../admin/fields.ts";
import { addPlain, bringPlain, endPlain, makePlainId } from "../../admin/things/plain.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { PlainEntity } from "../../core/things/plain.ts";
import type { StateAccountNames } from "./account-names.ts";
import { compareFields, digestFields } from "./compare.ts";
import type { Change, Draft } from "./draft.ts";
import { describeFault, type PlainEntry } from "./file.ts";
import { findTitle, type KnownThings, type StateWorld } from "./known.ts";
import { Matcher } from "./match.ts";

type PlainWorld = Pick<StateWorld, "random" | "clock">;

/** Their accounts are known by then, also those that are still to be made. */
export function planThings(draft: Draft, names: StateAccountNames, world: PlainWorld): void {
  const { known, memory, state } = draft;
  for (const [thing, rows] of known.things) {
    const entries = state.things.filter((entry) => entry.thing === thing);
    const matcher = new Matcher(thing.name, rows, entries, memory);
    for (const entry of entries) {
      const account = names.find(entry.fields.account_id);
      if (account.kind === "wrong") draft.refuse(entry, "account_id", account.message);
      if (account.kind !== "account") continue;
      try {
        planThing(draft, entry, { accountId: account.id, matcher, world });
      } catch (fault) {
        draft.issues.push(describeFault(fault, entry.path));
      }
    }
  }
}

interface PlainMatchParts {
  readonly accountId: string;
  readonly matcher: Matcher<PlainEntity>;
  readonly world: PlainWorld;
}

function planThing(draft: Draft, entry: PlainEntry, { accountId, matcher, world }: PlainMatchParts): void {
  const { thing, name, path } = entry;
  const { fields, actions } = thing;
  const { id: _id, account_id: _account, ...given } = entry.fields;
  const place = `${accountId} ${name}`;
  const found = matcher.match({ id: entry.id, place });
  if (found.kind === "wrong") {
    draft.refuse({ path }, found.field, found.message);
    return;
  }
  const id = found.kind === "new" ? (entry.id ?? makePlainId(world, thing)) : found.row.id;
  const about = { kind: thing.name, id, name, account: null } as const;
  const made = { ...given, account_id: accountId };
  const isDrift = draft.rememberEntry({ ...about, place, digest: digestFields(made) }, found.kind === "new");
  // One with an id was exported: a time of its own may have passed since, and comes over as it is.
  const reading = { nowMs: entry.id === null ? world.clock.nowMs() : Number.NEGATIVE_INFINITY };
  if (found.kind === "stays") draft.kept.push({ ...about, reason: "ended, and stays ended" });
  else if (found.kind === "new") {
    const values = readNew(fields, given, reading);
    const run: Change["run"] = (at) => addPlain(at, thing, { id, accountId, values });
    draft.changes.push({
      ...about,
      action: actions.make.audit,
      before: null,
      after: { ...made },
      isDrift,
      run,
    });
  } else {
    const before = found.row.of.values;
    const views = [before, readState(fields, given, before, reading)].map((values) =>
      viewFields(fields, values),
    );
    const differing = compareFields(views[0] ?? {}, views[1] ?? {});
    if (differing === null) draft.unchanged++;
    else {
      const run: Change["run"] = (at) => bringPlain(at, thing, id, given, reading);
      draft.changes.push({ ...about, action: actions.change.audit, ...differing, isDrift, run });
    }
  }
}

/** Returns the change that ends what a file no longer has. Null if it has ended, or its kind isn't known here. */
export function planEnd({ known }: Pick<Draft, "known">, kind: string, id: string): Change | null {
  for (const [thing, rows] of known.things) {
    const row = thing.name === kind ? rows.find((one) => one.id === id && one.state === "live") : undefined;
    if (row === undefined) continue;
    const name = findTitle(thing, row.of);
    const about = { kind: thing.name, id, name, account: null, isDrift: false, before: null, after: null };
    return { ...about, action: thing.actions.end.audit, run: (at) => endPlain(at, thing, id) };
  }
  return null;
}

/** Returns the sections of what is here, by name. */
export function writeThings(known: KnownThings): Readonly<Record<string, readonly JsonObject[]>> {
  const sections = [...known].map(([{ plural, fields }, rows]) => {
    const live = rows.filter(({ state }) => state === "live");
    return [
      plural,
      live.map(({ id, of }) => ({ id, account_id: of.accountId, ...viewChosen(fields, of.values) })),
    ] as const;
  });
  return Object.fromEntries(sections);
}
