/** A text that is shown once, to be copied. */
import { useRef } from "preact/hooks";
import { texts } from "./language.ts";
import { announce } from "./notice.tsx";

const t = texts({
  copy: ["Copiar", "Copy"],
  copied: ["Copiado.", "Copied."],
  by_hand: ["Prima Ctrl+C para copiar.", "Press Ctrl+C to copy."],
});

/** Shows the text and copies it; where the browser does not let a page copy, selects it. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
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
      <button type="button" autofocus onClick={copy}>
        {t.copy}
      </button>
    </div>
  );
}
