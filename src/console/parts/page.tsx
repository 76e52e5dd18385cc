// A page's head, and cards.
import type { ComponentChildren } from "preact";

export function PageHead({
  title,
  children,
  actions,
}: {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
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
