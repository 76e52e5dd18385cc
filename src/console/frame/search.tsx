// The search for everything with an id or a name, opened by a button or by Ctrl+K (⌘K).
import { useEffect, useState } from "preact/hooks";
import type { ResultView } from "../../admin/log/search.ts";
import { isApple } from "../browser.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SearchField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { withQuery } from "./api.ts";
import { useResource } from "./resource.ts";
import { makeHref, navigate } from "./route.ts";

/** Calls `onOpen` when the search's keys are pressed, wherever the focus is. */
export function useSearchKeys(onOpen: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      onOpen();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Looks like the field that it opens. */
export function SearchButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={onOpen}>
      <Icon name="search" />
      Search
      <kbd>{SEARCH_KEYS}</kbd>
    </button>
  );
}

export const SEARCH_KEYS = isApple() ? "⌘K" : "Ctrl K";

export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const given = text.trim();
  // Enter opens the first result, also if it has yet to arrive.
  const [entered, setEntered] = useState("");
  const enter = (event: Event) => {
    event.preventDefault();
    setEntered(given);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <form onSubmit={enter}>
        <SearchField
          label="An id, the last 4 characters of a key, or part of a name"
          value={text}
          onInput={setText}
          isFocused
        />
      </form>
      {given !== "" && <Results text={given} opensFirst={given === entered} onOpen={onClose} />}
    </Dialog>
  );
}

/** The address of a result is a path of this page, after `/#`. */
function findPath({ url }: ResultView): string {
  return url.slice(2);
}

interface ResultsProps {
  readonly text: string;
  readonly opensFirst: boolean;
  readonly onOpen: () => void;
}

function Results({ text, opensFirst, onOpen }: ResultsProps) {
  const found = useResource<{ readonly data: readonly ResultView[] }>(withQuery("/search", { q: text }));
  const [first] = found.data?.data ?? [];
  useEffect(() => {
    if (!opensFirst || !first) return;
    navigate(findPath(first));
    onOpen();
  }, [opensFirst, first]);
  return (
    <Loaded of={found} rows={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty icon="search" title="Nothing has this id or name">
            Refused requests are counted, not kept one by one: see Activity, Refused. Their ids are in the
            log.
          </Empty>
        ) : (
          <ul class="stack tight" aria-label="Results">
            {data.map((result) => (
              <li key={`${result.type} ${result.id}`}>
                <a href={makeHref(findPath(result))} onClick={onOpen}>
                  {result.name}
                </a>{" "}
                <span class="small faint">{result.type}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
