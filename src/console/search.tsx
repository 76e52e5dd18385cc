// Search: anything by its id, its name or a part of one. Ctrl+K or ⌘K opens it from every page.
import type { Listed } from "../admin/list.ts";
import type { ResultView } from "../admin/search.ts";
import { withQuery } from "./api.ts";
import { SearchField } from "./parts/field.tsx";
import { Card, PageHead } from "./parts/page.tsx";
import { Badge, Empty, Loaded } from "./parts/states.tsx";
import { useResource } from "./resource.ts";
import { makeHref, navigate, route, setQuery } from "./route.ts";

export const SEARCH_PATH = "/search";

/** Opens the search with the keys that most consoles use for it. */
export function openSearchOnKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  navigate(SEARCH_PATH);
}

export function SearchPage() {
  const q = route.value.query.get("q") ?? "";
  return (
    <>
      <PageHead title="Search">
        A request by any id that a client quotes, a key by its last four characters, a session, a trace, or a
        part of the name of a key, account, model or provider.
      </PageHead>
      <div class="row filters">
        <SearchField
          label="Id, last 4 characters or name"
          value={q}
          onInput={(text) => setQuery({ q: text })}
          isFocused
        />
      </div>
      {q.trim() !== "" && <Results q={q.trim()} />}
    </>
  );
}

function Results({ q }: { readonly q: string }) {
  const found = useResource<Listed<ResultView>>(withQuery("/search", { q }));
  return (
    <Loaded of={found}>
      {({ data }) =>
        data.length === 0 ? (
          <NothingFound q={q} />
        ) : (
          <Card isFlush>
            <ul class="results" aria-label="Results">
              {data.map(({ type, id, name, url }) => (
                <li key={`${type} ${id}`}>
                  <a class="row tight" href={url.replace(/^\/#/, "#")}>
                    <Badge text={type} />
                    <span class="strong">{name}</span>
                    {id !== name && <code class="faint">{id}</code>}
                  </a>
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    </Loaded>
  );
}

function NothingFound({ q }: { readonly q: string }) {
  return (
    <Empty icon="search" title={`Nothing has the id or name ${q}`}>
      Requests that were refused before a provider was called are counted, not kept one by one. See{" "}
      <a href={makeHref("/refused")}>Refused</a>, or look for the id in the log.
    </Empty>
  );
}
