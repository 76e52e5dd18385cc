// A page's head, and cards.
import type { ComponentChildren } from "preact";
import { makeAddress } from "../route.ts";
import { Icon } from "./icon.tsx";

export function PageHead({
  back,
  title,
  children,
  actions,
}: {
  /** The page that this one belongs to. */
  readonly back?: { readonly path: string; readonly label: string };
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
        {back && (
          <a class="crumb" href={makeAddress(back.path)}>
            <Icon name="back" size={14} />
            {back.label}
          </a>
        )}
        <h1>{title}</h1>
        {children && <p>{children}</p>}
      </div>
      {actions && <div class="page-actions">{actions}</div>}
    </div>
  );
}

export function Card({
  title,
  note,
  actions,
  isFlush,
  children,
}: {
  readonly title?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The content reaches the card's edges. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card">
      {(title || actions) && (
        <div class="card-head">
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
