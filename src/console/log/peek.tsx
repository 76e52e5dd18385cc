// A look at the rows of a list, one after the other, in a panel beside it: by a click, and by the arrow keys.
import { useLayoutEffect } from "preact/hooks";
import { lazy } from "../frame/lazy.tsx";
import { makeHref, navigate, route, setQuery } from "../frame/route.ts";
import { Button } from "../parts/button.tsx";

const RequestPeek = lazy(async () => (await import("./request.tsx")).RequestPeek);

/** Narrower screens have no room for both. */
const WIDE = "(min-width: 1100px)";

/** The request's field in the address of the page, so that a look can be sent to somebody. */
const FIELD = "peek";

interface PeekState {
  readonly id: string | null;
  /** Looks at a row, or opens its page where there is no room. */
  readonly open: (id: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly close: () => void;
}

/** The rows are those of the list, in its order. */
export function usePeek(ids: readonly string[]): PeekState {
  const id = route.value.query.get(FIELD);
  const setId = (next: string | null) => setQuery({ [FIELD]: next }, { isTyping: true });
  const open = (next: string) => (matchMedia(WIDE).matches ? setId(next) : navigate(`/activity/${next}`));
  const step = (by: 1 | -1) => {
    const at = id === null ? (by === 1 ? -1 : ids.length) : ids.indexOf(id);
    const next = ids[at + by];
    if (next !== undefined) setId(next);
  };
  const close = () => setId(null);
  const moves = { ArrowDown: () => step(1), ArrowUp: () => step(-1) };
  // Before the next key can come: an earlier listener would step from the row before.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isElsewhere(event) || !matchMedia(WIDE).matches) return;
      const act = id === null ? { ArrowDown: () => step(1) } : { ...moves, Escape: close };
      const run: unknown = Reflect.get(act, event.key);
      if (typeof run !== "function") return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [id, ids.join()]);
  return { id, open, step, close };
}

/** True for keys that a field, a dialog or a chart has a use for. */
function isElsewhere({ target, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const isHeld = altKey || ctrlKey || metaKey;
  const owner = "input, select, textarea, dialog, [role=slider], [role=listbox], [contenteditable]";
  return isHeld || (target instanceof Element && target.closest(owner) !== null);
}

export function Peek({ id, step, close }: PeekState) {
  if (id === null) return null;
  return (
    <aside class="peek" aria-label="The request beside the list">
      <div class="row tight between peek-head">
        <div class="row tight">
          <Button label="Newer" kind="quiet" icon="up" isIconOnly onClick={() => step(-1)} />
          <Button label="Older" kind="quiet" icon="down" isIconOnly onClick={() => step(1)} />
          <a class="button tiny" href={makeHref(`/activity/${id}`)}>
            Open its page
          </a>
        </div>
        <Button label="Close" kind="quiet" icon="close" isIconOnly onClick={close} />
      </div>
      <div class="peek-body" key={id}>
        <RequestPeek id={id} />
      </div>
    </aside>
  );
}
