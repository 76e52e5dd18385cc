// The search for everything with an id or a name, opened by a button or by ⌘K (Ctrl+K).
import { useEffect, useState } from "preact/hooks";
import type { ResultView } from "../admin/search.ts";
import { withQuery } from "./api.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { SearchField } from "./parts/field.tsx";
import { Empty, Loaded } from "./parts/states.tsx";
import { useResource } from "./resource.ts";

export function SearchEverything() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <Button label="Search (⌘K)" kind="quiet" icon="search" onClick={() => setOpen(true)} />
      {isOpen && <SearchDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const given = text.trim();
  return (
    <Dialog title="Search" onClose={onClose}>
      <SearchField
        label="An id, the last 4 characters of a key, or part of a name"
        value={text}
        onInput={setText}
      />
      {given !== "" && <Results text={given} onOpen={onClose} />}
    </Dialog>
  );
}

interface ResultsProps {
  readonly text: string;
  readonly onOpen: () => void;
}

function Results({ text, onOpen }: ResultsProps) {
  const found = useResource<{ readonly data: readonly ResultView[] }>(withQuery("/search", { q: text }));
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
            {data.map(({ type, id, name, url }) => (
              <li key={`${type} ${id}`}>
                {/* The address is a path of this page. */}
                <a href={url.slice(1)} onClick={onOpen}>
                  {name}
                </a>{" "}
                <span class="small faint">{type}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
