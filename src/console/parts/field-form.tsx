// The part of a form that is made from a table of fields: the controls, the texts in them, and the request.
import type { Field, FieldsOf, KindName, Wire } from "../../core/fields/field.ts";
import type { useForm } from "../frame/task.ts";
import { RENDERERS } from "./field-kinds.tsx";

type TextForm = ReturnType<typeof useForm<string>>;

/** The fields as an answer showed them. */
type FieldValues<Table> = { readonly [Name in keyof Table]?: Wire };

/** Returns the texts of a form, of what is edited or for something new. */
export function makeDraft<Table extends FieldsOf<Table>>(fields: Table, edited?: FieldValues<Table>) {
  const draft: Record<string, string> = {};
  for (const name in fields) draft[name] = writeText<KindName>(fields[name], edited?.[name]);
  return draft;
}

function writeText<Name extends KindName>(field: Field<Name>, wire: Wire<Name> | undefined): string {
  return RENDERERS[field.kind].toText(wire, field);
}

/**
 * Returns the request's body, without the fields whose text is that of `opened`: what somebody else changed since the
 * form was opened stays. For what is edited, it has only the fields that can change.
 */
export function makeBody<Table extends FieldsOf<Table>>(
  fields: Table,
  draft: Readonly<Record<string, string>>,
  opened: Readonly<Record<string, string>>,
  edited?: FieldValues<Table>,
) {
  const body: Record<string, Wire | undefined> = {};
  for (const name in fields) {
    const field = fields[name];
    if (draft[name] === opened[name]) continue;
    if (isShown(field, edited)) body[name] = readText<KindName>(field, draft[name] ?? "", edited?.[name]);
  }
  return body;
}

function readText<Name extends KindName>(field: Field<Name>, text: string, before: Wire<Name> | undefined) {
  return RENDERERS[field.kind].toWire(text, before, field);
}

function isShown({ control, only }: Field, edited: object | undefined): boolean {
  return control !== undefined && only !== (edited ? "creation" : "change");
}

/** Returns the controls of the fields that one may set, in their order. Neighbours that are narrow share a line. */
export function renderControls<Table extends FieldsOf<Table>>(
  fields: Table,
  form: Pick<TextForm, "field">,
  edited?: FieldValues<Table>,
  maySet: (field: Field) => boolean = () => true,
) {
  const lines: { readonly isNarrow: boolean; readonly names: (keyof Table & string)[] }[] = [];
  for (const name in fields) {
    if (!isShown(fields[name], edited) || !maySet(fields[name])) continue;
    const { isNarrow = false } = RENDERERS[fields[name].kind];
    const line = lines.at(-1);
    if (isNarrow && line?.isNarrow) line.names.push(name);
    else lines.push({ isNarrow, names: [name] });
  }
  return lines.map(({ isNarrow, names }) => {
    const controls = names.map((name) => (
      <FieldControl<KindName> key={name} field={fields[name]} bound={form.field(name)} />
    ));
    return isNarrow ? (
      <div key={names[0]} class="two">
        {controls}
      </div>
    ) : (
      controls
    );
  });
}

interface FieldFolding {
  /** The fields that nearly everybody sets. */
  readonly main: ReadonlySet<Field>;
  /** Names the others. */
  readonly more: string;
  /** True if the others are shown at once. Missing for a change alone. */
  readonly isOpen?: boolean;
}

/** Returns the controls, of which all but the main ones are folded. */
export function renderFolded<Table extends FieldsOf<Table>>(
  fields: Table,
  form: Pick<TextForm, "field">,
  { main, more, isOpen }: FieldFolding,
  edited?: FieldValues<Table>,
  maySet: (field: Field) => boolean = () => true,
) {
  return (
    <>
      {renderControls(fields, form, edited, (field) => main.has(field) && maySet(field))}
      <details class="more" open={isOpen ?? edited !== undefined}>
        <summary>More: {more}</summary>
        <div class="stack">
          {renderControls(fields, form, edited, (field) => !main.has(field) && maySet(field))}
        </div>
      </details>
    </>
  );
}

interface FieldControlProps<Name extends KindName> {
  readonly field: Field<Name>;
  readonly bound: ReturnType<TextForm["field"]>;
}

function FieldControl<Name extends KindName>({ field, bound }: FieldControlProps<Name>) {
  const { Control } = RENDERERS[field.kind];
  return field.control && <Control field={field} {...field.control} {...bound} />;
}

/** Returns what the operator wrote about an entity. Undefined if nothing. */
export function listTexts<Table extends FieldsOf<Table>>(
  fields: Table,
  shown: FieldValues<Table>,
): string | undefined {
  const texts: Wire[] = [];
  for (const name in fields) {
    const wire = shown[name];
    if (fields[name].kind === "text" && wire) texts.push(wire);
  }
  return texts.join("\n") || undefined;
}
