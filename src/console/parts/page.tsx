// Page headings, cards, and filters stored in the page's address.
import type { ComponentChildren } from "preact";
import { makeHref, route, setQuery } from "../frame/route.ts";
import { Filter, type SelectProps } from "./field.tsx";
import { Icon } from "./icon.tsx";

interface PageHeadProps {
  /** The parent page. */
  readonly back?: { readonly path: string; readonly label: string };
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

export function PageHead({ back, title, children, actions }: PageHeadProps) {
  return (
    <div class="row between page-head">
      <div>
        {back && (
          <a class="crumb" href={makeHref(back.path)}>
            <Icon name="back" size={14} />
            {back.label}
          </a>
        )}
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {actions && <div class="row page-actions">{actions}</div>}
    </div>
  );
}

export interface CardProps {
  readonly title?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** True if the content extends to the card's edges. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

export function Card({ title, note, actions, isFlush, children }: CardProps) {
  return (
    <section class="card">
      {(title || actions) && (
        <div class="row between card-head">
          <div>
            {title && <h2>{title}</h2>}
            {note && <p>{note}</p>}
          </div>
          {actions}
        </div>
      )}
      {isFlush ? children : <div class="card-body">{children}</div>}
    </section>
  );
}

interface QueryFilterProps extends Pick<SelectProps, "label" | "options"> {
  readonly name: string;
}

/** A filter stored in the query of the page's address. */
export function QueryFilter({ name, ...rest }: QueryFilterProps) {
  const value = route.value.query.get(name) ?? "";
  return <Filter {...rest} value={value} onInput={(chosen) => setQuery({ [name]: chosen })} />;
}
