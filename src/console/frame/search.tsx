// The search for everything with an id or a name, for pages, actions and the manual's chapters, opened by a button or by Ctrl+K (⌘K).
import { useEffect, useState } from "preact/hooks";
import type { ResultView } from "../../admin/log/search-result.ts";
import { isApple, openBeside, runAfter } from "../browser.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SearchField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Notice } from "../parts/states.tsx";
import { describeError, sendQuestion } from "./api.ts";
import { findPlaces, MANUAL, type Place } from "./places.ts";
import { keepRecent, listRecent } from "./recent.ts";
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
  const open = (place: Place) => {
    keepRecent(place);
    onClose();
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <form onSubmit={enter}>
        <SearchField
          label="An id, a name, a page, an action, or a key that leaked"
          value={text}
          onInput={setText}
          isFocused
        />
      </form>
      {given === "" ? (
        <Recent onOpen={open} />
      ) : (
        <Results text={given} opensFirst={given === entered} onOpen={open} />
      )}
    </Dialog>
  );
}

function Recent({ onOpen }: Pick<ResultsProps, "onOpen">) {
  const recent = listRecent();
  return recent.length === 0 ? null : <Places label="Opened before" places={recent} onOpen={onOpen} />;
}

/** The address of a result is a path of this page, after `/#`. */
function toPlace({ type, name, url }: ResultView): Place {
  return { kind: type, name, path: url.slice(2) };
}

/** Typing goes on meanwhile. */
const WAIT_MS = 120;

/** Asks by a body, since what is pasted may be a secret. */
function useResults(text: string) {
  const [found, setFound] = useState<{ readonly of: string; readonly data: readonly Place[] } | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const stop = runAfter(WAIT_MS, () => {
      sendQuestion<{ readonly data: readonly ResultView[] }>(
        "/search",
        { q: text.slice(0, 200) },
        ending.signal,
      )
        .then(({ data }) => {
          setFound({ of: text, data: data.map(toPlace) });
          setError(null);
        })
        .catch((failed: unknown) => {
          if (!ending.signal.aborted) setError(describeError(failed));
        });
    });
    return () => {
      stop();
      ending.abort();
    };
  }, [text]);
  return { data: found?.of === text ? found.data : null, error };
}

const MANUAL_LEAST = 3;

/** The manual's search and its index are loaded when something is first looked for. */
function useChapters(text: string): readonly Place[] {
  const [found, setFound] = useState<{ readonly of: string; readonly data: readonly Place[] } | null>(null);
  useEffect(() => {
    let isOver = false;
    const show = (data: readonly Place[]) => {
      if (!isOver) setFound({ of: text, data });
    };
    const stop = runAfter(WAIT_MS, () => {
      if (text.length < MANUAL_LEAST) return show([]);
      // Without the manual, everything else is found as ever.
      import("../manual/chapters.ts")
        .then(({ findChapters }) => findChapters(text))
        .then(show, () => show([]));
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [text]);
  // Until the next ones are there, the last stay, so that the list doesn't jump.
  return found?.data ?? [];
}

interface ResultsProps {
  readonly text: string;
  readonly opensFirst: boolean;
  readonly onOpen: (place: Place) => void;
}

function Results({ text, opensFirst, onOpen }: ResultsProps) {
  const { data, error } = useResults(text);
  const places = findPlaces(text);
  const isWaiting = data === null && error === null;
  // Only a page's whole name comes before what has an id: a part of it may be the beginning of a key's name.
  const isExact = ({ name }: Place) => name.toLowerCase() === text.toLowerCase();
  const exact = places.filter(isExact);
  const all = [...exact, ...(data ?? []), ...places.filter((place) => !isExact(place))];
  const chapters = useChapters(text);
  const first = isWaiting ? exact[0] : (all[0] ?? chapters[0]);
  useEffect(() => {
    if (!opensFirst || !first) return;
    if (first.kind === MANUAL) openBeside(first.path);
    else navigate(first.path);
    onOpen(first);
  }, [opensFirst, first?.path]);
  return (
    <>
      {error !== null && <Notice tone="bad">{error}</Notice>}
      {all.length > 0 && <Places label="Results" places={all} onOpen={onOpen} />}
      {all.length === 0 && isWaiting && <p class="small faint">Searching …</p>}
      {chapters.length > 0 && (
        <>
          <h3 class="small faint">In the manual</h3>
          <Places label="In the manual" kind={MANUAL} places={chapters} onOpen={onOpen} />
        </>
      )}
      {all.length === 0 && chapters.length === 0 && data !== null && (
        <Empty icon="search" title="Nothing has this id or name">
          A key's whole secret finds the key, also a revoked one. Refused requests are counted, not kept one
          by one: see Activity, Refused.
        </Empty>
      )}
    </>
  );
}

interface PlacesProps extends Pick<ResultsProps, "onOpen"> {
  readonly label: string;
  readonly places: readonly Place[];
  /** The kind that the heading above names already. */
  readonly kind?: string;
}

function Places({ label, places, kind, onOpen }: PlacesProps) {
  return (
    <ul class="stack tight" aria-label={label}>
      {places.map((place) => (
        <li key={`${place.kind} ${place.path} ${place.name}`}>
          <PlaceLink place={place} onOpen={onOpen} />
          {place.kind !== kind && <span class="small faint"> {place.kind}</span>}
        </li>
      ))}
    </ul>
  );
}

function PlaceLink({ place, onOpen }: { readonly place: Place } & Pick<ResultsProps, "onOpen">) {
  const { kind, name, path } = place;
  const beside = kind === MANUAL ? { target: "_blank", rel: "noreferrer" } : {};
  return (
    <a href={kind === MANUAL ? path : makeHref(path)} onClick={() => onOpen(place)} {...beside}>
      {name}
    </a>
  );
}
