// Where a configured field comes from: the file and its line, the command line, or nowhere, so that its default counts.
import type { ComponentChildren } from "preact";
import type { ConfigurationView } from "../../admin/models/configuration.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { type Fact, Facts } from "../parts/figures.tsx";

type FieldPathNames = readonly string[];

interface Origins {
  /** Undefined until it is known, and for those who may not see it. */
  readonly configuration: ConfigurationView | undefined;
  /** The file's name without its folder. */
  readonly fileName: string;
  /** Returns where the field is set, or null if it isn't. Case doesn't count, as in providers' names. */
  readonly find: (path: FieldPathNames) => string | null;
}

const DEFAULT_FILE = "poundkey.yaml";

export function useOrigins(): Origins {
  const { data } = useResource<ConfigurationView>(may("settings.read") ? "/configuration" : null);
  const fileName = data?.file?.split(/[/\\]/).at(-1) ?? DEFAULT_FILE;
  const find = (path: FieldPathNames) => {
    const field = data?.fields.find((one) => nameField(one.path) === nameField(path));
    if (field === undefined) return null;
    return field.line === null ? "the command line" : `${fileName}:${field.line}`;
  };
  return { configuration: data, fileName, find };
}

function nameField(path: FieldPathNames): string {
  return JSON.stringify(path).toLowerCase();
}

interface OriginProps {
  readonly path: FieldPathNames;
  /** The text for a field that isn't set. If missing, nothing is shown. */
  readonly otherwise?: string;
}

export function Origin({ path, otherwise }: OriginProps) {
  const { configuration, find } = useOrigins();
  const place = find(path) ?? otherwise;
  if (configuration === undefined || place === undefined) return null;
  return (
    <span class="small faint own-words" title={configuration.file ?? undefined}>
      {place}
    </span>
  );
}

/** A fact, and the field that sets it, if one does. */
export type SetFact = readonly [label: string, value: ComponentChildren, path?: FieldPathNames];

export function SetFacts({ rows }: { readonly rows: readonly SetFact[] }) {
  const shown = rows.map(([label, value, path]): Fact => {
    if (path === undefined) return [label, value];
    const content = (
      <>
        {value} <Origin path={path} otherwise="default" />
      </>
    );
    return [label, content];
  });
  return <Facts rows={shown} />;
}
