// Dialogs on the browser's own element, which keeps the focus inside and closes on Escape.
import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { type useForm, useTask } from "../frame/task.ts";
import { Button } from "./button.tsx";
import { Notice } from "./states.tsx";

/** Opens a dialog as it is rendered, so that there is no moment at which it is there and can't be used. */
function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => ref.current?.showModal(), []);
  return ref;
}

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  /** True if neither a click outside nor Escape closes it, for content that is shown only once. */
  readonly isKept?: boolean;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Dialog({ title, isWide, onClose, isKept, foot, children }: DialogProps) {
  const ref = useModal();
  const id = useId();
  const onClick = (event: MouseEvent) => {
    if (!isKept && event.target === ref.current) onClose();
  };
  // Browsers let a page refuse the event `cancel` only once in a row, but the key each time.
  const onKeyDown = (event: KeyboardEvent) => {
    if (isKept && event.key === "Escape") event.preventDefault();
  };
  return (
    <dialog
      ref={ref}
      class={isWide ? "wide" : ""}
      aria-labelledby={id}
      onClose={onClose}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div class="row tight between dialog-head">
        <h2 id={id}>{title}</h2>
        <Button label="Close" kind="quiet" icon="close" isIconOnly onClick={onClose} />
      </div>
      <div class="stack dialog-body">{children}</div>
      {foot && <div class="row dialog-foot">{foot}</div>}
    </dialog>
  );
}

interface AskingProps extends Pick<DialogProps, "title" | "onClose" | "children"> {
  /** The label of the button that starts the task. */
  readonly action: string;
}

interface FormDialogProps extends AskingProps {
  readonly form: Pick<ReturnType<typeof useForm>, "isBusy" | "start" | "otherError">;
}

/** Shows below the form an error that none of its fields shows. */
export function FormDialog({ title, action, form, onClose, children }: FormDialogProps) {
  const { isBusy, start, otherError } = form;
  const error = otherError();
  const id = useId();
  const foot = (
    <>
      <Button label="Cancel" onClick={onClose} />
      <Button label={action} kind="main" type="submit" form={id} isBusy={isBusy} />
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      <form id={id} class="stack" onSubmit={start}>
        {children}
        {error !== null && <Notice tone="bad">{error}</Notice>}
      </form>
    </Dialog>
  );
}

interface ConfirmProps extends AskingProps {
  readonly run: () => Promise<unknown>;
}

/** Asks for confirmation of an action that can't be undone. */
export function Confirm({ title, action, run, onClose, children }: ConfirmProps) {
  const { isBusy, error, start } = useTask(async () => {
    await run();
    onClose();
  });
  const foot = (
    <>
      <Button label="Cancel" onClick={onClose} />
      <Button label={action} kind="danger-main" isBusy={isBusy} onClick={start} />
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      <p class="soft">{children}</p>
      {error !== null && <Notice tone="bad">{error}</Notice>}
    </Dialog>
  );
}

interface DrawerProps extends Pick<DialogProps, "onClose" | "children"> {
  readonly label: string;
}

/** The navigation drawer on narrow screens. */
export function Drawer({ label, onClose, children }: DrawerProps) {
  const ref = useModal();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself.
    <dialog ref={ref} class="drawer" aria-label={label} onClose={onClose} onClick={onClose}>
      {children}
    </dialog>
  );
}
