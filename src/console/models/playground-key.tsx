// The key with which the playground asks: the console's own, or a personal one of the person who is signed in.
import { useState } from "preact/hooks";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import { readStored, writeStored } from "../browser.ts";
import { withQuery } from "../frame/api.ts";
import { useNames } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { DEFAULT_ACCOUNT, may, session } from "../frame/session.ts";
import type { Option } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Placeholder } from "../parts/states.tsx";

const KEPT = "playground.key";
const CONSOLE: Option<string> = { value: "", label: "The console's own key" };
/** The console's own key in another account than the default one. */
const IN_ACCOUNT = "account:";

/** The id of the personal key that the page asks with, or the place of the console's own key. */
let current = "";

/** Returns the path of one of the playground's routes, with the key that is chosen. */
export function placePlayground(path: string): string {
  const given = current.startsWith(IN_ACCOUNT)
    ? { account: current.slice(IN_ACCOUNT.length) }
    : { key: current };
  return withQuery(`/playground${path}`, given);
}

function isOwn({ member_id, state }: KeyInUseView): boolean {
  return state === "active" && member_id !== null && member_id === session.value?.actor.id;
}

interface KeyChoice {
  /** Null until they are known. */
  readonly options: readonly Option<string>[] | null;
  readonly value: string;
  readonly choose: (id: string) => void;
}

/** The keys with which one may ask. One that is no longer among them is no longer chosen. */
export function usePlaygroundKey(): KeyChoice {
  const [picked, pick] = useState(() => readStored(KEPT) ?? "");
  const names = useNames();
  const own = names.keys.filter(isOwn).map(({ id, name }) => ({ value: id, label: name }));
  const mayUseConsole = may("playground.use");
  const others = names.accounts.filter(({ id, state }) => id !== DEFAULT_ACCOUNT && state === "open");
  const inOthers = others.map(({ id, name }) => ({
    value: `${IN_ACCOUNT}${id}`,
    label: `${CONSOLE.label}, in ${name}`,
  }));
  const options = mayUseConsole ? [CONSOLE, ...own, ...inOthers] : own;
  const found = options.find(({ value }) => value === picked) ?? options[0];
  current = found?.value ?? "";
  const choose = (id: string) => {
    writeStored(KEPT, id);
    pick(id);
  };
  return { options: mayUseConsole || names.areKnown ? options : null, value: current, choose };
}

/** Left out where the console's own key is the only one. */
export function KeyFilter({ options, value, choose }: KeyChoice) {
  if (options === null || (options.length < 2 && value === CONSOLE.value)) return null;
  return <Filter label="Key" value={value} options={options} onInput={choose} />;
}

/** Stands in the page's place while there is no key to ask with. */
export function NoPlaygroundKey({ options }: Pick<KeyChoice, "options">) {
  const make = (
    <a class="button main" href={makeHref("/settings/router", { add: "yes" })}>
      Make a key
    </a>
  );
  return (
    <>
      <PageHead title="Playground" />
      <Card>
        {options === null ? (
          <Placeholder rows={4} />
        ) : (
          <Empty icon="key" title="You need a key of your own" action={make}>
            The playground asks with it, within its limits, and your requests appear in Activity.
          </Empty>
        )}
      </Card>
    </>
  );
}
