/** Dialogs over the page, on the browser's own `<dialog>`: it keeps the focus inside and gives it back. */
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { call, Refusal } from "./api.ts";
import { Form, type FormState, TextField, useForm, WentBack } from "./form.tsx";
import { texts } from "./language.ts";
import { type Session, takeSession } from "./session.ts";

const t = texts({
  close: ["Fechar", "Close"],
  back: ["Voltar", "Back"],
  password_title: ["Confirme a sua identidade", "Confirm that it is you"],
  password_hint: [
    "Chaves e utilizadores pedem a palavra-passe outra vez. Vale por 5 minutos.",
    "Keys and users ask for the password again. It holds for 5 minutes.",
  ],
  password: ["Palavra-passe", "Password"],
  go_on: ["Continuar", "Go on"],
});

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A dialog, open for as long as it is drawn. Escape closes it. */
export function Dialog({ title, onClose, children, class: name = "" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const cancelled = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} class={name} aria-labelledby={id} onCancel={cancelled}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain icon" aria-label={t.close} onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The words of the button that does it. */
  readonly confirm: string;
  readonly change: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** The form of its fields, and their paths; without them it asks for nothing but the go-ahead. */
  readonly form?: FormState;
  readonly fields?: readonly string[];
  /** What will happen, and what will not; then the fields. */
  readonly children: ComponentChildren;
}

/** Asks before a change, and makes it. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, confirm, change, onDone, onClose, fields = [], children } = props;
  const own = useForm();
  const form = props.form ?? own;
  const go = async () => {
    if (await form.send(change)) onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        state={form}
        onSubmit={go}
        fields={fields}
        actions={
          <>
            <button type="button" onClick={onClose}>
              {t.back}
            </button>
            <button type="submit" class="main" disabled={form.isSending.value}>
              {confirm}
            </button>
          </>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** What waits for the password, while it is asked for. */
const asking = signal<PromiseWithResolvers<boolean> | undefined>(undefined);

/** Makes a change that may ask for the password again, and asks the person then. Throws `WentBack` if they go back. */
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

/** The dialog that asks for the password; drawn once, by the frame of the page. */
export function PasswordDialog() {
  return asking.value ? <AskPassword done={asking.value.resolve} /> : null;
}

function AskPassword({ done }: { readonly done: (confirmed: boolean) => void }) {
  const password = useSignal("");
  const form = useForm();
  const end = (confirmed: boolean) => {
    asking.value = undefined;
    done(confirmed);
  };
  const confirm = async () =>
    takeSession(await call<Session>("POST", "/area/v1/session/confirm", { password: password.value }));
  return (
    <ConfirmDialog
      title={t.password_title}
      confirm={t.go_on}
      change={confirm}
      onDone={() => end(true)}
      onClose={() => end(false)}
      form={form}
      fields={["password"]}
    >
      <p>{t.password_hint}</p>
      <TextField
        label={t.password}
        type="password"
        autocomplete="current-password"
        autofocus
        value={password}
        form={form}
        path="password"
      />
    </ConfirmDialog>
  );
}
