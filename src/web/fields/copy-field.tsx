/** A text that is shown once, for copying. */
import { useRef } from "preact/hooks";
import { Button } from "../button.tsx";
import { closeDialog, Dialog } from "../dialog.tsx";
import { announce } from "../notice.tsx";
import { texts } from "../words/texts.ts";

const t = texts({
  copy: ["Copiar", "Copy"],
  copied: ["Copiado.", "Copied."],
  by_hand: ["Prima Ctrl+C para copiar.", "Press Ctrl+C to copy."],
});

/** Shows the text and copies it; if the browser does not let a page copy, selects it. */
function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      announce(t.copied);
    } catch {
      field.current?.select();
      announce(t.by_hand);
    }
  };
  return (
    <div class="copied">
      <input ref={field} type="text" readOnly aria-label={label} value={value} />
      <Button label={t.copy} autofocus onClick={copy} />
    </div>
  );
}

interface ShowOnceProps {
  readonly title: string;
  readonly hint: string;
  /** What to know before it is used. */
  readonly warning?: string | undefined;
  readonly value: string;
  /** The label of the button that closes it. */
  readonly done: string;
}

/** A dialog that shows a secret once; nothing of it is left when it closes. */
export function ShowOnce({ title, hint, warning, value, done }: ShowOnceProps) {
  return (
    <Dialog title={title}>
      <p>{hint}</p>
      {warning && <p>{warning}</p>}
      <CopyField label={title} value={value} />
      <div class="actions end">
        <Button label={done} class="main" onClick={closeDialog} />
      </div>
    </Dialog>
  );
}
