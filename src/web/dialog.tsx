/** Dialogs over the page, on the browser's own `<dialog>`: it keeps the focus inside and gives it back. */
import { signal, useComputed, useSignalEffect } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { Form, type FormState, useForm, WentBack } from "./fields/form.tsx";
import { PasswordField } from "./fields/password-field.tsx";
import { person, Refusal } from "./reading/api.ts";
import { path } from "./router.ts";
import { company, session, takeSession } from "./session.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  close: ["Fechar", "Close"],
  password_title: ["Confirme a sua identidade", "Confirm that it is you"],
  password_hint: [
    "Esta alteração pede a sua palavra-passe atual. Vale por 5 minutos.",
    "This change asks for your present password. It holds for 5 minutes.",
  ],
  go_on: ["Continuar", "Continue"],
  leave: ["Fechar e perder o que escreveu?", "Close, and lose what you wrote?"],
});

/** The dialog that is open over the page. */
const opened = signal<ComponentChildren>(null);
/** How many dialogs were opened: each is drawn afresh. */
let count = 0;

/** The change that waits for the password, while it is asked for. */
const asking = signal<PromiseWithResolvers<boolean> | undefined>(undefined);

/** Where the focus goes when the dialog closes, instead of back. */
let goesOn: (() => void) | undefined;

/**
 * Opens a dialog over the page, replacing another. Returns a function that closes this dialog and no other, and may
 * move the focus elsewhere.
 */
export function openDialog(dialog: ComponentChildren): (focus?: () => void) => void {
  const own = <Fragment key={++count}>{dialog}</Fragment>;
  opened.value = own;
  return (focus) => {
    if (opened.value !== own) return;
    goesOn = focus;
    closeDialog();
  };
}

/** Closes the dialog that is open over the page. */
export function closeDialog(): void {
  opened.value = null;
}

/** Draws the dialog that is open; another screen, company or user closes it. Drawn once, by the start of the page. */
export function OpenedDialog() {
  const place = useComputed(() => [path.value, company.value?.id, session.value?.user.id].join(" "));
  useSignalEffect(() => {
    place.value;
    closeDialog();
    asking.peek()?.resolve(false);
    asking.value = undefined;
  });
  return <>{opened.value}</>;
}

interface DialogProps {
  readonly title: string;
  /** Closes it; without it the dialog is one opened over the page. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Asks before Escape discards what was typed. */
  readonly keeps?: boolean;
}

/** A dialog, open for as long as it is drawn. Escape closes it. */
export function Dialog({ title, onClose = closeDialog, children, class: name = "", keeps = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isTyped = useRef(false);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close(); // Nothing else takes the focus while it is open.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      goesOn?.();
      goesOn = undefined;
    };
  }, []);
  const leave = () => {
    // A change under way is not discarded.
    const loses = keeps && isTyped.current && !element.current?.querySelector("form[aria-busy=true]");
    if (!loses || confirm(t.leave)) onClose();
  };
  const cancelled = (event: Event) => {
    event.preventDefault();
    leave();
  };
  return (
    <dialog
      ref={element}
      class={name}
      aria-labelledby={id}
      onCancel={cancelled}
      onInput={() => {
        isTyped.current = true;
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain icon" aria-label={t.close} onClick={leave}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface FormDialogProps<Answer> {
  readonly title: string;
  /** The label of the button that confirms; by default the title. */
  readonly submit?: string;
  readonly change: () => Promise<Answer>;
  /** After the change, with its answer; the dialog is closed already. */
  readonly onDone?: ((answer: Answer) => void) | undefined;
  /** Called when it was closed without the change. */
  readonly onLeft?: (() => void) | undefined;
  /** The form of its fields; without it the dialog only asks for confirmation. */
  readonly form?: FormState;
  readonly actions?: ComponentChildren;
  readonly also?: readonly string[];
  /** What will happen, and what will not; then the fields. */
  readonly children: ComponentChildren;
}

/** Asks before a change, for the fields it needs, and makes it. */
export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const { title, submit = title, change, onDone, onLeft, form, children, ...others } = props;
  const own = useForm();
  const state = form ?? own;
  const shown = useMemo(() => opened.peek(), []);
  const leave = () => {
    if (state.isSending.value) return;
    closeDialog();
    onLeft?.();
  };
  const go = async () => {
    let answer: Answer | undefined;
    const isMade = await state.send(async () => {
      answer = await change();
    });
    // If another screen closed it meanwhile, nobody waits for the result.
    if (!isMade || opened.peek() !== shown) return;
    closeDialog();
    onDone?.(answer as Answer);
  };
  return (
    <Dialog title={title} onClose={leave}>
      <Form {...others} state={state} onSubmit={go} submit={submit} onBack={leave}>
        {children}
      </Form>
    </Dialog>
  );
}

/**
 * Makes a change that may require the password again, and then asks for it. Throws `WentBack` if the person goes back.
 */
export async function withPassword<Value>(change: () => Promise<Value>): Promise<Value> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "password_required") throw error;
  }
  asking.value = Promise.withResolvers<boolean>();
  if (!(await asking.value.promise)) throw new WentBack();
  return change();
}

/** The dialog that asks for the password; drawn once, by the start of the page. */
export function PasswordDialog() {
  return asking.value ? <AskPassword done={asking.value.resolve} /> : null;
}

function AskPassword({ done }: { readonly done: (confirmed: boolean) => void }) {
  const form = useForm({ password: "" });
  const end = (confirmed: boolean) => {
    asking.value = undefined;
    done(confirmed);
  };
  const back = () => end(false);
  const confirm = async () => {
    const given = { password: form.values.password.value };
    const isRight = await form.send(async () => takeSession(await person.session.confirm(given)));
    if (isRight) end(true);
  };
  return (
    <Dialog title={t.password_title} onClose={back}>
      <Form state={form} onSubmit={confirm} submit={t.go_on} onBack={back}>
        <p>{t.password_hint}</p>
        <PasswordField autofocus />
      </Form>
    </Dialog>
  );
}
