// Views of a page that were saved by name: its period and filters. They stay in this browser.
import { useState } from "preact/hooks";
import { readStored, writeStored } from "../browser.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { makeHref, route } from "./route.ts";
import { useForm } from "./task.ts";

interface SavedView {
  readonly name: string;
  /** Starts with a slash. */
  readonly path: string;
  /** The address's fields, as a query. */
  readonly query: string;
}

const STORED = "views";
const VIEWS_MAX = 50;

/** Views that can't be read are none. */
function readViews(): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(readStored(STORED) ?? "[]");
    return Array.isArray(views) ? views.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(one: Partial<SavedView> | null): one is SavedView {
  return [one?.name, one?.path, one?.query].every((text) => typeof text === "string");
}

/** The views of the page that is shown, and a button to save the one that its address describes. */
export function SavedViews() {
  const [views, setViews] = useState(readViews);
  const [isNaming, setNaming] = useState(false);
  const { path, query } = route.value;
  const now = sortQuery(query);
  const own = views.filter((view) => view.path === path);
  const store = (next: readonly SavedView[]) => {
    writeStored(STORED, JSON.stringify(next));
    setViews(next);
  };
  const remove = (gone: SavedView) => store(views.filter((view) => view !== gone));
  const save = (name: string) => {
    const others = views.filter((view) => view.path !== path || view.name !== name);
    store([...others, { name, path, query: now }].slice(-VIEWS_MAX));
    setNaming(false);
  };
  const isSaved = own.some((view) => view.query === now);
  if (own.length === 0 && now === "") return null;
  return (
    <nav class="row tight" aria-label="Saved views">
      {own.map((view) => (
        <span key={view.name} class="saved-view">
          <a
            href={makeHref(path, Object.fromEntries(new URLSearchParams(view.query)))}
            aria-current={view.query === now ? "true" : undefined}
          >
            {view.name}
          </a>
          <Button
            label="Forget"
            about={view.name}
            kind="quiet"
            icon="close"
            isTiny
            isIconOnly
            onClick={() => remove(view)}
          />
        </span>
      ))}
      {now !== "" && !isSaved && (
        <Button label="Save view" kind="quiet" icon="plus" isTiny onClick={() => setNaming(true)} />
      )}
      {isNaming && <NameView onSave={save} onClose={() => setNaming(false)} />}
    </nav>
  );
}

/** The same fields in another order are the same view. */
function sortQuery(query: URLSearchParams): string {
  const sorted = new URLSearchParams([...query].filter(([name, value]) => value !== "" && name !== "peek"));
  sorted.sort();
  return sorted.toString();
}

interface ViewNameProps {
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function NameView({ onSave, onClose }: ViewNameProps) {
  const form = useForm(
    () => ({ name: "" }),
    async ({ name }) => {
      if (name.trim() === "") throw new Error("The view needs a name.");
      onSave(name.trim());
    },
  );
  return (
    <FormDialog title="Save this view" action="Save" form={form} onClose={onClose}>
      <TextField
        label="Name"
        hint="The period and the filters are saved in this browser. A name that there is already is replaced."
        isRequired
        isFocused
        {...form.field("name")}
      />
    </FormDialog>
  );
}
